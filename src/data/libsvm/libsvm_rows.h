#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/text/text_lines.h"
#include "labelsieve/matrix.h"

namespace sieve {

// What the first line of a file of ours says: "# labelsieve features=103 labels=14".
struct LibsvmSize {
  std::size_t features = 0, labels = 0;
};
std::string to_string(const LibsvmSize& size);
std::optional<LibsvmSize> parse_libsvm_size(std::string_view line);

// The numbers seen in one place of the format.
struct NumberRange {
  std::size_t limit = 0;  // one more than the largest
  bool zero = false;      // 0 is among them

  void add(const NumberRange& other) {
    limit = std::max(limit, other.limit);
    zero = zero || other.zero;
  }
  void add(std::uint64_t number) { add(NumberRange{number + 1, number == 0}); }
  std::size_t first() const { return zero ? 0 : 1; }
};

// The rows of one block, with labels and indices by their number in the file.
struct LibsvmPart {
  std::size_t bytes = 0;
  std::vector<std::uint32_t> labels;
  std::vector<std::uint64_t> label_ends;  // one per row
  CsrMatrix features;
  NumberRange label_range, column_range;
};

// Fills `part`, which holds nothing but memory for use. Throws Error(Data) with the place of what
// cannot be read or does not fit `size`.
void parse_libsvm(const TextBlock& block, const std::string& path,
                  const std::optional<LibsvmSize>& size, LibsvmPart& part);

}  // namespace sieve
