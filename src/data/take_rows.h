#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

namespace sieve {

// Rows of features that can be had in any order.
struct RowSource {
  std::size_t rows, cols;
  std::vector<std::string> names;
  // Rows [first, last), on several threads at once. What `into` holds before is free for use.
  std::function<void(std::size_t first, std::size_t last, Features& into)> copy;
  std::function<void()> give_back;     // nothing that was looked at so far is needed again
  std::span<const std::string> ids{};  // of the rows, or none
};
// What read_features does with them. As those of that kind above, it gives the number of rows so
// far, those of the files before included.
std::size_t take_rows(const RowSource& source, ThreadPool* pool, std::size_t rows_before,
                      const TakeFeatures& take);
std::size_t take_features(const Features& features, std::vector<std::string> names,
                          ThreadPool* pool, std::size_t rows_before, const TakeFeatures& take,
                          std::span<const std::string> ids = {});
// A dense matrix in `place`, in the memory of the one before where that fits: fresh memory for
// every block would cost as much as reading it. What it holds means nothing.
Matrix& dense_room(Features& place, std::size_t rows, std::size_t cols);

}  // namespace sieve
