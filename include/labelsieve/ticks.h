#pragma once

#include <string>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/files.h"
#include "labelsieve/votes.h"

// Who ticked what, as the platforms for annotation export it (docs/formats/ticks.md).
namespace sieve {

struct TickOptions {
  std::string path{};    // a file, plain or gzip, or a folder or zip of them; "" for no ticks
  std::string looked{};  // a table of item and person: who looked, whatever they ticked
  std::string format{};  // one of tick_format_names(); else recognised by content
  // The columns (or keys) with the item, the person and the labels; else recognised by name.
  std::string item{}, person{}, label{};
  std::string separator{};  // between several labels in one cell; else recognised where it is plain
  bool all_people = false;  // also judgements that the platform or its owner has rejected
  bool keep_unseen = false;  // also rows that nobody looked at
};

// "long", "mturk", ...
std::vector<std::string> tick_format_names();

// Ticks as they were read. The rows of the votes are the items, in the order of the file; labels
// stand in the order of their bytes.
struct Ticks {
  std::vector<std::string> items, labels;
  Votes votes;
};

// Reads ticks; options.path must be set. A person who ticked nothing has looked, where the file
// says so (a judgement without a label); a file that lists ticks alone cannot, which a note says
// unless `looked` tells. Memory: that of the names and 12 bytes per tick, then that of the votes.
// Throws Error(Io) and Error(Data) as read_dataset() does, Error(Usage) for a column that is not
// there.
Ticks read_ticks(const TickOptions& options, FileSystem& files = FileSystem::real(),
                 std::vector<std::string>* notes = nullptr);

// Gives each row of the data the votes on it, and its candidates: what anybody ticked, and what it
// had before, unless that was the truth. Rows and items are joined by id; where the data has no
// ids, items must be row numbers, counted from 0 or from 1. Labels of the data come first, then
// those that only ticks have. Rows that nobody looked at are left out unless options.keep_unseen.
// Notes tell what did not match. Error(Data) if nothing matches.
void join_ticks(Dataset& data, Ticks ticks, const TickOptions& options,
                std::vector<std::string>* notes = nullptr);

// The votes of the data as CSV, one tick per line: id (or row number), person, label. A look
// without a tick is a line without a label. read_ticks() reads it back. Error(Usage) if it has no
// votes.
void write_ticks(const Dataset& data, OutputStream& out);

}  // namespace sieve
