#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "labelsieve/matrix.h"
#include "linalg/compute.h"
#include "nn/adam.h"
#include "nn/kernels.h"
#include "nn/mlp.h"

namespace sieve {

// How layers of very many features are cut up: into tiles of features, and the rows of a batch
// inside a tile, so that what is worked on stays in the cache. Fixed numbers: nothing here may
// depend on the number of threads.

constexpr std::size_t kTileFeatures = 256;
constexpr std::size_t kTileRows = 256;
// Sums over features are taken in this many groups of neighbouring tiles, then over the groups.
constexpr std::size_t kTileGroups = 16;

struct Tile {
  std::size_t index, first, count;  // features [first, first + count)
};

constexpr std::size_t tile_count(std::size_t features) {
  return (features + kTileFeatures - 1) / kTileFeatures;
}

// Calls body(group, tile) for every tile. Those of one group come one after the other.
template <class Body>
void for_tiles(ThreadPool& pool, std::size_t features, const Body& body) {
  const std::size_t tiles = tile_count(features);
  compute(pool, kTileGroups, [&](std::size_t group) {
    for (std::size_t t = group * tiles / kTileGroups; t < (group + 1) * tiles / kTileGroups; ++t) {
      const std::size_t first = t * kTileFeatures;
      body(group, Tile{t, first, std::min(kTileFeatures, features - first)});
    }
  });
}

// Elementwise work goes in blocks of kBlockRows rows.
template <class T>
View<T> row_block(View<T> rows, std::size_t block) {
  const std::size_t first = block * kBlockRows;
  return {rows.row(first), std::min(kBlockRows, rows.rows - first), rows.cols, rows.stride};
}

// Calls visit(feature - tile.first, value) for what a sparse row holds inside a tile.
template <class Visit>
void for_entries(const CsrMatrix& rows, std::size_t i, const Tile& tile, const Visit& visit) {
  const CsrMatrix::Row row = rows.row(i);
  auto entry = static_cast<std::size_t>(std::ranges::lower_bound(row.columns, tile.first) -
                                        row.columns.begin());
  for (; entry < row.columns.size() && row.columns[entry] < tile.first + tile.count; ++entry)
    visit(row.columns[entry] - tile.first, row.values[entry]);
}

// What a pass of a WideMlp leaves for the way back. Sized once, for the largest batch.
template <class Real>
struct WidePass {
  Panel<Real> first, delta;  // what the first layer gives, and the gradient of its sums
  Array<Real> shift;         // of the first layer, with the centre folded in
  Panel<Real> leans;         // the centre times the weights, a row a group of tiles
  Array<Real> partial, sum;  // of delta: for each block of rows, and over all rows
  Array<std::uint64_t> mask;
  std::size_t mask_words = 0;
  MlpContext<Real> rest;  // of the layers above, where there are any
  Input<Real> input;
  Mode mode;
  std::size_t rows = 0;
};

// A network with inputs so numerous that the first layer's gradient is never written out: it is
// made and used up (by Adam) a tile of inputs at a time. Parameters are laid out as those of Mlp
// with the same shape; the first layer has no batch norm. Same bits for any number of threads;
// nothing is allocated after construction.
template <class Real>
class WideMlp {
 public:
  explicit WideMlp(const MlpSpec& spec);

  const Mlp<Real>& mlp() const { return mlp_; }
  const LayerPlace& first() const { return mlp_.layers().front(); }
  WidePass<Real> pass(std::size_t max_rows) const;
  View<const Real> output(const WidePass<Real>& pass) const;
  // Where the gradient of the output has to stand before backward, which spoils it.
  View<Real> output_gradient(WidePass<Real>& pass) const;

  void forward(ThreadPool& pool, const Real* parameters, const Input<Real>& input, const Mode& mode,
               WidePass<Real>& pass) const;
  // The same for rows of which pass.first already holds the first layer's sums, with `centre` taken
  // off.
  void forward_from_sums(ThreadPool& pool, const Real* parameters, const Real* centre,
                         std::size_t rows, const Mode& mode, WidePass<Real>& pass) const;

  enum class Above { Frozen, Set, Add };  // what to do with the gradients of the layers above
  // From the output's gradient to pass.delta.
  void backward(ThreadPool& pool, const Real* parameters, Above above, WidePass<Real>& pass);

  // Adds the gradient of the first layer's weights from the rows of a pass; for a tile of inputs.
  void add_gradient(const WidePass<Real>& pass, const Tile& tile, Real* gradient) const;
  // Moves all parameters by the gradients of the passes that went backward. begin(group, tile,
  // gradient) sets what add_gradient of the passes is added to.
  template <class Begin>
  void update(ThreadPool& pool, const AdamStep<Real>& adam,
              std::initializer_list<const WidePass<Real>*> passes, const Begin& begin) {
    for_tiles(pool, first().inputs, [&](std::size_t group, const Tile& tile) {
      Real* gradient = room_.row(group);
      begin(group, tile, gradient);
      for (const WidePass<Real>* pass : passes) add_gradient(*pass, tile, gradient);
      adam.move(first().weights + tile.first * first().stride,
                {gradient, tile.count * first().stride});
    });
    update_rest(adam, passes);
  }
  // Where all rows came through forward.
  void update(ThreadPool& pool, const AdamStep<Real>& adam, const WidePass<Real>& pass) {
    update(pool, adam, {&pass}, [&](std::size_t, const Tile& tile, Real* gradient) {
      std::fill_n(gradient, tile.count * first().stride, Real(0));
    });
  }
  // The same without the weights of the first layer.
  void update_rest(const AdamStep<Real>& adam, std::initializer_list<const WidePass<Real>*> passes);

