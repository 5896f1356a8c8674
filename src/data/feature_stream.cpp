#include "data/feature_stream.h"

#include <algorithm>
#include <utility>

#include "linalg/paging.h"

namespace sieve {

std::size_t take_rows(const RowSource& source, ThreadPool* pool, std::size_t rows_before,
                      const TakeFeatures& take) {
  struct Rows {
    std::size_t first = 0, last = 0;
  };
  // As many as fit a core's cache; fewer than 32 would waste work on the shapes of the networks.
  const std::size_t height = std::clamp<std::size_t>((1U << 16) / (source.cols + 1), 32, 512);
  std::size_t next = 0, kept = 0;
  FeatureStream<Rows> stream(
      [&](Rows& rows) {
        if (next - kept >= kWindowRows) source.give_back(), kept = next;
        rows = {next, std::min(next + height, source.rows)};
        next = rows.last;
        return rows.first < rows.last;
      },
      [&](const Rows& rows, FeatureBlock& block) {
        source.copy(rows.first, rows.last, block.features);
        if (source.ids.empty()) return;
        const auto ids = source.ids.subspan(rows.first, rows.last - rows.first);
        block.ids.assign(ids.begin(), ids.end());
      },
      source.names, take);
  return stream.run(pool, rows_before);
}

std::size_t take_features(const Features& features, std::vector<std::string> names,
                          ThreadPool* pool, std::size_t rows_before, const TakeFeatures& take,
                          std::span<const std::string> ids) {
  return take_rows({features.rows(), features.cols(), std::move(names),
                    [&](std::size_t first, std::size_t last, Features& into) {
                      into = features.slice(first, last);
                    },
                    [&] { give_back(features); }, ids},
                   pool, rows_before, take);
}

Matrix& dense_room(Features& place, std::size_t rows, std::size_t cols) {
  if (place.is_sparse() || is_mapped(place) || place.cols() != cols) place = Matrix(rows, cols);
  place.dense().resize_rows(rows);
  return place.dense();
}

}  // namespace sieve
