#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "data/annotations/annotation_records.h"
#include "data/annotations/annotation_sink.h"
#include "data/annotations/asked_labels.h"
#include "labelsieve/data_io.h"

namespace sieve {

// The ids of the rows that the items are to be found among.
class RowIds {
 public:
  // `column` is the column of the data that they came from, "" if that is not known.
  RowIds(std::span<const std::string> ids, std::string column)
      : ids_(ids.begin(), ids.end()), column_(std::move(column)) {}
  bool contains(std::string_view id) const { return ids_.contains(id); }
  const std::string& column() const { return column_; }

 private:
  std::unordered_set<std::string_view> ids_;
  std::string column_;
};

// A file of ticks on its way into a sink.
struct AnnotationFile {
  AnnotationRecords& records;
  const std::string& path;
  const AnnotationOptions& options;
  std::string annotator;  // whose file it is, where it does not say itself
  AnnotationSink& sink;
  AskedLabels& asked;           // for answers about one label each
  const RowIds* ids = nullptr;  // where the data has any
};

// All that the rest of the program knows of a layout.
struct AnnotationFormat {
  std::string name;
  bool (*looks_like)(const AnnotationRecords& records);  // by names and first records
  void (*read)(const AnnotationFile& file);
};

// The particular before the general: the first that a file looks like is taken.
const std::vector<AnnotationFormat>& all_annotation_formats();
// The layout of a file, and the options to read it with: with what its cells say of its columns
// where their names do not.
struct AnnotationLayout {
  const AnnotationFormat& format;
  AnnotationOptions options;
  std::string note;  // what was guessed from cells; "" for nothing
};
// The one that is asked for, else the one that it looks like. Error(Usage) for a name that is not
// in the table, Error(Data) where the file looks like none.
AnnotationLayout annotation_layout_of(const AnnotationRecords& records,
                                      const AnnotationOptions& options, const std::string& path);

// ---- for the layouts ----------------------------------------------------------------------------

// Asked for where there is no such column.
inline constexpr std::string_view kNoColumn = "none";
// Names of columns, the more telling first; upper case, blanks and marks do not count.
using ColumnNames = std::vector<std::string_view>;
extern const ColumnNames kItemNames, kAnnotatorNames, kLabelNames, kTimeNames, kRecordNames;
// Those of kAnnotatorNames that can mean nobody else.
extern const ColumnNames kPlainAnnotatorNames;
// Columns whose values repeat and name neither items nor annotators.
extern const ColumnNames kRepeatingNames;
// "workerid" of "_Worker ID" and of "workerId".
std::string bare_name(std::string_view name);

// The column that the user has named (Error(Usage) if there is none), else the first of `names`
// that is there; npos for none.
std::size_t find_column(const AnnotationRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& path);
// The same, but Error(Data) for none: "cannot tell which column of the annotations has the <what>".
std::size_t need_column(const AnnotationRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& what, const std::string& path);
[[noreturn]] void refuse_columns(const AnnotationRecords& records, const std::string& what,
                                 const std::string& path);

// The key that names items of tools which do not ask for one: an id of the user's own, else what
// the tool made up, else the text itself.
std::size_t tool_item(const AnnotationFile& file);

// The cells of a column in the first records.
std::vector<std::string> sample_of(const AnnotationRecords& records, std::size_t column);
// Whether there are any that are not empty, and all of these pass.
bool sample_is(const AnnotationRecords& records, std::size_t column,
               const std::function<bool(std::string_view)>& test);
// Whether one of them comes twice, as names of labels do and remarks do not.
bool any_repeats(const std::vector<std::string>& cells);
bool has_columns(const AnnotationRecords& records, std::initializer_list<std::string_view> names);
// Those whose name passes.
std::vector<std::size_t> columns_where(const AnnotationRecords& records,
                                       const std::function<bool(std::string_view)>& test);

// Whether the name of a column says that it holds no labels: "is_gold", "n_labels", "timestamp".
bool is_side_column(std::string_view name);
// Whether a cell says yes: 1, true, yes, t or y.
bool is_yes(std::string_view cell);
bool is_bit(std::string_view cell);  // 0, 1, true or false

// "unsure", "hedge", "maybe", "not sure" and the like.
bool is_unsure_word(std::string_view cell);

// A column that says of one label whether it is ticked.
struct LabelColumn {
  std::size_t column;
  std::string label;
};
// Ticks the labels of the current record. Error(Data) for a cell that is not 0, 1, true, false or
// empty, nor a word such as "unsure" where that may be.
void annotation_label_columns(const AnnotationFile& file, const std::vector<LabelColumn>& labels,
                              bool may_be_unsure = false);

// Tells the sink what a column is used for; npos is none.
void use_column(const AnnotationFile& file, std::size_t column, std::string_view role);

// Calls take(place) for every record, in which an annotator looks at an item, but for those that
// are rejected or not there; both tests may be null, no annotator is that of the file.
void for_annotations(const AnnotationFile& file, std::size_t item, std::size_t annotator,
                     const std::function<bool()>& is_rejected,
                     const std::function<void(const Place&)>& take,
                     const std::function<bool()>& is_there = nullptr);
// The columns that say when an annotation was made, and which record it came with.
class SubmissionColumns {
 public:
  explicit SubmissionColumns(const AnnotationFile& file);
  std::vector<std::size_t> columns() const { return {time_, record_}; }
  // Tells the sink what the present record says of its last look.
  void tell() const;

 private:
  const AnnotationFile& file_;
  std::size_t time_, record_;
  std::string time_name_;
};

// One annotation per record: an item, an annotator and a cell of labels.
struct AnnotationColumns {
  std::size_t item, annotator, label;  // no annotator: that of the file
  bool texts_are_lists = true;         // a plain text may list several labels
  bool lists_are_paths = false;        // lists within a list are paths of nested choices
  // What the line says of its labels; nothing if it has no answer. Null: they are ticked.
  std::function<std::optional<Answer>()> vote = nullptr;
  // Tells the sink what else the line is unsure of; null: nothing.
  std::function<void()> also_unsure = nullptr;
};
// Reads them all; `is_rejected` may be null.
void read_annotation_lines(const AnnotationFile& file, const AnnotationColumns& columns,
                           const std::function<bool()>& is_rejected = nullptr);

}  // namespace sieve
