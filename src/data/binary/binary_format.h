#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/data_io.h"

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

namespace sieve {

// Writes a binary data file from front to back. Dense sets may come in blocks of rows: all that is
// kept of those is their labels and ids and one checksum a mebibyte.
class BinaryWriter {
 public:
  BinaryWriter(OutputStream& out, WriteOptions::Labels labels);

  // The next rows. All blocks need the same features and labels; sparse features and votes come in
  // one. Error(Data) at the end if an id stands twice.
  // Error(Usage) if the truth is wanted and there is none.
  void add(const Dataset& block);
  void finish();
  DataShape shape() const { return {shape_.rows, shape_.features, shape_.labels}; }

 private:
  void begin(const Dataset& first);
  void put_ids();
  void put_votes();
  void add_labels(const LabelMatrix& labels, Array<std::uint64_t>& words);
  void put(std::string_view bytes);
  template <class T>
  void put_values(const T* values, std::size_t count);
  void align();
  std::string footer() const;

  OutputStream& out_;
  WriteOptions::Labels labels_;
  bool begun_ = false;
  binary::Shape shape_;
  binary::Extras extras_;
  binary::MoreExtras more_extras_;
  std::vector<std::string> ids_;
  std::shared_ptr<const Votes> votes_;
  std::vector<std::string> label_names_, feature_names_;
  Array<std::uint64_t> candidates_, truth_;
  std::string block_;  // what is not written yet
  std::size_t written_ = 0;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace sieve
