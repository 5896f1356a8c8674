#include "data/mat/unpacked_matrix.h"

#include <algorithm>

#include "base/paging.h"
#include "data/mat/scratch_file.h"

namespace sieve {
namespace {

void give_back_all(const MappedFile& file) {
  give_back(file, file.bytes());
}

}  // namespace

UnpackedMatrix::UnpackedMatrix(const Mat5File& file, const MatVariable& variable, bool across,
                               const MappedFile& packed, ThreadPool* pool)
    : rows_(variable.shape[across]), cols_(variable.shape[!across]), across_(across) {
  ScratchFile scratch;
  scratch.drop_name();
  file.unpack_features(variable, pool, [&](std::span<const float> numbers) {
    scratch.write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
    give_back_all(packed);
  });
  numbers_ = scratch.map();
}

void UnpackedMatrix::copy_rows(std::size_t first, Matrix& to) const {
  if (!numbers_) return;  // no columns
  const auto* from = reinterpret_cast<const float*>(numbers_->bytes().data());
  if (!across_) return gather_rows(from + first, to);
  for (std::size_t i = 0; i < to.rows(); ++i)
    std::copy_n(from + (first + i) * cols_, cols_, to.row(i).data());
}

// Some columns at a time, so that whole pieces of the rows are written.
void UnpackedMatrix::gather_rows(const float* from, Matrix& to) const {
  constexpr std::size_t kWide = 8;
  for (std::size_t first = 0; first < cols_; first += kWide) {
    const std::size_t last = std::min(first + kWide, cols_);
    for (std::size_t i = 0; i < to.rows(); ++i)
      for (std::size_t j = first; j < last; ++j) to(i, j) = from[j * rows_ + i];
  }
}

void UnpackedMatrix::give_back() const {
  if (numbers_) give_back_all(*numbers_);
}

}  // namespace sieve
