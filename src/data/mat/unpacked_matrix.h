#pragma once

#include <cstddef>
#include <memory>

#include "data/mat/mat5.h"
#include "labelsieve/files.h"

namespace sieve {

// The full matrix of a variable, as float32 numbers in the order of the file. It is on disk, so
// that it may be larger than memory.
class UnpackedMatrix {
 public:
  // `packed` is what `file` reads from: its pages are given back on the way.
  UnpackedMatrix(const Mat5File& file, const MatVariable& variable, bool across,
                 const MappedFile& packed, ThreadPool* pool);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  // The rows from `first` on, as many as `to` has. Several threads may do so at once.
  void copy_rows(std::size_t first, Matrix& to) const;
  void give_back() const;

 private:
  void gather_rows(const float* from, Matrix& to) const;

  std::size_t rows_, cols_;
  bool across_;  // the samples are columns of the variable
  std::shared_ptr<const MappedFile> numbers_;
};

}  // namespace sieve
