#include <algorithm>
#include <cmath>

#include "linalg/products.h"
#include "nn/blocks.h"

namespace sieve {
namespace {

// W(inputs x outputs) = in^T * delta for the inputs [first, last) of a sparse batch.
template <class Real>
void sparse_gradient(const Input<Real>& input, View<const Real> delta, BatchParts::Rows rows,
                     std::size_t first, std::size_t last, Real* gradient) {
  for (std::size_t i = rows.first; i < rows.last; ++i) {
    const CsrMatrix::Row row = input.sparse->row(input.sparse_rows[i]);
    const auto begin = std::ranges::lower_bound(row.columns, first);
    for (auto column = begin; column != row.columns.end() && *column < last; ++column)
      axpy(static_cast<Real>(row.values[static_cast<std::size_t>(column - row.columns.begin())]),
           delta.row(i), gradient + *column * delta.width(), delta.width());
  }
}

template <class Real>
void set_or_add(const Real* from, std::size_t count, bool add, Real* to) {
  for (std::size_t j = 0; j < count; ++j) to[j] = add ? to[j] + from[j] : from[j];
}

// Calls body(layer, first input, last input, turn) for strips of the layers from `lowest` on, the
// topmost first, `turns` times. A wide sparse layer is cut into 64 strips.
template <class Real, class Body>
void for_strips(ThreadPool& pool, const std::vector<LayerPlace>& places, std::size_t lowest,
                bool sparse, std::size_t turns, const Body& body) {
  const auto height = [&](std::size_t l) {
    return l == 0 && sparse ? std::max(kStripInputs, places[0].inputs / 64) : kStripInputs;
  };
  const auto strips = [&](std::size_t l) { return (places[l].inputs + height(l) - 1) / height(l); };
  std::size_t count = 0;
  for (std::size_t l = lowest; l < places.size(); ++l) count += strips(l);
  compute(pool, turns * count, [&](std::size_t task) {
    std::size_t strip = task % count;
    std::size_t l = places.size() - 1;
    for (; strip >= strips(l); --l) strip -= strips(l);
    const std::size_t first = strip * height(l);
    body(l, first, std::min(places[l].inputs, first + height(l)), task / count);
  });
}

}  // namespace

// From the top down, a block of rows goes through as many layers as it can: down to the next batch
// norm, which needs the sums over all rows first. Weight gradients come last, all at once.
template <class Real>
void Mlp<Real>::backward(ThreadPool& pool, const Real* parameters, MlpContext<Real>& context,
                         const Wanted<Real>& wanted) const {
  const bool inputs_wanted = wanted.inputs.data != nullptr;
  transpose_weights(pool, parameters, inputs_wanted ? 0 : 1, context);
  for (std::size_t upper = places_.size(), lower; upper > 0; upper = lower) {
    lower = upper - 1;
    while (lower > 0 && !has_batch_norm(lower)) --lower;
    compute(pool, context.blocks.size(), [&](std::size_t block) {
      backward_block(upper, lower, block, context, wanted.inputs);
    });
    for (std::size_t l = lower; l < upper; ++l) add_up(l, context);
  }
  if (has_batch_norm(0))
    compute(pool, context.blocks.size(),
            [&](std::size_t block) { leave_layer(0, block, context, wanted.inputs); });
  if (wanted.gradients != nullptr) weight_gradients(pool, context, wanted);
}

// The sums that a layer's parameters need of each part, and its batch norm of all rows.
template <class Real>
void Mlp<Real>::add_up(std::size_t l, MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const std::size_t stride = places_[l].stride;
  for_my_parts(context, l, [&](std::size_t i, std::size_t, BlockSums<Real> blocks) {
    Real* sums = sums_of_part<Real>(layer, context.parts.first() + i);
    add_blocks(blocks, 0, sums);
    if (has_batch_norm(l)) add_blocks(blocks, 1, sums + stride);
  });
  if (!has_batch_norm(l)) return;
  gather_parts<Real>(context.parts, layer);
  const BlockSums<Real> parts{layer.part_sums.data(), context.parts.count(), stride};
  add_blocks(parts, 0, layer.mean_delta.data());
  add_blocks(parts, 1, layer.slope.data());
  const Real share = Real(1) / static_cast<Real>(context.batch_rows);
  const Real epsilon = static_cast<Real>(spec_.norm_epsilon);
  for (std::size_t j = 0; j < places_[l].outputs; ++j) {
    layer.mean_delta[j] *= share;
    layer.slope[j] = share * layer.slope[j] / (layer.variance[j] + epsilon);
  }
}

// Layers upper - 1 down to lower; layer `upper`, if there is one, has its sums now and comes first.
template <class Real>
void Mlp<Real>::backward_block(std::size_t upper, std::size_t lower, std::size_t block,
                               MlpContext<Real>& context, View<Real> inputs) const {
  if (upper < places_.size())
    leave_layer(upper, block, context, inputs);
  else
    enter_layer(upper - 1, block, {0, places_.back().stride}, context);
  for (std::size_t l = upper; l-- > lower;)
    if (!has_batch_norm(l)) leave_layer(l, block, context, inputs);
}

// From the gradient of a layer's output to that of its normalised sums, a few columns at a time.
template <class Real>
void Mlp<Real>::enter_layer(std::size_t l, std::size_t block, Columns columns,
                            MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const RowBlock& rows = context.blocks[block];
  const Kernels<Real>& kernel = kernels<Real>();
  const auto part = [&](Panel<Real>& of) {
    return block_of(of.view(context.rows), rows).columns(columns.first, columns.count);
  };
  const View<Real> delta = part(layer.delta);
  if (has_dropout(l, context))
    kernel.apply_mask(layer.mask.data() + rows.first * layer.mask_words, layer.mask_words,
                      columns.first,
                      static_cast<Real>(1 / DropoutRate(spec_.layers[l].dropout).keep()), delta);
  kernel.backward_activation(rule(l, context), part(layer.out), delta,
                             block_sums<Real>(layer, block, 0) + columns.first);
  if (has_batch_norm(l))
    kernel.column_products(delta, part(layer.sums), layer.mean.data() + columns.first,
                           block_sums<Real>(layer, block, 1) + columns.first);
}

// From the gradient of the normalised sums into the layer below, or to that of the inputs.
template <class Real>
void Mlp<Real>::leave_layer(std::size_t l, std::size_t block, MlpContext<Real>& context,
                            View<Real> inputs) const {
  const LayerPlace& place = places_[l];
  auto& layer = context.layers[l];
  const RowBlock& rows = context.blocks[block];
  const View<Real> delta = block_of(layer.delta.view(context.rows), rows);
  if (has_batch_norm(l))
    kernels<Real>().backward_normalisation(
        block_of(layer.sums.view(context.rows), rows),
        {layer.mean.data(), layer.factor.data(), layer.mean_delta.data(), layer.slope.data()},
        delta);
  if (l == 0 && inputs.data == nullptr) return;
  const View<Real> below =
      block_of(l > 0 ? context.layers[l - 1].delta.view(context.rows) : inputs, rows);
  const Real* weights = context.transposed.data() + place.weights;
  for_column_pieces(place.input_stride, [&](std::size_t first, std::size_t count) {
    gemm<Real>(delta.rows, count, place.outputs, {delta.data, delta.stride},
               {weights + first, place.input_stride}, false, below.data + first, below.stride);
    if (l > 0) enter_layer(l - 1, block, {first, count}, context);
  });
}

template <class Real>
void Mlp<Real>::transpose_weights(ThreadPool& pool, const Real* parameters, std::size_t lowest,
                                  MlpContext<Real>& context) const {
  for_strips<Real>(pool, places_, lowest, false, 1,
                   [&](std::size_t l, std::size_t first, std::size_t last, std::size_t) {
                     const LayerPlace& place = places_[l];
                     transpose_strip(parameters + place.weights, place.stride, place.stride, first,
                                     last, context.transposed.data() + place.weights,
                                     place.input_stride);
                   });
}

// Where the gradients of the parameters from `at` on go.
template <class Real>
Real* Mlp<Real>::gradient_of(std::size_t at, std::size_t part, const Wanted<Real>& wanted) const {
  const std::size_t left_out = wanted.first_weights ? 0 : rest_at();
  return wanted.gradients + part * (parameter_count_ - left_out) + at - left_out;
}

template <class Real>
void Mlp<Real>::weight_gradients(ThreadPool& pool, MlpContext<Real>& context,
                                 const Wanted<Real>& wanted) const {
  const Input<Real>& input = context.input;
  const BatchParts& parts = context.parts;
  for_strips<Real>(
      pool, places_, wanted.first_weights ? 0 : 1, input.sparse != nullptr, parts.mine(),
      [&](std::size_t l, std::size_t first, std::size_t last, std::size_t part) {
        const LayerPlace& place = places_[l];
        const BatchParts::Rows rows = parts.my_part(part, context.batch_rows);
        const View<const Real> delta = context.layers[l].delta.view(context.rows);
        Real* gradient = gradient_of(place.weights, part, wanted);
        Real* strip = gradient + first * place.stride;
        if (l == 0 && input.sparse != nullptr) {
          if (!wanted.add) std::fill_n(strip, (last - first) * place.stride, Real(0));
          sparse_gradient(input, delta, rows, first, last, gradient);
        } else {
          const View<const Real> in =
              l == 0 ? input.dense : std::as_const(context.layers[l - 1].out).view(context.rows);
          gemm<Real>(last - first, place.stride, rows.count(),
                     {in.row(rows.first) + first, in.stride, true},
                     {delta.row(rows.first), delta.stride}, wanted.add, strip, place.stride);
        }
        // Batch norm takes the centre out by itself.
        if (l == 0 && input.centre != nullptr && !has_batch_norm(0))
          for (std::size_t i = first; i < last; ++i)
            if (input.centre[i] != 0)
              axpy<Real>(-input.centre[i],
                         sums_of_part<Real>(context.layers[0], parts.first() + part),
                         gradient + i * place.stride, place.stride);
      });
  for (std::size_t part = 0; part < parts.mine(); ++part) row_gradients(part, context, wanted);
}

// The gradients of shifts and scales.
template <class Real>
void Mlp<Real>::row_gradients(std::size_t part, MlpContext<Real>& context,
                              const Wanted<Real>& wanted) const {
  for (std::size_t l = 0; l < places_.size(); ++l) {
    auto& layer = context.layers[l];
    const LayerPlace& place = places_[l];
    Real* sums = sums_of_part<Real>(layer, context.parts.first() + part);
    set_or_add(sums, place.stride, wanted.add, gradient_of(place.shift, part, wanted));
    if (!has_batch_norm(l)) continue;
    for (std::size_t j = 0; j < place.outputs; ++j)
      sums[place.stride + j] /=
          std::sqrt(layer.variance[j] + static_cast<Real>(spec_.norm_epsilon));
    set_or_add(sums + place.stride, place.stride, wanted.add,
               gradient_of(place.scale, part, wanted));
  }
}

template void Mlp<float>::backward(ThreadPool&, const float*, MlpContext<float>&,
                                   const Wanted<float>&) const;
template void Mlp<double>::backward(ThreadPool&, const double*, MlpContext<double>&,
                                    const Wanted<double>&) const;

}  // namespace sieve
