#include "methods/network/windows.h"

#include <algorithm>

#include "data/prepare/shuffled.h"
#include "linalg/paging.h"

namespace sieve {

std::vector<std::size_t> windowed_order(std::span<const std::size_t> rows, std::uint64_t seed,
                                        std::uint64_t epoch) {
  const std::size_t windows = (rows.size() + kWindowRows - 1) / kWindowRows;
  Random among_windows(seed, Purpose::Shuffle, epoch, windows);
  std::vector<std::size_t> order;
  order.reserve(rows.size());
  for (const std::size_t w : shuffled_indices(windows, among_windows)) {
    const std::size_t first = w * kWindowRows;
    const std::size_t begin = order.size();
    const auto window = rows.subspan(first, std::min(kWindowRows, rows.size() - first));
    order.insert(order.end(), window.begin(), window.end());
    Random(seed, Purpose::Shuffle, epoch, w).shuffle(std::span(order).subspan(begin));
  }
  return order;
}

}  // namespace sieve
