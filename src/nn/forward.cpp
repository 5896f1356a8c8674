#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "linalg/products.h"
#include "nn/blocks.h"

namespace sieve {
namespace {

// The moments of the batch from those of its parts.
template <class Real>
void merge_parts(MlpContext<Real>& context, std::size_t l) {
  auto& layer = context.layers[l];
  const std::size_t stride = layer.out.width();
  const auto weigh = [&](Array<Real>& total, const auto& term) {
    std::fill_n(total.data(), stride, Real(0));
    for (std::size_t part = 0; part < context.parts.count(); ++part) {
      const Real weight =
          static_cast<Real>(context.parts.rows_of(part, context.batch_rows).count()) /
          static_cast<Real>(context.batch_rows);
      const Real* moments = sums_of_part<Real>(layer, part);
      for (std::size_t j = 0; j < stride; ++j) total[j] += weight * term(moments, j);
    }
  };
  weigh(layer.mean, [](const Real* moments, std::size_t j) { return moments[j]; });
  weigh(layer.variance, [&](const Real* moments, std::size_t j) {
    const Real distance = moments[j] - layer.mean[j];
    return moments[stride + j] + distance * distance;
  });
}

}  // namespace

// A block of rows goes through as many layers as it can: up to the next batch norm, which has to
// see all rows first.
template <class Real>
void Mlp<Real>::forward(ThreadPool& pool, const Real* parameters, const Input<Real>& input,
                        const Mode& mode, MlpContext<Real>& context) const {
  context.input = input;
  context.mode = mode;
  context.rows = input.rows();
  context.batch_rows = mode.batch_rows > 0 ? mode.batch_rows : context.rows;
  cut_up(context);
  fold_centre(parameters, context);
  const std::size_t count = places_.size();
  for (std::size_t first = 0, last; first <= count; first = last + 1) {
    last = first;
    while (last < count && !has_batch_norm(last)) ++last;
    compute(pool, context.blocks.size(), [&](std::size_t block) {
      if (first > 0) normalise_block(first - 1, block, parameters, context);
      for (std::size_t l = first; l <= std::min(last, count - 1); ++l)
        multiply(l, block, parameters, context);
    });
    if (last < count) take_statistics(last, parameters, context);
  }
}

// Blocks of fixed height, beginning anew with each part.
template <class Real>
void Mlp<Real>::cut_up(MlpContext<Real>& context) const {
  context.blocks.clear();
  for (std::size_t i = 0; i < context.parts.mine(); ++i) {
    const BatchParts::Rows part = context.parts.my_part(i, context.batch_rows);
    for (std::size_t row = part.first; row < part.last; row += kBlockRows)
      context.blocks.push_back({row, std::min(kBlockRows, part.last - row)});
  }
}

// W(x - centre) + shift = Wx + (shift - W centre).
template <class Real>
void Mlp<Real>::fold_centre(const Real* parameters, MlpContext<Real>& context) const {
  const LayerPlace& first = places_.front();
  std::copy_n(parameters + first.shift, first.stride, context.first_shift.data());
  for_each_centred(context.input, first.inputs, [&](std::size_t i) {
    axpy(-context.input.centre[i], parameters + first.weights + i * first.stride,
         context.first_shift.data(), first.stride);
  });
}

template <class Real>
void Mlp<Real>::set_factor(std::size_t l, const Real* parameters, MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const Real epsilon = static_cast<Real>(spec_.norm_epsilon);
  for (std::size_t j = 0; j < places_[l].stride; ++j)
    layer.factor[j] = parameters[places_[l].scale + j] / std::sqrt(layer.variance[j] + epsilon);
}

// A block of rows times the weights. What follows is done for a few columns at a time, while they
// are in the innermost cache.
template <class Real>
void Mlp<Real>::multiply(std::size_t l, std::size_t block, const Real* parameters,
                         MlpContext<Real>& context) const {
  const LayerPlace& place = places_[l];
  const RowBlock& rows = context.blocks[block];
  auto& layer = context.layers[l];
  const View<Real> to =
      block_of((has_batch_norm(l) ? layer.sums : layer.out).view(context.rows), rows);
  const Real* weights = parameters + place.weights;
  if (has_dropout(l, context)) draw_mask(l, block, context);
  if (l == 0 && context.input.sparse != nullptr) {
    for (std::size_t i = 0; i < to.rows; ++i)
      row_times(entries_of(*context.input.sparse, context.input.sparse_rows[rows.first + i]),
                weights, place.stride, place.stride, to.row(i));
    finish_columns(l, block, {0, place.stride}, parameters, context);
    return;
  }
  const View<const Real> all =
      l == 0 ? context.input.dense : std::as_const(context.layers[l - 1].out).view(context.rows);
  const View<const Real> from = block_of(all, rows);
  for_column_pieces(place.stride, [&](std::size_t first, std::size_t count) {
    gemm<Real>(to.rows, count, place.inputs, {from.data, from.stride},
               {weights + first, place.stride}, false, to.data + first, to.stride);
    finish_columns(l, block, {first, count}, parameters, context);
  });
}

// From the sums of a layer to its output, or to the moments that batch norm needs first.
template <class Real>
void Mlp<Real>::finish_columns(std::size_t l, std::size_t block, Columns columns,
                               const Real* parameters, MlpContext<Real>& context) const {
  const auto [first, count] = columns;
  auto& layer = context.layers[l];
  const RowBlock& rows = context.blocks[block];
  const Kernels<Real>& kernel = kernels<Real>();
  if (has_batch_norm(l)) {
    const View<Real> sums = block_of(layer.sums.view(context.rows), rows).columns(first, count);
    return kernel.column_moments(sums, block_sums<Real>(layer, block, 0) + first,
                                 block_sums<Real>(layer, block, 1) + first);
  }
  const View<Real> out = block_of(layer.out.view(context.rows), rows).columns(first, count);
  const Real* shift = l == 0 ? context.first_shift.data() : parameters + places_[l].shift;
  kernel.activate(rule(l, context), out, shift + first);
  if (has_dropout(l, context))
    kernel.apply_mask(layer.mask.data() + rows.first * layer.mask_words, layer.mask_words, first,
                      static_cast<Real>(1 / DropoutRate(spec_.layers[l].dropout).keep()), out);
}

template <class Real>
void Mlp<Real>::take_statistics(std::size_t l, const Real* parameters,
                                MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const std::size_t stride = places_[l].stride;
  for_my_parts(context, l, [&](std::size_t i, std::size_t rows, BlockSums<Real> blocks) {
    Real* moments = sums_of_part<Real>(layer, context.parts.first() + i);
    combine_moments(blocks, rows, moments, moments + stride);
  });
  gather_parts<Real>(context.parts, layer);
  merge_parts(context, l);
  set_factor(l, parameters, context);
}

// The output of a layer with batch norm, now that the moments of all rows are known.
template <class Real>
void Mlp<Real>::normalise_block(std::size_t l, std::size_t block, const Real* parameters,
                                MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const RowBlock& rows = context.blocks[block];
  const View<Real> out = block_of(layer.out.view(context.rows), rows);
  kernels<Real>().normalise_and_activate(
      rule(l, context), block_of(layer.sums.view(context.rows), rows), layer.mean.data(),
      layer.factor.data(), parameters + places_[l].shift, out);
  if (has_dropout(l, context))
    kernels<Real>().apply_mask(
        layer.mask.data() + rows.first * layer.mask_words, layer.mask_words, 0,
        static_cast<Real>(1 / DropoutRate(spec_.layers[l].dropout).keep()), out);
}

template <class Real>
void Mlp<Real>::draw_mask(std::size_t l, std::size_t block, MlpContext<Real>& context) const {
  auto& layer = context.layers[l];
  const RowBlock& rows = context.blocks[block];
  const DropoutRate rate(spec_.layers[l].dropout);
  std::uint64_t* mask = layer.mask.data() + rows.first * layer.mask_words;
  const std::size_t first = context.parts.my_rows(context.batch_rows).first + rows.first;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    Random random(context.mode.seed, Purpose::Dropout, context.mode.step,
                  (first + i) * places_.size() + l);
    for (std::size_t w = 0; w < layer.mask_words; ++w)
      mask[i * layer.mask_words + w] = rate.draw(random);
  }
}

template void Mlp<float>::forward(ThreadPool&, const float*, const Input<float>&, const Mode&,
                                  MlpContext<float>&) const;
template void Mlp<double>::forward(ThreadPool&, const double*, const Input<double>&, const Mode&,
                                   MlpContext<double>&) const;

}  // namespace sieve
