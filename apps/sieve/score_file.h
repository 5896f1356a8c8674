#pragma once

#include <string>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// A table of numbers: rows x labels, with the names of the columns if the file has them.
struct Scores {
  std::vector<std::string> names;
  MatrixD values;
};

// Reads CSV or TSV (cut by comma, tab, semicolon or bar; gzip or not; "-" for standard input) in
// double precision. The first line is a header if any of its fields is no number. Error(Data) with
// line and column for a ragged row and anything that is not a finite number.
Scores read_scores(const std::string& path);

}  // namespace sieve
