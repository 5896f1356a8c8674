#include "data/features_part.h"

#include <numeric>

#include "labelsieve/files.h"

namespace sieve {
namespace {

template <class T>
Array<T> mapped_part(const Array<T>& all, std::size_t first, std::size_t last) {
  const auto* begin = reinterpret_cast<const char*>(all.data() + first);
  const auto offset = static_cast<std::size_t>(begin - all.file()->bytes().data());
  return Array<T>(AlignedBytes(all.file(), offset, (last - first) * sizeof(T)));
}

Features mapped_part(const Matrix& all, std::size_t first, std::size_t last) {
  const std::size_t stride = all.stride();
  return Matrix(last - first, all.cols(), mapped_part(all.values(), first * stride, last * stride));
}

Features mapped_part(const CsrMatrix& all, std::size_t first, std::size_t last) {
  const std::uint64_t begin = all.starts[first], end = all.starts[last];
  CsrMatrix part{
      all.cols, {}, mapped_part(all.columns, begin, end), mapped_part(all.values, begin, end)};
  for (std::size_t i = first; i <= last; ++i) part.starts.push_back(all.starts[i] - begin);
  return part;
}

}  // namespace

Features features_part(const Features& all, std::size_t first, std::size_t last) {
  if (all.is_mapped())
    return all.is_sparse() ? mapped_part(all.sparse(), first, last)
                           : mapped_part(all.dense(), first, last);
  std::vector<std::size_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return all.select_rows(rows);
}

}  // namespace sieve
