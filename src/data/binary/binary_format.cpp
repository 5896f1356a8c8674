#include "data/binary/binary_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "labelsieve/matrix.h"

namespace sieve::binary {
namespace {

constexpr std::size_t kTooMuch = std::size_t{1} << 56;
constexpr std::size_t kLanes = 8;
constexpr std::uint64_t kFactor = 0x9FB21C651E98DF25U, kStart = 0x9E3779B97F4A7C15U;

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kTooMuch : std::min(out, kTooMuch);
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  return std::rotl((state ^ word) * kFactor, 31);
}

}  // namespace

Layout::Layout(const Shape& shape, const Extras& extras, const MoreExtras& more) : end(kAlignment) {
  const auto place = [&](std::size_t count, std::size_t width) {
    const Section section{end, product(count, width)};
    end = std::min(aligned(end + section.size), kTooMuch);
    return section;
  };
  const std::size_t rows = std::min<std::size_t>(shape.rows, kTooMuch);
  const std::size_t words = product(rows, shape.labels / 64 + (shape.labels % 64 != 0));
  if (shape.has(kSparse)) {
    starts = place(rows + 1, sizeof(std::uint64_t));
    columns = place(shape.entries, sizeof(std::uint32_t));
    values = place(shape.entries, sizeof(float));
  } else {
    const std::size_t cols = std::min<std::size_t>(shape.features, kTooMuch);
    dense = place(product(rows, padded_stride(cols)), sizeof(float));
  }
  candidates = place(words, sizeof(std::uint64_t));
  truth = place(shape.has(kTruth) ? words : 0, sizeof(std::uint64_t));
  if (shape.has(kIds)) {
    id_ends = place(rows, sizeof(std::uint64_t));
    ids = place(extras.id_bytes, 1);
  }
  if (shape.has(kVotes)) {
    first_annotations = place(rows + 1, sizeof(std::uint64_t));
    annotators = place(extras.annotations, sizeof(std::uint32_t));
    first_ticks =
        place(std::min<std::size_t>(extras.annotations, kTooMuch) + 1, sizeof(std::uint64_t));
    ticked = place(extras.ticks, sizeof(std::uint32_t));
  }
  if (shape.has(kUnsure)) {
    first_unsure =
        place(std::min<std::size_t>(extras.annotations, kTooMuch) + 1, sizeof(std::uint64_t));
    unsure = place(more.unsure, sizeof(std::uint32_t));
  }
  if (shape.has(kKinds)) kinds = place(extras.annotators, sizeof(AnnotatorKind));
  if (shape.has(kGrades)) grades = place(extras.ticks, 1);
}

std::uint64_t checksum(std::string_view bytes) {
  std::array<std::uint64_t, kLanes> state, words;
  for (std::size_t l = 0; l < kLanes; ++l) state[l] = kStart + l;
  const std::size_t length = bytes.size();
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), sizeof(words));
    if (piece < sizeof(words)) words.fill(0);
    std::memcpy(words.data(), bytes.data(), piece);
    for (std::size_t l = 0; l < kLanes; ++l) state[l] = mixed(state[l], words[l]);
    bytes.remove_prefix(piece);
  }
  std::uint64_t sum = length;
  for (const std::uint64_t lane : state) sum = mixed(sum, lane);
  return sum ^ (sum >> 32);
}

}  // namespace sieve::binary
