#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The layout of the binary data file, as docs/formats/binary.md has it: what its writer and its
// reader have to agree on. Numbers are little-endian, as on every machine we run on.
namespace sieve::binary {

constexpr std::string_view kMagic = "SIEVEDAT", kEndMagic = "SIEVEEND";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kBlock = std::size_t{1} << 20;  // bytes with a checksum of their own
constexpr std::size_t kTrailer = 32;                  // the last bytes of the file

constexpr std::uint64_t kSparse = 1, kTruth = 2, kFeatureNames = 4, kIds = 8, kVotes = 16,
                        kUnsure = 32, kKinds = 64, kGrades = 128, kAllFlags = 255;

// The beginning of the footer.
struct Shape {
  std::uint64_t rows = 0, features = 0, labels = 0;
  std::uint64_t entries = 0;  // of sparse features
  std::uint64_t flags = 0;

  bool has(std::uint64_t flag) const { return (flags & flag) != 0; }
};

// In the footer of a file with ids or votes.
struct Extras {
  std::uint64_t id_bytes = 0, annotators = 0, annotations = 0, ticks = 0;
};

// In the footer of a file with unsure votes, behind the above.
struct MoreExtras {
  std::uint64_t unsure = 0;
};

// What is known of an annotator.
struct AnnotatorKind {
  std::uint32_t group = 0, program = 0;  // the group as in Votes; 1 for a program, else 0
};

struct Section {
  std::size_t offset = 0, size = 0;
};

// Where the parts of a file lie. Sizes that no file can have come out as larger than any file.
struct Layout {
  explicit Layout(const Shape& shape, const Extras& extras = {}, const MoreExtras& more = {});
  Section dense, starts, columns, values, candidates, truth;
  Section id_ends, ids, first_annotations, annotators, first_ticks, ticked;
  Section first_unsure, unsure, kinds, grades;
  std::size_t end = 0;  // of all of them, padding included: here the footer begins
};

// Any change within one aligned 8-byte word changes it for certain, any other change but for one in
// 2^64.
std::uint64_t checksum(std::string_view bytes);

constexpr std::size_t aligned(std::size_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

constexpr std::size_t block_count(std::size_t bytes) {
  return (bytes + kBlock - 1) / kBlock;
}

}  // namespace sieve::binary
