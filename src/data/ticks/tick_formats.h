#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/ticks/tick_records.h"
#include "data/ticks/tick_sink.h"
#include "labelsieve/ticks.h"

namespace sieve {

// A file of ticks on its way into a sink.
struct TickFile {
  TickRecords& records;
  const std::string& path;
  const TickOptions& options;
  std::string person;  // whose file it is, where it does not say itself
  TickSink& sink;
};

// All that the rest of the program knows of a layout.
struct TickFormat {
  std::string name;
  bool (*looks_like)(const TickRecords& records);  // by names and first records
  void (*read)(const TickFile& file);
};

// The particular before the general: the first that a file looks like is taken.
const std::vector<TickFormat>& all_tick_formats();
// The one that is asked for, else the one that it looks like. Error(Usage) for a name that is not
// in the table, Error(Data) where the file looks like none.
const TickFormat& tick_format_of(const TickRecords& records, const TickOptions& options,
                                 const std::string& path);

// ---- for the layouts ----------------------------------------------------------------------------

// Names of columns, the more telling first; upper case, blanks and marks do not count.
using ColumnNames = std::vector<std::string_view>;
extern const ColumnNames kItemNames, kPersonNames, kLabelNames;

// The column that the user has named (Error(Usage) if there is none), else the first of `names`
// that is there; npos for none.
std::size_t find_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& path);
// The same, but Error(Data) for none: "cannot tell which column has the <what>".
std::size_t need_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& what, const std::string& path);
[[noreturn]] void refuse_columns(const TickRecords& records, const std::string& what,
                                 const std::string& path);

// The cells of a column in the first records.
std::vector<std::string> sample_of(const TickRecords& records, std::size_t column);
// Whether there are any that are not empty, and all of these pass.
bool sample_is(const TickRecords& records, std::size_t column,
               const std::function<bool(std::string_view)>& test);
bool has_columns(const TickRecords& records, std::initializer_list<std::string_view> names);
// Those whose name passes.
std::vector<std::size_t> columns_where(const TickRecords& records,
                                       const std::function<bool(std::string_view)>& test);

// One judgement per record: an item, a person and a cell of labels.
struct JudgementColumns {
  std::size_t item, person, label;  // no person: that of the file
  bool texts_are_lists = true;      // a plain text may list several labels
};
// Reads them all; `is_rejected` may be null.
void read_judgements(const TickFile& file, const JudgementColumns& columns,
                     const std::function<bool()>& is_rejected = nullptr);

}  // namespace sieve
