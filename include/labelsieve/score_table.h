#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/files.h"
#include "labelsieve/matrix.h"

namespace sieve {

// A table of scores, rows x labels, with the names of the columns if the file has them.
struct ScoreTable {
  std::vector<std::string> names;
  std::vector<std::string> ids;  // one per row, or empty
  MatrixD values;
};

// The names in the first line of such a table: a column of ids where the rows have them, a column
// of row numbers, counted from 0, then a column for each label.
inline constexpr std::string_view kIdColumn = "id", kRowColumn = "row", kScoreMark = "score:";

// Reads the scores of `labels` (in any order) as CSV or TSV, plain or gzip, "-" for standard input,
// in double precision. The first line holds names if its columns are marked as above, if they are
// the labels, or one is not a number. Error(Data) with line and column for row numbers that are not
// 0, 1, 2, ..., a row of another length and anything that is not a finite number. Whether columns
// and rows are those of the truth is for the caller to compare.
ScoreTable read_score_table(const std::string& path, const std::vector<std::string>& labels,
                            FileSystem& files = FileSystem::real());

}  // namespace sieve
