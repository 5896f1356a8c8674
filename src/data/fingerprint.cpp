#include "data/fingerprint.h"

#include <fmt/format.h>

#include <bit>

#include "linalg/paging.h"

namespace sieve {
namespace {

class Hash {
 public:
  void add(std::uint64_t word) {
    value = (value ^ word) * 0x9e3779b97f4a7c15U;
    value ^= value >> 32;
  }
  void add(std::span<const float> row) {
    for (const float each : row) add(std::bit_cast<std::uint32_t>(each));
  }
  void add(const std::vector<std::string>& names) {
    add(names.size());
    for (const std::string& name : names) {
      add(name.size());
      for (const char letter : name) add(static_cast<unsigned char>(letter));
    }
  }
  std::uint64_t value = 0;
};

void add_features(Hash& hash, const Features& x) {
  RowRoom room;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (i % kWindowRows == 0) give_back(x);
    const RowEntries row = x.row(i, room);
    if (x.is_sparse()) hash.add(row.count);
    for (std::size_t e = 0; e < row.count && x.is_sparse(); ++e) hash.add(row.columns[e]);
    hash.add(std::span(row.values, row.count));
  }
  give_back(x);
}

void add_labels(Hash& hash, const LabelMatrix& labels) {
  hash.add(labels.labels());
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (const std::uint64_t word : labels.words(i)) hash.add(word);
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Hash hash;
  hash.add(data.rows());
  hash.add(data.features.cols());
  add_features(hash, data.features);
  add_labels(hash, data.candidates);
  hash.add(data.truth ? 1 : 0);
  if (data.truth) add_labels(hash, *data.truth);
  hash.add(data.feature_names);
  hash.add(data.label_names);
  return fmt::format("{:016x}", hash.value);
}

}  // namespace sieve
