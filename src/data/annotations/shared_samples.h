#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/annotations/annotation_records.h"

namespace sieve {

// Files with the same columns are parts of one export: what their columns mean is decided by the
// first records of all of them, however few each has. As many as of a file alone, an equal share of
// each file, and none twice: exports may overlap.
class SharedSamples {
 public:
  // What a file, which its path names, begins with.
  void add(const AnnotationRecords& records);
  // Lets a file that was added show them.
  void share_with(AnnotationRecords& records) const;

 private:
  using Records = std::vector<AnnotationRecords::Record>;
  using Parts = std::vector<std::pair<std::string, Records>>;  // by path
  static std::size_t share_of(std::size_t files);

  std::map<std::vector<std::string>, Parts> parts_;  // by the names of the columns
};

}  // namespace sieve
