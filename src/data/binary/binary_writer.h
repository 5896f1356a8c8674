#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/binary/binary_format.h"
#include "labelsieve/data_io.h"

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
