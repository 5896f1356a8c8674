#include "data/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>

#include "data/recipe/table.h"
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
  void add(std::string_view text) {
    add(text.size());
    for (const char letter : text) add(static_cast<unsigned char>(letter));
  }
  void add(const std::vector<std::string>& names) {
    add(names.size());
    for (const std::string& name : names) add(std::string_view(name));
  }
  // A number in its column; there is nothing to say of 0.
  void add_entry(std::size_t column, float number) {
    if (number == 0 || std::isnan(number)) return;
    add(column);
    add(std::bit_cast<std::uint32_t>(number));
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

std::uint64_t row_fingerprint(const RawTable& table, const CellTexts::ByRow& texts,
                              std::size_t row) {
  Hash hash;
  for (std::size_t j = 0; j < table.columns(); ++j) hash.add_entry(j, table.numbers(row, j));
  texts.for_each(row, [&](const CellTexts::Cell& cell, std::string_view text) {
    hash.add(cell.column);
    hash.add(text);
  });
  return hash.value;
}

std::uint64_t row_fingerprint(const Features& x, std::size_t row, RowRoom& room) {
  Hash hash;
  const RowEntries entries = x.row(row, room);
  for (std::size_t e = 0; e < entries.count; ++e)
    hash.add_entry(x.is_sparse() ? entries.columns[e] : e, entries.values[e]);
  return hash.value;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> row_fingerprints(const Dataset& data,
                                                           std::span<const std::size_t> rows) {
  std::vector<std::uint64_t> out;
  if (data.cells && data.cells->rows() != 0) {
    const CellTexts::ByRow texts(data.cells->texts, data.rows());
    for (const std::size_t row : rows) out.push_back(row_fingerprint(*data.cells, texts, row));
    return out;
  }
  if (data.recipe || data.features.cols() == 0) return std::nullopt;
  RowRoom room;
  for (const std::size_t row : rows) out.push_back(row_fingerprint(data.features, row, room));
  return out;
}

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
