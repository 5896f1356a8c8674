#include "nn/wide_mlp.h"

#include <numeric>

#include "linalg/products.h"
#include "nn/losses.h"

namespace sieve {
namespace {

constexpr std::size_t kTileStride = row_stride(kTileRows);
constexpr std::size_t kTileCells = kTileFeatures * kTileStride;

// Calls body({first, count}) for the rows of a batch, a tile's height at a time.
template <class Body>
void for_rows(std::size_t rows, const Body& body) {
  for (std::size_t first = 0; first < rows; first += kTileRows)
    body({first, std::min(kTileRows, rows - first)});
}

// Columns of `to` are rows of `from`.
template <class Real>
void turn(ThreadPool& pool, View<const Real> from, Panel<Real>& to) {
  compute(pool, block_count(from.rows), [&](std::size_t block) {
    const std::size_t first = block * kBlockRows;
    transpose_strip(from.data, from.stride, from.width(), first,
                    std::min(from.rows, first + kBlockRows), to.row(0), to.stride());
  });
}

}  // namespace

template <class Real>
WidePair<Real>::WidePair(const Shape& shape, std::size_t rows, std::size_t targets,
                         std::size_t kept_bytes)
    : shape_(shape),
      stride_(padded_width(shape.hidden)),
      width_stride_(padded_width(shape.width)),
      sum_stride_(std::max(stride_, width_stride_)),
      kept_stride_((rows + kTileRows - 1) / kTileRows * kTileCells),
      kept_tiles_(std::min(tile_count(shape.features), kept_bytes / (kept_stride_ * sizeof(Real)))),
      kept_(kept_tiles_ * kept_stride_),
      judged_(side(rows)),
      wished_(side(targets)),
      leans_(kTileGroups, shape.width),
      delta_turned_(width_stride_, rows),
      rooms_(kTileGroups),
      losses_(tile_count(shape.features)) {
  for (Room& room : rooms_)
    room = {Array<Real>(kTileCells), Array<Real>(kTileCells), Array<Real>(kTileFeatures * stride_),
            Array<Real>(kTileFeatures), Array<Real>(kTileCells)};
}

template <class Real>
typename WidePair<Real>::Side WidePair<Real>::side(std::size_t rows) const {
  Side side;
  side.turned = Panel<Real>(stride_, rows);
  side.sums = Array<Real>(kTileGroups * rows * sum_stride_);
  return side;
}

template <class Real>
Real* WidePair<Real>::group_sums(Side& side, std::size_t group, const Rows& rows) const {
  return side.sums.data() + (group * side.hidden.rows + rows.first) * sum_stride_;
}

template <class Real>
void WidePair<Real>::begin_sums(ThreadPool& pool, Side& side) const {
  const std::size_t size = side.hidden.rows * sum_stride_;
  compute(pool, kTileGroups,
          [&](std::size_t group) { std::fill_n(side.sums.data() + group * size, size, Real(0)); });
}

template <class Real>
void WidePair<Real>::add_sums(ThreadPool& pool, const Side& side, View<Real> to) const {
  compute(pool, block_count(to.rows), [&](std::size_t block) {
    const View<Real> rows = row_block(to, block);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const Real* part = side.sums.data() + (block * kBlockRows + i) * sum_stride_;
      std::fill_n(rows.row(i), to.width(), Real(0));
      for (std::size_t group = 0; group < kTileGroups; ++group)
        axpy(Real(1), part + group * to.rows * sum_stride_, rows.row(i), to.width());
    }
  });
}

// x of a tile: one feature a row, one row of the batch a column.
template <class Real>
void WidePair<Real>::make(const PairWeights<Real>& weights, const Side& side, const Tile& tile,
                          const Rows& rows, Room& room, View<Real> x) const {
  const View<Real> sums{room.gradient.data(), tile.count, rows.count, kTileStride};
  gemm<Real>(
      tile.count, rows.count, shape_.hidden, {weights.generator + tile.first * stride_, stride_},
      {side.turned.row(0) + rows.first, side.turned.stride()}, false, sums.data, sums.stride);
  kernels<Real>().tanh_features(sums, weights.shift + tile.first, x);
}

