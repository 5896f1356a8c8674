#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/arff/arff_header.h"
#include "data/arff/arff_line.h"
#include "labelsieve/dataset.h"

namespace sieve {

// The rows of one block. Labels are kept as the list of those that differ from what is absent.
struct ArffPart {
  std::size_t bytes = 0;
  std::vector<float> values;           // dense: all of each row
  std::vector<std::uint32_t> columns;  // sparse: one a value
  std::vector<std::uint64_t> ends;     // sparse: values up to the end of each row
  std::vector<std::uint32_t> flips;
  std::vector<std::uint64_t> flip_ends;  // one per row

  std::size_t rows() const { return flip_ends.size(); }
};

// Turns the text of rows into parts, all dense or all sparse. Safe to use from many threads.
class ArffRowParser {
 public:
  ArffRowParser(const ArffHeader& header, const LabelMask& labels, bool sparse,
                const std::string& path);

  void parse(const TextBlock& block, ArffPart& part) const;

  std::size_t features() const { return features_; }
  std::size_t labels() const { return columns_.size() - features_; }
  // The labels that are on in a row of which nothing is written.
  const std::vector<std::size_t>& labels_on_when_absent() const { return on_when_absent_; }

 private:
  enum class Usual : std::uint8_t { Number, Bit, Other };  // what most values look like
  struct Column {
    std::uint32_t slot;  // among the labels or among the features
    bool label;
    Usual usual;
    float absent;
  };

  // The next of the features that are not 0 when absent.
  using Filler = std::vector<std::pair<std::uint32_t, float>>::const_iterator;

  void parse_dense(ArffLine& line, const char* readable, ArffPart& part) const;
  void parse_sparse(ArffLine& line, ArffPart& part) const;
  void parse_entry(ArffLine& line, std::size_t& next, Filler& filler, ArffPart& part) const;
  void fill_up_to(std::size_t slot, Filler& filler, ArffPart& part) const;
  void check_fill(const ArffLine& line, const ArffPart& part) const;
  float value(ArffLine& line, std::size_t attribute) const;
  float unusual_value(ArffLine& line, std::size_t attribute) const;
  bool flips(ArffLine& line, std::size_t attribute, float value) const;
  std::string attributes() const;  // how many there are, for a message
  [[noreturn]] void refuse(const ArffLine& line, std::size_t column, const std::string& message,
                           const std::string& hint = {}) const;

  const ArffHeader& header_;
  const std::string& path_;
  bool sparse_;
  std::size_t features_ = 0;
  std::size_t leading_numbers_ = 0;  // features before any other column, the last one apart
  std::vector<Column> columns_;
  std::vector<std::size_t> on_when_absent_;
  std::vector<std::pair<std::uint32_t, float>> fill_;
};

}  // namespace sieve
