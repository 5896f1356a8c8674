#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "nn/kernels.h"
#include "nn/panel.h"

namespace sieve {

// How a batch is cut up: into parts of neighbouring rows. What is summed over the batch is summed
// for each part alone, and the parts are added as a binary tree. Ranks have neighbouring parts, as
// many each: the bits depend on the number of parts, not on how many ranks share them.
class BatchParts {
 public:
  struct Rows {
    std::size_t first, last;
    std::size_t count() const { return last - first; }
  };

  // Error(Usage) unless `count` is a power of two and each rank can have a part.
  explicit BatchParts(std::size_t count = 1, Team* team = nullptr);

  std::size_t count() const { return count_; }           // of all ranks
  std::size_t mine() const { return count_ / ranks(); }  // of this rank
  std::size_t first() const {
    return team_ != nullptr ? team_->rank() * mine() : 0;
  }  // part of this rank
  Team* team() const { return team_; }
  // Error(Usage) unless there are rows (`what`) for every part.
  void require_rows(std::size_t rows, const std::string& what) const;

  // Of a batch of `rows` rows: part `part`, and all parts of this rank.
  Rows rows_of(std::size_t part, std::size_t rows) const;
  Rows my_rows(std::size_t rows) const;
  // The i-th part of this rank, counted from the first row of this rank.
  Rows my_part(std::size_t i, std::size_t rows) const;
  // No batch of up to `rows` rows has more on one rank.
  std::size_t most_of_mine(std::size_t rows) const;

  // `values` has one slot a part. This rank has filled those of its parts; afterwards all are.
  template <class T>
  void gather(std::span<T> values) const {
    if (team_ != nullptr) gather_bytes(std::as_writable_bytes(values));
  }
  // How many buffers a sum needs: one for each part of this rank, and with a team one to exchange.
  std::size_t buffers() const { return mine() + (team_ != nullptr ? 1 : 0); }
  // `values` is buffers() times `size` numbers, the first mine() of them filled. The first becomes
  // the sum over all parts of all ranks. What is zero in all parts stays zero in their buffers.
  template <class Real>
  void sum(ThreadPool& pool, std::span<Real> values, std::size_t size) const;

 private:
  std::size_t ranks() const { return team_ != nullptr ? team_->size() : 1; }
  void gather_bytes(std::span<std::byte> bytes) const;

  std::size_t count_;
  Team* team_;
};

// out = dropout(act(norm(in * W) )), or dropout(act(in * W + shift)) without batch norm.
struct LayerSpec {
  std::size_t width;
  Activation activation = Activation::LeakyRelu;
  bool batch_norm = false;
  double dropout = 0;  // rounded to a multiple of 1/256
};

struct MlpSpec {
  std::size_t inputs;
  std::vector<LayerSpec> layers;
  double slope = 0.2;          // of the leaky ReLU
  double norm_epsilon = 1e-5;  // added to variances
};

// Where a layer's numbers lie in the one buffer of parameters: weights (inputs x outputs, rows
// `stride` apart), a shift for each output and, with batch norm, a scale.
struct LayerPlace {
  std::size_t inputs, outputs, input_stride, stride;
  std::size_t weights, shift, scale;
};

// What a network is given: rows of a dense matrix, or the rows `rows` of a sparse one. With
// `centre` (one number per input) the network sees x - centre, which costs no pass over the data
// because it is folded into the first shift. A first layer with batch norm leaves it out: it takes
// off the mean of what it sees. `centred` lists the inputs whose centre is not 0; empty: any.
template <class Real>
struct Input {
  View<const Real> dense{};
  const CsrMatrix* sparse = nullptr;
  std::span<const std::size_t> sparse_rows{};
  const Real* centre = nullptr;
  std::span<const std::uint32_t> centred{};

  std::size_t rows() const { return sparse ? sparse_rows.size() : dense.rows; }
};

// Dropout while training, none otherwise. Its masks are a function of (seed, step, row of the
// batch, layer).
struct Mode {
  bool training = false;
  std::uint64_t seed = 0, step = 0;
  std::size_t batch_rows = 0;  // with those of other ranks; 0: the input is all
};

// Rows that are worked on at once.
struct RowBlock {
  std::size_t first, rows;
};

// What one forward pass leaves for its backward pass. Sized once, for at most `max_rows` rows.
template <class Real>
struct MlpContext {
  struct Layer {
    Panel<Real> out, delta;
    Array<Real> partial;    // two sums per block and column
    Array<Real> part_sums;  // the same of every part of the batch
    // With batch norm: what is normalised, its moments, scale / deviation, and for the way back the
    // mean gradient and its slope against `sums`.
    Panel<Real> sums;
    Array<Real> mean, variance, factor, mean_delta, slope;
    Array<std::uint64_t> mask;
    std::size_t mask_words = 0;
  };
  std::vector<Layer> layers;
  Array<Real> first_shift;  // with the centre folded in
  Array<Real> transposed;   // weights the other way round
  Input<Real> input;
  Mode mode;
  BatchParts parts;
  std::vector<RowBlock> blocks;
  std::size_t rows = 0;        // of this rank
  std::size_t batch_rows = 0;  // of all ranks