// Where x is kept between the ways, or null. The tiles that are kept lie evenly among all.
template <class Real>
Real* WidePair<Real>::kept(const Tile& tile, const Rows& rows) {
  const std::size_t tiles = tile_count(shape_.features);
  const std::size_t slot = tile.index * kept_tiles_ / tiles;
  if ((tile.index + 1) * kept_tiles_ / tiles == slot) return nullptr;
  return kept_.data() + slot * kept_stride_ + rows.first / kTileRows * kTileCells;
}

// x of the last forward once more.
template <class Real>
View<const Real> WidePair<Real>::judged_rows(const PairWeights<Real>& weights, const Tile& tile,
                                             const Rows& rows, Room& room) {
  const Real* place = kept(tile, rows);
  const View<Real> x{room.x.data(), tile.count, rows.count, kTileStride};
  if (place != nullptr) return {place, x.rows, x.cols, x.stride};
  make(weights, judged_, tile, rows, room, x);
  return x;
}

template <class Real>
void WidePair<Real>::forward(ThreadPool& pool, const PairWeights<Real>& weights,
                             View<const Real> hidden, const Real* centre, View<Real> sums) {
  judged_.hidden = hidden;
  turn(pool, hidden, judged_.turned);
  begin_sums(pool, judged_);
  for (std::size_t group = 0; group < kTileGroups; ++group)
    std::fill_n(leans_.row(group), width_stride_, Real(0));
  for_tiles(pool, shape_.features, [&](std::size_t group, const Tile& tile) {
    for (std::size_t i = tile.first; centre != nullptr && i < tile.first + tile.count; ++i)
      axpy(-centre[i], weights.discriminator + i * width_stride_, leans_.row(group), width_stride_);
    for_rows(hidden.rows, [&](const Rows& rows) {
      Real* place = kept(tile, rows);
      const View<Real> x{place != nullptr ? place : rooms_[group].x.data(), tile.count, rows.count,
                         kTileStride};
      make(weights, judged_, tile, rows, rooms_[group], x);
      gemm<Real>(rows.count, width_stride_, tile.count, {x.data, x.stride, true},
                 {weights.discriminator + tile.first * width_stride_, width_stride_}, true,
                 group_sums(judged_, group, rows), sum_stride_);
    });
  });
  add_sums(pool, judged_, sums);
  add_leans(pool, sums);
}

template <class Real>
void WidePair<Real>::add_leans(ThreadPool& pool, View<Real> to) {
  for (std::size_t group = 1; group < kTileGroups; ++group)
    axpy(Real(1), leans_.row(group), leans_.row(0), width_stride_);
  compute(pool, block_count(to.rows), [&](std::size_t block) {
    const View<Real> rows = row_block(to, block);
    for (std::size_t i = 0; i < rows.rows; ++i)
      axpy(Real(1), leans_.row(0), rows.row(i), width_stride_);
  });
}

