#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/label_choice.h"
#include "data/text/text_lines.h"

namespace sieve {

// The type of an attribute: a number, or one of a list of values. A listed value stands for itself
// if all in the list are numbers, else for its position in the list (from 0).
struct ArffType {
  std::vector<std::pair<std::string, float>> values;  // sorted; empty for a number
  bool binary = false;                                // no value but 0 and 1 is listed
  float absent = 0;  // what an entry that a sparse row leaves out stands for

  bool nominal() const { return !values.empty(); }
};

// All up to @data. The three vectors below have one entry an attribute; equal types are shared.
struct ArffHeader {
  std::string relation;
  std::vector<ArffType> types;
  std::vector<std::string> names;
  std::vector<std::uint32_t> type_of;
  std::vector<std::size_t> lines;

  const ArffType& type(std::size_t attribute) const { return types[type_of[attribute]]; }
};

ArffHeader read_arff_header(LineSource& source);

// Which attributes are labels: by the options, by -C in the relation line, or by a list in XML.
// Cuts a label prefix off from the names.
LabelMask arff_labels(ArffHeader& header, const std::string& path, const ReadOptions& options);

}  // namespace sieve