  View<const Real> output() const { return layers.back().out.view(rows); }
  // Where the gradient with respect to output() has to stand before backward, which spoils it.
  View<Real> output_gradient() { return layers.back().delta.view(rows); }
  // After backward, of a batch in one part: the gradient of the first layer's sums, and that summed
  // over the rows.
  View<const Real> first_delta() const { return layers.front().delta.view(rows); }
  const Real* first_delta_sum() const { return layers.front().part_sums.data(); }
};

// Calls visit(i) for the inputs whose centre is not 0.
template <class Real, class Visit>
void for_each_centred(const Input<Real>& input, std::size_t inputs, const Visit& visit) {
  if (input.centre == nullptr) return;
  for (const std::uint32_t i : input.centred) visit(std::size_t{i});
  if (!input.centred.empty()) return;
  for (std::size_t i = 0; i < inputs; ++i) visit(i);
}

// What backward is asked for: gradients of the parameters (null for a frozen network; a buffer for
// each part of this rank, which BatchParts::sum adds up), set or added, and the gradient of the
// inputs (no data when not wanted; stride as in the first layer). Without `first_weights` those of
// the first layer are left out, and the gradients begin with its shift.
template <class Real>
struct Wanted {
  Real* gradients = nullptr;
  bool add = false;
  View<Real> inputs{};
  bool first_weights = true;
};

// A multi-layer perceptron: shapes and arithmetic. It holds no numbers: parameters, gradients and
// the optimiser's state are plain buffers of parameter_count(), all laid out alike, padding zero.
//
// Rows are worked on in blocks of fixed height and sums over blocks are taken in a fixed order: the
// bits do not depend on the number of threads. Batch statistics are those of all ranks: with a team
// all ranks call forward and backward together. Nothing is allocated by forward and backward.
template <class Real>
class Mlp {
 public:
  explicit Mlp(MlpSpec spec);

  const MlpSpec& spec() const { return spec_; }
  const std::vector<LayerPlace>& layers() const { return places_; }
  std::size_t parameter_count() const { return parameter_count_; }
  // Those behind the weights of the first layer.
  std::size_t rest_at() const { return places_.front().shift; }
  std::size_t rest_count() const { return parameter_count_ - rest_at(); }
  std::size_t outputs() const { return places_.back().outputs; }

  // Weights and shifts uniform in +-1/sqrt(inputs); with batch norm scale 1 and shift 0.
  Array<Real> initial_parameters(std::uint64_t seed) const;
  // For batches of up to `max_rows` rows, with those of other ranks.
  MlpContext<Real> context(std::size_t max_rows, const BatchParts& parts = BatchParts()) const;

  // Fills context.output(). Batch norm takes the statistics of the batch, whatever the mode.
  void forward(ThreadPool& pool, const Real* parameters, const Input<Real>& input, const Mode& mode,
               MlpContext<Real>& context) const;
  // Takes context.output_gradient() back through the pass that filled the context, with the same
  // parameters. The input of that pass must still be there.
  void backward(ThreadPool& pool, const Real* parameters, MlpContext<Real>& context,
                const Wanted<Real>& wanted) const;

 private:
  bool has_batch_norm(std::size_t layer) const { return spec_.layers[layer].batch_norm; }
  bool has_dropout(std::size_t layer, const MlpContext<Real>& context) const {
    return context.mode.training && context.layers[layer].mask_words > 0;
  }
  ActivationRule<Real> rule(std::size_t layer, const MlpContext<Real>& context) const;

  using Index = std::size_t;
  using Context = MlpContext<Real>;
  struct Columns {
    std::size_t first, count;
  };
  void cut_up(Context& context) const;
  void fold_centre(const Real* parameters, Context& context) const;
  void multiply(Index layer, Index block, const Real* parameters, Context& context) const;
  void take_statistics(Index layer, const Real* parameters, Context& context) const;
  void set_factor(Index layer, const Real* parameters, Context& context) const;
  void add_up(Index layer, Context& context) const;
  void draw_mask(Index layer, Index block, Context& context) const;
  void normalise_block(Index layer, Index block, const Real* parameters, Context& context) const;
  void finish_columns(Index layer, Index block, Columns columns, const Real* parameters,
                      Context& context) const;
  void backward_block(Index upper, Index lower, Index block, Context& context,
                      View<Real> inputs) const;
  void enter_layer(Index layer, Index block, Columns columns, Context& context) const;
  void leave_layer(Index layer, Index block, Context& context, View<Real> inputs) const;
  void transpose_weights(ThreadPool& pool, const Real* parameters, Index lowest,
                         Context& context) const;
  Real* gradient_of(std::size_t at, Index part, const Wanted<Real>& wanted) const;
  void weight_gradients(ThreadPool& pool, Context& context, const Wanted<Real>& wanted) const;
  void row_gradients(Index part, Context& context, const Wanted<Real>& wanted) const;

  MlpSpec spec_;
  std::vector<LayerPlace> places_;
  std::size_t parameter_count_ = 0;
};

}  // namespace sieve