template <class Real>
double WidePair<Real>::backward(ThreadPool& pool, const PairWeights<Real>& weights,
                                const AdamStep<Real>& adam, const Place& place,
                                const Judged& judged, const Wished& wished) {
  const bool judges = judged.delta.data != nullptr, wishes = wished.rows != nullptr;
  if (judges) {
    turn(pool, judged.delta, delta_turned_);
    begin_sums(pool, judged_);
  }
  if (wishes) {
    wished_.hidden = wished.hidden;
    turn(pool, wished.hidden, wished_.turned);
    begin_sums(pool, wished_);
  }
  for_tiles(pool, shape_.features, [&](std::size_t group, const Tile& tile) {
    Room& room = rooms_[group];
    std::fill_n(room.weights.data(), tile.count * stride_, Real(0));
    std::fill_n(room.shift.data(), tile.count, Real(0));
    losses_[tile.index] = 0;
    if (judges)
      for_rows(judged_.hidden.rows, [&](const Rows& rows) {
        const View<const Real> x = judged_rows(weights, tile, rows, room);
        backward_rows(weights, group, tile, judged_, rows, x, [&](View<Real> gradient) {
          gemm<Real>(tile.count, rows.count, shape_.width,
                     {weights.discriminator + tile.first * width_stride_, width_stride_},
                     {delta_turned_.row(0) + rows.first, delta_turned_.stride()}, false,
                     gradient.data, gradient.stride);
        });
      });
    if (wishes)
      for_rows(wished_.hidden.rows, [&](const Rows& rows) {
        const View<Real> x{room.x.data(), tile.count, rows.count, kTileStride};
        make(weights, wished_, tile, rows, room, x);
        backward_rows(weights, group, tile, wished_, rows, x, [&](View<Real> gradient) {
          losses_[tile.index] += miss(wished, tile, rows, x, room, gradient);
        });
      });
    adam.move(place.generator + tile.first * stride_, {room.weights.data(), tile.count * stride_});
    adam.move(place.shift + tile.first, {room.shift.data(), tile.count});
  });
  if (judges) add_sums(pool, judged_, judged.hidden_gradient);
  if (wishes) add_sums(pool, wished_, wished.hidden_gradient);
  return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

// From the gradient of x, which fill(gradient) sets, to those of the weights and of `hidden`.
template <class Real>
template <class Fill>
void WidePair<Real>::backward_rows(const PairWeights<Real>& weights, std::size_t group,
                                   const Tile& tile, Side& side, const Rows& rows,
                                   View<const Real> x, const Fill& fill) {
  Room& room = rooms_[group];
  const View<Real> gradient{room.gradient.data(), tile.count, rows.count, kTileStride};
  fill(gradient);
  kernels<Real>().backward_tanh_features(x, gradient, room.shift.data());
  gemm<Real>(tile.count, stride_, rows.count, {gradient.data, gradient.stride},
             {side.hidden.row(rows.first), side.hidden.stride}, true, room.weights.data(), stride_);
  gemm<Real>(rows.count, stride_, tile.count, {gradient.data, gradient.stride, true},
             {weights.generator + tile.first * stride_, stride_}, true,
             group_sums(side, group, rows), sum_stride_);
}

// The squared error of a tile of the rows that are wished for, and its gradient.
template <class Real>
double WidePair<Real>::miss(const Wished& wished, const Tile& tile, const Rows& rows,
                            View<const Real> x, Room& room, View<Real> gradient) const {
  const View<Real> target{room.targets.data(), tile.count, rows.count, kTileStride};
  for (std::size_t f = 0; f < tile.count; ++f)
    std::fill_n(target.row(f), target.cols, wished.base[tile.first + f]);
  const Input<Real>& wish = *wished.rows;
  for (std::size_t i = 0; i < rows.count; ++i)
    if (wish.sparse != nullptr)
      for_entries(*wish.sparse, wish.sparse_rows[rows.first + i], tile,
                  [&](std::size_t f, float value) { target(f, i) += static_cast<Real>(value); });
    else
      for (std::size_t f = 0; f < tile.count; ++f)
        target(f, i) += wish.dense(rows.first + i, tile.first + f);
  return squared_error<Real>(x, target, wished.weight, gradient);
}

template <class Real>
void WidePair<Real>::discriminator_gradient(const PairWeights<Real>& weights, std::size_t group,
                                            const Tile& tile, View<const Real> delta,
                                            Real* gradient) {
  for_rows(delta.rows, [&](const Rows& rows) {
    const View<const Real> x = judged_rows(weights, tile, rows, rooms_[group]);
    gemm<Real>(tile.count, width_stride_, rows.count, {x.data, x.stride},
               {delta.row(rows.first), delta.stride}, rows.first > 0, gradient, width_stride_);
  });
}

template class WidePair<float>;
template class WidePair<double>;

}  // namespace sieve
