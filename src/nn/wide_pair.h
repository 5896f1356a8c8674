#pragma once

#include "nn/adam.h"
#include "nn/mlp.h"
#include "nn/wide_mlp.h"

namespace sieve {

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
