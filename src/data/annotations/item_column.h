#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/annotations/annotation_formats.h"

namespace sieve {

// Columns of a table whose name or content lets them name the items, the more telling name first;
// `taken` are known to be something else.
std::vector<std::size_t> item_candidates(const AnnotationRecords& records,
                                         const std::vector<std::size_t>& taken,
                                         const RowIds* ids = nullptr);

// Every column, but for those that are taken and those whose name says that they hold no items.
std::vector<std::size_t> open_columns(const AnnotationRecords& records,
                                      const std::vector<std::size_t>& taken);

// Error(Data) that asks which of these columns names the items.
[[noreturn]] void ask_for_items(const AnnotationFile& file,
                                const std::vector<std::size_t>& columns);

// What a table says of the columns that may name its items.
class ItemEvidence {
 public:
  ItemEvidence(const AnnotationRecords& records, std::vector<std::size_t> candidates,
               std::size_t annotator, std::size_t label, const RowIds* ids);

  void add(const std::vector<std::string>& record);
  // The candidates that are left. A column whose values all differ does not name items where
  // another one repeats across annotators: it numbers the records. A column does not name items
  // either where annotators give the same label to the same value again and again: it names groups
  // of items. Of the others the one that has the name of the data's ids, else the one whose values
  // are ids of the data.
  std::vector<std::size_t> left() const;
  // Whether all values of a candidate differ.
  bool all_differ(std::size_t column) const;
  // Candidates whose values come again by other annotators and do not name groups of items.
  std::vector<std::size_t> shared() const;

 private:
  struct Candidate {
    std::size_t column;
    std::size_t filled = 0, found = 0, doubles = 0;  // cells; ids of the data; said before
    bool all_differ = true, across_annotators = false;
    std::unordered_map<std::size_t, std::size_t> annotator_of{};  // by hash of the value
    std::unordered_set<std::size_t> said{};
    double share() const;
    bool names_groups() const { return doubles * 5 > filled; }
  };
  std::vector<const Candidate*> plausible() const;

  const AnnotationRecords& records_;
  std::vector<Candidate> candidates_;
  std::size_t annotator_, label_;
  const RowIds* ids_;
  std::size_t records_seen_ = 0;
};

// The column with the items of a table: the one that is asked for, else the one that the first
// records point to. Error(Data) that asks where several do.
class ItemColumn {
 public:
  ItemColumn(const AnnotationFile& file, std::size_t annotator, std::size_t label,
             const std::vector<std::size_t>& taken);

  std::size_t column() const { return column_; }
  // Takes in the current record.
  void see();
  // Once all records were seen. Error(Data) that asks where they point to another column than the
  // first ones did, or where the column only numbers the records while one without a telling name
  // repeats across annotators, as items do.
  void confirm() const;

 private:
  std::size_t first_of_same_items(const std::vector<std::size_t>& columns) const;

  const AnnotationFile& file_;
  std::vector<std::size_t> candidates_;
  std::size_t column_;
  ItemEvidence evidence_;
  ItemEvidence others_;  // the column and those that neither are candidates nor known as others
  bool open_ = false;    // whether there was anything to choose
  bool guessed_ = false;
};

// Words of a column that says yes or no: 1/0, 1/-1, yes/no, true/false, y/n, t/f, on/off, or that
// the annotator is unsure.
class VoteWords {
 public:
  // What a cell says; nothing where it is none of these words, or says "no" by 0 where others say
  // it by -1.
  std::optional<Vote> read(std::string_view cell);

 private:
  bool zero_ = false, minus_ = false;
};

// The column of a long table that says whether the label of a line was ticked: the one that is
// asked for, else a further column whose name and values say so. npos for none. Error(Data) that
// asks where a further column may be one: by its name, or by its values if each line has one label.
// `used` are the columns with a known meaning; columns that stay without one are named in a note.
std::size_t vote_column(const AnnotationFile& file, const std::vector<std::size_t>& used,
                        bool one_label_per_line);

// Whether there are only yes and no in the first records of a column, and both of them.
bool says_yes_and_no(const AnnotationRecords& records, std::size_t column);

}  // namespace sieve
