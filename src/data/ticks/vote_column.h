#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "data/ticks/tick_formats.h"

namespace sieve {

// Words of a column that says yes or no: 1/0, 1/-1, yes/no, true/false, y/n, t/f, on/off.
class VoteWords {
 public:
  // What a cell says; nothing where it is none of these words, or says "no" by 0 where others say
  // it by -1.
  std::optional<bool> read(std::string_view cell);

 private:
  bool zero_ = false, minus_ = false;
};

// The column of a long table that says whether the label of a line was ticked: the one that is
// asked for, else a further column whose name and values say so. npos for none. Error(Data) that
// asks where a further column may be one: by its name, or by its values if each line has one label.
// `used` are the columns with a known meaning; columns that stay without one are named in a note.
std::size_t vote_column(const TickFile& file, const std::vector<std::size_t>& used,
                        bool one_label_per_line);

// Whether there are only yes and no in the first records of a column, and both of them.
bool says_yes_and_no(const TickRecords& records, std::size_t column);

}  // namespace sieve
