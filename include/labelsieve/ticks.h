#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/files.h"
#include "labelsieve/votes.h"

// Annotations, as annotation platforms export them (docs/formats/ticks.md).
namespace sieve {

struct TickOptions {
  std::string path{};    // a file, plain or gzip, or a folder or zip of them; "" for no ticks
  std::string looked{};  // a table of item and person: who looked, whatever they ticked
  std::string format{};  // one of tick_format_names(); else recognised by content
  // The columns (or keys) with the item, the person and the labels; else recognised by name.
  std::string item{}, person{}, label{};
  // Long tables: the column that says yes or no to the label of a line, "none" if none does; else
  // recognised by name and content.
  std::string value{};
  // Names of the columns of a table whose first line has none: "item", "annotator", "label", ...
  std::vector<std::string> columns{};
  // What the items are: one of item_kinds(). Else ids, or row numbers in a column named "row".
  std::string items_are{};
  // Between several labels in one cell, "tab", or "none" where a text is one label; else recognised
  // where it is plain.
  std::string separator{};
  // Words that mean that there is no label, with commas between; else n/a, nan, null and the like,
  // and it is asked about none, na and the like.
  std::optional<std::string> empty_words{};
  bool merge_case = false;  // names that differ only by case or spaces are one
  // Which of several annotations of one person for one item count: one of repeat_rules(). Else the
  // last, and it is asked where that cannot be told from several ticks.
  std::string repeats{};
  bool all_people = false;   // also judgements that were rejected or cover only some labels
  bool keep_unseen = false;  // also rows that nobody looked at
};

// "long", "mturk", ...
std::vector<std::string> tick_format_names();
// "ids"; "row-numbers", from 0 or from 1, whichever fits; "row-numbers-from-0",
// "row-numbers-from-1".
std::vector<std::string> item_kinds();
// "last", "first", "union".
std::vector<std::string> repeat_rules();

// Annotations as they were read. The rows of the votes are the items, in the order of the file;
// labels stand in the order of their bytes.
struct Ticks {
  std::vector<std::string> items, labels;
  Votes votes;
  std::string item_column{};  // the column with the items, if it was a table
};

// Reads ticks; options.path must be set. A person who ticked nothing has looked, where the file
// says so (a judgement without a label); a file that lists ticks alone cannot, which a note says
// unless `looked` tells. Memory: that of the names, 4 bytes per tick and up to 48 per annotation,
// then that of the votes.
// Throws Error(Io) and Error(Data) as read_dataset() does, Error(Usage) for a column that is not
// there.
Ticks read_ticks(const TickOptions& options, FileSystem& files = FileSystem::real(),
                 std::vector<std::string>* notes = nullptr);

// Gives each row of the data the votes on it, and its candidates: what anybody ticked, and what it
// had before, unless that was the truth. Rows and items are joined by id, or by row number where
// options.items_are or a column of items named "row" says so; Error(Data) for data without ids
// otherwise. Labels of the data come first, then those that only ticks have. Rows that nobody
// looked at are left out unless options.keep_unseen. Notes tell what did not match. Error(Data) if
// nothing matches.
void join_ticks(Dataset& data, Ticks ticks, const TickOptions& options,
                std::vector<std::string>* notes = nullptr);

// Writes the votes of the data as CSV, one tick per line: id (or row, counted from 0, where there
// are no ids), person, label. A look without a tick is a line without a label. read_ticks() reads
// it back. Error(Usage) if it has no votes.
void write_ticks(const Dataset& data, OutputStream& out);

}  // namespace sieve
