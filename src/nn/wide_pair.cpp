#include "nn/wide_pair.h"

#include <numeric>

#include "linalg/gemm.h"
#include "nn/blocks.h"
#include "nn/losses.h"
#include "nn/tile_kernels.h"

namespace sieve {
namespace {

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
    transpose_strip(from.data, from.stride, first, std::min(from.rows, first + kBlockRows),
                    to.row(0), to.stride());
  });
}

}  // namespace

template <class Real>
WidePair<Real>::WidePair(const Shape& shape, std::size_t rows, std::size_t targets)
    : shape_(shape),
      stride_(padded_width(shape.hidden)),
      width_stride_(padded_width(shape.width)),
      sum_stride_(std::max(stride_, width_stride_)),
      judged_(side(rows)),
      wished_(side(targets)),
      delta_turned_(width_stride_, rows),
      rooms_(kTileGroups),
      losses_(tile_count(shape.features)) {
  constexpr std::size_t cells = kTileFeatures * kTileRows;
  for (Room& room : rooms_)
    room = {Array<Real>(cells), Array<Real>(cells), Array<Real>(kTileFeatures * stride_),
            Array<Real>(kTileFeatures), Array<Real>(cells)};
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
    const std::size_t first = block * kBlockRows;
    for (std::size_t i = first; i < std::min(to.rows, first + kBlockRows); ++i) {
      std::fill_n(to.row(i), to.stride, Real(0));
      for (std::size_t group = 0; group < kTileGroups; ++group)
        axpy(Real(1), side.sums.data() + (group * to.rows + i) * sum_stride_, to.row(i), to.stride);
    }
  });
}

// x of a tile: one feature a row, one row of the batch a column.
template <class Real>
View<Real> WidePair<Real>::made(const PairWeights<Real>& weights, const Side& side,
                                const Tile& tile, const Rows& rows, Room& room) const {
  const View<Real> x{room.x.data(), tile.count, rows.count, kTileRows};
  gemm<Real>(tile.count, rows.count, shape_.hidden,
             {weights.generator + tile.first * stride_, stride_},
             {side.turned.row(0) + rows.first, side.turned.stride()}, false, x.data, x.stride);
  tanh_features(weights.shift + tile.first, x);
  return x;
}

template <class Real>
void WidePair<Real>::forward(ThreadPool& pool, const PairWeights<Real>& weights,
                             View<const Real> hidden, View<Real> sums) {
  judged_.hidden = hidden;
  turn(pool, hidden, judged_.turned);
  begin_sums(pool, judged_);
  for_tiles(pool, shape_.features, [&](std::size_t group, const Tile& tile) {
    for_rows(hidden.rows, [&](const Rows& rows) {
      const View<Real> x = made(weights, judged_, tile, rows, rooms_[group]);
      gemm<Real>(rows.count, width_stride_, tile.count, {x.data, x.stride, true},
                 {weights.discriminator + tile.first * width_stride_, width_stride_}, true,
                 group_sums(judged_, group, rows), sum_stride_);
    });
  });
  add_sums(pool, judged_, sums);
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
      backward_tile(weights, group, tile, judged_,
                    [&](const Rows& rows, View<const Real>, View<Real> gradient) {
                      gemm<Real>(
                          tile.count, rows.count, shape_.width,
                          {weights.discriminator + tile.first * width_stride_, width_stride_},
                          {delta_turned_.row(0) + rows.first, delta_turned_.stride()}, false,
                          gradient.data, gradient.stride);
                    });
    if (wishes)
      backward_tile(weights, group, tile, wished_,
                    [&](const Rows& rows, View<const Real> x, View<Real> gradient) {
                      losses_[tile.index] += miss(wished, tile, rows, x, room, gradient);
                    });
    adam.move(place.generator + tile.first * stride_, {room.weights.data(), tile.count * stride_});
    adam.move(place.shift + tile.first, {room.shift.data(), tile.count});
  });
  if (judges) add_sums(pool, judged_, judged.hidden_gradient);
  if (wishes) add_sums(pool, wished_, wished.hidden_gradient);
  return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

// fill(rows, x, gradient) sets the gradient of x.
template <class Real>
template <class Fill>
void WidePair<Real>::backward_tile(const PairWeights<Real>& weights, std::size_t group,
                                   const Tile& tile, Side& side, const Fill& fill) {
  Room& room = rooms_[group];
  for_rows(side.hidden.rows, [&](const Rows& rows) {
    const View<const Real> x = made(weights, side, tile, rows, room);
    const View<Real> gradient{room.gradient.data(), tile.count, rows.count, kTileRows};
    fill(rows, x, gradient);
    backward_tanh_features(x, gradient, room.shift.data());
    gemm<Real>(tile.count, stride_, rows.count, {gradient.data, gradient.stride},
               {side.hidden.row(rows.first), stride_}, true, room.weights.data(), stride_);
    gemm<Real>(rows.count, stride_, tile.count, {gradient.data, gradient.stride, true},
               {weights.generator + tile.first * stride_, stride_}, true,
               group_sums(side, group, rows), sum_stride_);
  });
}

// The squared error of a tile of the rows that are wished for, and its gradient.
template <class Real>
double WidePair<Real>::miss(const Wished& wished, const Tile& tile, const Rows& rows,
                            View<const Real> x, Room& room, View<Real> gradient) const {
  const View<Real> target{room.targets.data(), tile.count, rows.count, kTileRows};
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
    const View<const Real> x = made(weights, judged_, tile, rows, rooms_[group]);
    gemm<Real>(tile.count, width_stride_, rows.count, {x.data, x.stride},
               {delta.row(rows.first), delta.stride}, rows.first > 0, gradient, width_stride_);
  });
}

template class WidePair<float>;
template class WidePair<double>;

}  // namespace sieve
