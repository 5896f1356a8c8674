#include <algorithm>
#include <cmath>

#include "linalg/gemm.h"
#include "nn/blocks.h"

namespace sieve {
namespace {

// W(inputs x outputs) = in^T * delta for the inputs [first, last) of a sparse batch.
template <class Real>
void sparse_gradient(const Input<Real>& input, View<const Real> delta, std::size_t first,
                     std::size_t last, Real* gradient) {
  for (std::size_t i = 0; i < delta.rows; ++i) {
    const CsrMatrix::Row row = input.sparse->row(input.sparse_rows[i]);
    const auto begin = std::ranges::lower_bound(row.columns, first);
    for (auto column = begin; column != row.columns.end() && *column < last; ++column)
      axpy(static_cast<Real>(row.values[static_cast<std::size_t>(column - row.columns.begin())]),
           delta.row(i), gradient + *column * delta.stride, delta.stride);
  }
}

template <class Real>
void set_or_add(const Array<Real>& from, bool add, Real* to) {
  for (std::size_t j = 0; j < from.size(); ++j) to[j] = add ? to[j] + from[j] : from[j];
}

// Calls body(layer, first input, last input) for strips of the layers from `lowest` on, the
// topmost first. A wide sparse layer is cut into 64 strips.
template <class Real, class Body>
void for_strips(ThreadPool& pool, const std::vector<LayerPlace>& places, std::size_t lowest,
                bool sparse, const Body& body) {
  const auto height = [&](std::size_t l) {
    return l == 0 && sparse ? std::max(kStripInputs, places[0].inputs / 64) : kStripInputs;
  };
  const auto strips = [&](std::size_t l) { return (places[l].inputs + height(l) - 1) / height(l); };
  std::size_t count = 0;
  for (std::size_t l = lowest; l < places.size(); ++l) count += strips(l);
  compute(pool, count, [&](std::size_t strip) {
    std::size_t l = places.size() - 1;
    for (; strip >= strips(l); --l) strip -= strips(l);
    const std::size_t first = strip * height(l);
    body(l, first, std::min(places[l].inputs, first + height(l)));
  });
}

}  // namespace

// From the top down, a block of rows goes through as many layers as it can: down to the next batch
// norm, which needs the sums over all rows first. Weight gradients come last, all at once.
template <class Real>
void Mlp<Real>::backward(ThreadPool& pool, const Real* parameters, MlpContext<Real>& context,
                         const Wanted<Real>& wanted) const {
  const bool inputs_wanted = wanted.inputs.data != nullptr;
  if (context.rows >= kRowsWorthTransposing)
    transpose_weights(pool, parameters, inputs_wanted ? 0 : 1, context);
  for (std::size_t upper = places_.size(), lower; upper > 0; upper = lower) {
    lower = upper - 1;
    while (lower > 0 && !has_batch_statistics(lower, context.mode)) --lower;
    compute(pool, block_count(context.rows), [&](std::size_t block) {
      backward_block(upper, lower, block, parameters, context, wanted.inputs);
    });
    for (std::size_t l = lower; l < upper; ++l) add_up(l, context);
  }
  if (has_batch_statistics(0, context.mode))
    compute(pool, block_count(context.rows),
            [&](std::size_t block) { leave_layer(0, block, parameters, context, wanted.inputs); });
  if (wanted.gradients != nullptr) weight_gradients(pool, context, wanted);
}

// The sums over all rows that a layer's parameters and its batch norm need.
template <class Real>
void Mlp<Real>::add_up(std::size_t l, MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const BlockSums<Real> parts = all_block_sums<Real>(layer, context.rows);
  add_blocks(parts, 0, layer.sum.data());
  if (!spec_.layers[l].batch_norm) return;
  add_blocks(parts, 1, layer.scale_gradient.data());
  const Real share = Real(1) / static_cast<Real>(context.rows);
  const Real epsilon = static_cast<Real>(spec_.norm_epsilon);
  for (std::size_t j = 0; j < places_[l].outputs; ++j) {
    const Real variance = layer.variance[j] + epsilon;
    layer.mean_delta[j] = share * layer.sum[j];
    layer.slope[j] = share * layer.scale_gradient[j] / variance;
    layer.scale_gradient[j] /= std::sqrt(variance);
  }
}

// Layers upper - 1 down to lower; layer `upper`, if there is one, has its sums now and comes first.
template <class Real>
void Mlp<Real>::backward_block(std::size_t upper, std::size_t lower, std::size_t block,
                               const Real* parameters, MlpContext<Real>& context,
                               View<Real> inputs) const {
  if (upper < places_.size()) leave_layer(upper, block, parameters, context, inputs);
  for (std::size_t l = upper; l-- > lower;) {
    auto& layer = context.layers[l];
    const View<const Real> out = block_of(layer.out.view(context.rows), block);
    const View<Real> delta = block_of(layer.delta.view(context.rows), block);
    if (has_dropout(l, context))
      apply_mask(layer.mask.data() + block * kBlockRows * layer.mask_words, layer.mask_words,
                 static_cast<Real>(1 / DropoutRate(spec_.layers[l].dropout).keep()), delta);
    backward_activation(rule(l, context), out, delta, block_sums<Real>(layer, block, 0));
    if (spec_.layers[l].batch_norm)
      column_products<Real>(delta, block_of(layer.sums.view(context.rows), block),
                            layer.mean.data(), block_sums<Real>(layer, block, 1));
    if (!has_batch_statistics(l, context.mode)) leave_layer(l, block, parameters, context, inputs);
  }
}

// From the gradient of the normalised sums to that of the layer below's output.
template <class Real>
void Mlp<Real>::leave_layer(std::size_t l, std::size_t block, const Real* parameters,
                            MlpContext<Real>& context, View<Real> inputs) const {
  const LayerPlace& place = places_[l];
  auto& layer = context.layers[l];
  const View<Real> delta = block_of(layer.delta.view(context.rows), block);
  if (has_batch_statistics(l, context.mode))
    backward_normalisation<Real>(
        block_of(layer.sums.view(context.rows), block),
        {layer.mean.data(), layer.factor.data(), layer.mean_delta.data(), layer.slope.data()},
        delta);
  else if (spec_.layers[l].batch_norm)
    scale_columns(layer.factor.data(), delta);
  if (l == 0 && inputs.data == nullptr) return;
  const View<Real> below =
      block_of(l > 0 ? context.layers[l - 1].delta.view(context.rows) : inputs, block);
  const bool turned = context.rows >= kRowsWorthTransposing;
  const Operand<Real> weights =
      turned ? Operand<Real>{context.transposed.data() + place.weights, place.input_stride}
             : Operand<Real>{parameters + place.weights, place.stride, true};
  gemm<Real>(delta.rows, place.input_stride, place.outputs, {delta.data, delta.stride}, weights,
             false, below.data, below.stride);
}

template <class Real>
void Mlp<Real>::transpose_weights(ThreadPool& pool, const Real* parameters, std::size_t lowest,
                                  MlpContext<Real>& context) const {
  for_strips<Real>(pool, places_, lowest, false,
                   [&](std::size_t l, std::size_t first, std::size_t last) {
                     const LayerPlace& place = places_[l];
                     transpose_strip(parameters + place.weights, place.stride, first, last,
                                     context.transposed.data() + place.weights, place.input_stride);
                   });
}

template <class Real>
void Mlp<Real>::weight_gradients(ThreadPool& pool, MlpContext<Real>& context,
                                 const Wanted<Real>& wanted) const {
  const Input<Real>& input = context.input;
  for_strips<Real>(
      pool, places_, 0, input.sparse != nullptr,
      [&](std::size_t l, std::size_t first, std::size_t last) {
        const LayerPlace& place = places_[l];
        const View<const Real> delta = context.layers[l].delta.view(context.rows);
        Real* gradient = wanted.gradients + place.weights;
        Real* strip = gradient + first * place.stride;
        if (l == 0 && input.sparse != nullptr) {
          if (!wanted.add) std::fill_n(strip, (last - first) * place.stride, Real(0));
          sparse_gradient(input, delta, first, last, gradient);
        } else {
          const View<const Real> in =
              l == 0 ? input.dense : std::as_const(context.layers[l - 1].out).view(context.rows);
          gemm<Real>(last - first, place.stride, context.rows, {in.data + first, in.stride, true},
                     {delta.data, delta.stride}, wanted.add, strip, place.stride);
        }
        // Batch norm takes the centre out by itself.
        if (l == 0 && input.centre != nullptr && !spec_.layers[0].batch_norm)
          for (std::size_t i = first; i < last; ++i)
            axpy(-input.centre[i], context.layers[0].sum.data(), gradient + i * place.stride,
                 place.stride);
      });
  for (std::size_t l = 0; l < places_.size(); ++l) {
    set_or_add(context.layers[l].sum, wanted.add, wanted.gradients + places_[l].shift);
    if (spec_.layers[l].batch_norm)
      set_or_add(context.layers[l].scale_gradient, wanted.add, wanted.gradients + places_[l].scale);
  }
}

template void Mlp<float>::backward(ThreadPool&, const float*, MlpContext<float>&,
                                   const Wanted<float>&) const;
template void Mlp<double>::backward(ThreadPool&, const double*, MlpContext<double>&,
                                    const Wanted<double>&) const;

}  // namespace sieve