 private:
  using Pass = WidePass<Real>;
  void fold_centre(ThreadPool& pool, const Real* parameters, Pass& pass) const;
  void multiply(std::size_t block, const Real* parameters, Pass& pass) const;
  void finish(ThreadPool& pool, const Real* parameters, Pass& pass) const;
  void drop(std::size_t block, Pass& pass) const;
  ActivationRule<Real> rule(const Pass& pass) const;

  Mlp<Real> mlp_;
  std::optional<Mlp<Real>> rest_;  // the layers above the first
  std::size_t rest_at_;            // where their parameters begin
  Array<Real> rest_gradients_, shift_gradient_;
  Panel<Real> room_;  // the gradient of a tile, a row a group
};

// What a pair keeps of the rows that were made.
constexpr std::size_t kKeptBytes = std::size_t{192} << 20;

// Weights with one row per feature: those of the generator's last layer (its shift, one per
// feature, beside them) and those of the discriminator's first.
template <class Real>
struct PairWeights {
  const Real *generator, *shift, *discriminator;
};

// The last layer of a generator and the first of a discriminator, with more features between them
// than anyone wants to write out for a whole batch: x = tanh(G h + shift), sums = x D. Both ways
// the work goes through tiles of features; on the way back x is made anew where it was not kept.
//
// Same bits for any number of threads. All memory is taken at construction.
template <class Real>
class WidePair {
 public:
  struct Shape {
    std::size_t features, hidden, width;  // width: of the discriminator's first layer
  };
  // At most `rows` rows are judged and `targets` rows are to be made.
  WidePair(const Shape& shape, std::size_t rows, std::size_t targets,
           std::size_t kept_bytes = kKeptBytes);

  // sums (rows x width) = (x - centre) D of the rows made from `hidden`, which must stay for the
  // way back. No `centre`: 0.
  void forward(ThreadPool& pool, const PairWeights<Real>& weights, View<const Real> hidden,
               const Real* centre, View<Real> sums);

  // What reaches the generator: the gradient of the sums of the last forward (no data: there was
  // none), and rows that it should make from `hidden`, by weight * squared error. Sets the
  // gradients of both `hidden`.
  struct Judged {
    View<const Real> delta{};
    View<Real> hidden_gradient{};
  };
  struct Wished {
    View<const Real> hidden{};
    const Input<Real>* rows = nullptr;
    const Real* base = nullptr;  // is added to the rows
    Real weight = 0;
    View<Real> hidden_gradient{};
  };
  // Moves G and the shift, whose places `adam` gets, and returns the weighted squared error.
  struct Place {
    std::size_t generator, shift;
  };
  double backward(ThreadPool& pool, const PairWeights<Real>& weights, const AdamStep<Real>& adam,
                  const Place& place, const Judged& judged, const Wished& wished);

  // gradient (features of the tile x width) = x^T delta, of the rows of the last forward.
  void discriminator_gradient(const PairWeights<Real>& weights, std::size_t group, const Tile& tile,
                              View<const Real> delta, Real* gradient);

 private:
  // Hidden rows, also the other way round, and room for the sums of each group of tiles.
  struct Side {
    View<const Real> hidden{};
    Panel<Real> turned;
    Array<Real> sums;
  };
  struct Rows {
    std::size_t first, count;
  };
  struct Room {
    Array<Real> x, gradient, weights, shift, targets;
  };
  Side side(std::size_t rows) const;
  void make(const PairWeights<Real>& weights, const Side& side, const Tile& tile, const Rows& rows,
            Room& room, View<Real> x) const;
  Real* kept(const Tile& tile, const Rows& rows);
  View<const Real> judged_rows(const PairWeights<Real>& weights, const Tile& tile, const Rows& rows,
                               Room& room);
  template <class Fill>
  void backward_rows(const PairWeights<Real>& weights, std::size_t group, const Tile& tile,
                     Side& side, const Rows& rows, View<const Real> x, const Fill& fill);
  double miss(const Wished& wished, const Tile& tile, const Rows& rows, View<const Real> x,
              Room& room, View<Real> gradient) const;
  void begin_sums(ThreadPool& pool, Side& side) const;
  void add_sums(ThreadPool& pool, const Side& side, View<Real> to) const;
  void add_leans(ThreadPool& pool, View<Real> to);
  Real* group_sums(Side& side, std::size_t group, const Rows& rows) const;

  Shape shape_;
  std::size_t stride_, width_stride_, sum_stride_;
  std::size_t kept_stride_, kept_tiles_;
  Array<Real> kept_;
  Side judged_, wished_;
  Panel<Real> leans_;  // the centre times D, a row a group of tiles
  Panel<Real> delta_turned_;
  std::vector<Room> rooms_;  // one a group
  std::vector<double> losses_;
};

}  // namespace sieve
