#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops of growing a tree. All in whole numbers, so every target gives the same.
//
// Rows of a node are numbered 0, 1, ... `rows`; sets of them are bits, 64 a word, and a plane is
// the set of rows that have a label. Buffers of codes and bits are padded to a multiple of kRowPad
// rows.
namespace sieve {

constexpr std::size_t kRowPad = 64;
constexpr std::size_t padded_rows(std::size_t rows) {
  return (rows + 16 + kRowPad - 1) / kRowPad * kRowPad;  // a small vector may be put behind
}

// The codes of a feature in the rows of a node.
struct NodeCodes {
  std::uint8_t* codes = nullptr;         // room for padded_rows(rows) of them
  const std::uint8_t* column = nullptr;  // null: they are there; else codes[i] = column[rows[i]]
  const std::uint32_t* rows = nullptr;
};

// The labels of a node's rows as words of bits, row by row: quicker than planes where one side of a
// cut has few rows, as with sparse features.
struct LabelWords {
  const std::uint64_t* words = nullptr;  // of all rows, `per_row` apart; null: not to be used
  std::size_t per_row = 0;
  const std::uint32_t* rows = nullptr;    // of the node
  const std::uint64_t* vary = nullptr;    // the labels that there are planes of
  const std::uint32_t* totals = nullptr;  // one per label
  std::uint32_t* room = nullptr;          // one per label; zeros, and so again in the end
  std::size_t cost = 1;                   // of a row, as against a word of a plane
};

// The labels of a node.
struct LabelPlanes {
  std::size_t rows = 0, words = 0, count = 0;  // count: planes, words apart
  const std::uint64_t* planes = nullptr;
  const std::uint32_t* totals = nullptr;  // the size of each plane
  std::uint64_t total_squares = 0;        // the sum of totals^2
  std::size_t least = 1;                  // rows on either side of a cut
  // How much rows count, in bits: plane b, `words` apart, has the rows whose weight has bit b. No
  // bits: every row counts 1. Sizes are then sums of weights.
  std::size_t weight_bits = 0;
  const std::uint64_t* weight_planes = nullptr;
  std::size_t weight = 0;     // of all rows, where they have bits
  LabelWords row_words = {};  // of rows that count 1

  std::size_t total() const { return weight_bits > 0 ? weight : rows; }
};
constexpr std::size_t kMostWeightBits = 4;

struct Cut {
  double gain = -1;       // sum of c^2 / n over labels and sides, c of n rows having it; -1: no cut
  std::uint8_t code = 0;  // the last below it
  bool constant = false;  // all codes are the same
};

// The same labels row by row, as numbers of 0 or the weight of the row, and a last one of the
// weight: it counts the rows.
constexpr std::size_t kLabelLanes = 16;
struct LabelRows {
  std::size_t lanes = 0;                       // a multiple of kLabelLanes
  const std::uint8_t* rows = nullptr;          // rows x lanes
  const std::uint32_t* totals = nullptr;       // one per lane
  const std::int16_t* small_totals = nullptr;  // the same, for rows of less than 2^14 in all
  std::uint64_t total_squares = 0;
};

// Rows of bytes: of `count` of them, the first `columns`. kBytesAtOnce may be read from each place.
struct ByteRows {
  static constexpr std::size_t kBytesAtOnce = 16;
  const std::uint8_t* first = nullptr;  // row 0, and how far the next is
  std::size_t step = 0;
  const std::uint32_t* rows = nullptr;
  std::size_t count = 0, columns = 0;
};

// For the processor at hand.
struct SplitKernels {
  // to[j * stride + i] becomes byte j of rows[i]. Both may be written up to a multiple of
  // kBytesAtOnce.
  void (*turn)(const ByteRows& from, std::size_t stride, std::uint8_t* to);
  // planes[k * words] becomes the set of rows whose byte has bit k, for the 8 bits; counts[k] its
  // size.
  void (*planes_of_bits)(const std::uint8_t* bytes, std::size_t rows, std::uint64_t* planes,
                         std::size_t words, std::uint32_t* counts);
  // Divides rows: those in the set come first in `rows` then, the others in `second`. Both keep
  // their order. Returns how many are first. `second` has room for `count` and kRowPad more.
  std::size_t (*divide)(std::uint32_t* rows, std::size_t count, const std::uint64_t* set,
                        std::uint32_t* second);
  // One cut between two different codes, by a random number. `set` becomes the rows below it.
  Cut (*random_cut)(const LabelPlanes& labels, const NodeCodes& of, std::uint32_t random,
                    std::uint64_t* set);
  // The best of all cuts. `room` holds 257 x lanes zeros, and does so again in the end.
  Cut (*best_cut)(const LabelPlanes& labels, const LabelRows& rows, const NodeCodes& of,
                  std::uint32_t* room, std::uint64_t* set);
};
SplitKernels split_kernels();

}  // namespace sieve
