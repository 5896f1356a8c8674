#pragma once

#include <string>
#include <vector>

#include "labelsieve/files.h"

namespace sieve {

// The files that make up one data set.
struct SetParts {
  std::vector<std::string> tables;  // features and labels, to be stacked in this order
  std::string candidates, truth;    // label matrices apart; empty if there is none
  bool has_label_files() const { return !candidates.empty() || !truth.empty(); }
};

// Sorts the named files, or the files of the one named folder, into the parts of a set. Train files
// come before test files when a folder is read; named files keep their order. Error(Data) if a
// folder holds no data or more than one set.
SetParts find_parts(const std::vector<std::string>& paths, FileSystem& files);

}  // namespace sieve
