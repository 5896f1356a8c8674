#include "nn/wide_mlp.h"

#include "base/random.h"
#include "linalg/products.h"

namespace sieve {
namespace {

std::optional<MlpSpec> spec_of_rest(const MlpSpec& spec) {
  if (spec.layers.size() == 1) return {};
  MlpSpec rest = spec;
  rest.inputs = spec.layers.front().width;
  rest.layers.erase(rest.layers.begin());
  return rest;
}

template <class Real>
Real* block_sum(WidePass<Real>& pass, std::size_t block) {
  return pass.partial.data() + 2 * block * pass.first.width();
}

}  // namespace

template <class Real>
WideMlp<Real>::WideMlp(const MlpSpec& spec)
    : mlp_(spec),
      rest_at_(first().shift + first().stride),
      shift_gradient_(first().stride),
      room_(kTileGroups, kTileFeatures * first().stride) {
  if (const auto rest = spec_of_rest(spec)) {
    rest_.emplace(*rest);
    rest_gradients_ = Array<Real>(rest_->parameter_count());
  }
}

template <class Real>
WidePass<Real> WideMlp<Real>::pass(std::size_t max_rows) const {
  WidePass<Real> pass;
  pass.first = Panel<Real>(max_rows, first().outputs);
  pass.delta = Panel<Real>(max_rows, first().outputs);
  pass.shift = Array<Real>(first().stride);
  pass.leans = Panel<Real>(kTileGroups, first().outputs);
  pass.partial = Array<Real>(2 * block_count(max_rows) * first().stride);
  pass.sum = Array<Real>(first().stride);
  if (DropoutRate(mlp_.spec().layers[0].dropout).active()) {
    pass.mask_words = (first().stride + 63) / 64;
    pass.mask = Array<std::uint64_t>(max_rows * pass.mask_words);
  }
  if (rest_) pass.rest = rest_->context(max_rows);
  return pass;
}

template <class Real>
View<const Real> WideMlp<Real>::output(const WidePass<Real>& pass) const {
  return rest_ ? pass.rest.output() : pass.first.view(pass.rows);
}

template <class Real>
View<Real> WideMlp<Real>::output_gradient(WidePass<Real>& pass) const {
  return rest_ ? pass.rest.output_gradient() : pass.delta.view(pass.rows);
}

template <class Real>
void WideMlp<Real>::forward(ThreadPool& pool, const Real* parameters, const Input<Real>& input,
                            const Mode& mode, WidePass<Real>& pass) const {
  pass.input = input;
  pass.rows = input.rows();
  pass.mode = mode;
  fold_centre(pool, parameters, pass);
  compute(pool, block_count(pass.rows),
          [&](std::size_t block) { multiply(block, parameters, pass); });
  finish(pool, parameters, pass);
}

template <class Real>
void WideMlp<Real>::forward_from_sums(ThreadPool& pool, const Real* parameters, const Real* centre,
                                      std::size_t rows, const Mode& mode,
                                      WidePass<Real>& pass) const {
  pass.input.centre = centre;
  pass.rows = rows;
  pass.mode = mode;
  std::copy_n(parameters + first().shift, first().stride, pass.shift.data());
  finish(pool, parameters, pass);
}

// W(x - centre) + shift = Wx + (shift - W centre).
template <class Real>
void WideMlp<Real>::fold_centre(ThreadPool& pool, const Real* parameters, Pass& pass) const {
  const std::size_t stride = first().stride;
  std::copy_n(parameters + first().shift, stride, pass.shift.data());
  if (pass.input.centre == nullptr) return;
  for (std::size_t group = 0; group < kTileGroups; ++group)
    std::fill_n(pass.leans.row(group), stride, Real(0));
  const auto lean = [&](std::size_t group, std::size_t i) {
    axpy(-pass.input.centre[i], parameters + first().weights + i * stride, pass.leans.row(group),
         stride);
  };
  for (const std::uint32_t i : pass.input.centred) lean(0, i);
  if (pass.input.centred.empty())
    for_tiles(pool, first().inputs, [&](std::size_t group, const Tile& tile) {
      for (std::size_t i = tile.first; i < tile.first + tile.count; ++i) lean(group, i);
    });
  for (std::size_t group = 0; group < kTileGroups; ++group)
    axpy(Real(1), pass.leans.row(group), pass.shift.data(), stride);
}

template <class Real>
void WideMlp<Real>::multiply(std::size_t block, const Real* parameters, Pass& pass) const {
  const View<Real> to = row_block(pass.first.view(pass.rows), block);
  const Real* weights = parameters + first().weights;
  if (pass.input.sparse == nullptr) {
    const View<const Real> from = row_block(pass.input.dense, block);
    gemm<Real>(to.rows, to.width(), first().inputs, {from.data, from.stride}, {weights, to.width()},
               false, to.data, to.stride);
    return;
  }
  for (std::size_t i = 0; i < to.rows; ++i)
    row_times(entries_of(*pass.input.sparse, pass.input.sparse_rows[block * kBlockRows + i]),
              weights, to.width(), to.width(), to.row(i));
}

template <class Real>
ActivationRule<Real> WideMlp<Real>::rule(const Pass& pass) const {
  const LayerSpec& layer = mlp_.spec().layers[0];
  const double dropout = pass.mode.training ? layer.dropout : 0;
  return {layer.activation, static_cast<Real>(mlp_.spec().slope),
          static_cast<Real>(DropoutRate(dropout).keep())};
}

template <class Real>
void WideMlp<Real>::finish(ThreadPool& pool, const Real* parameters, Pass& pass) const {
  compute(pool, block_count(pass.rows), [&](std::size_t block) {
    kernels<Real>().activate(rule(pass), row_block(pass.first.view(pass.rows), block),
                             pass.shift.data());
    if (pass.mode.training && pass.mask_words > 0) drop(block, pass);
  });
  if (rest_)
    rest_->forward(pool, parameters + rest_at_,
                   {.dense = std::as_const(pass.first).view(pass.rows)}, pass.mode, pass.rest);
}

template <class Real>
void WideMlp<Real>::drop(std::size_t block, Pass& pass) const {
  const DropoutRate rate(mlp_.spec().layers[0].dropout);
  const View<Real> out = row_block(pass.first.view(pass.rows), block);
  std::uint64_t* mask = pass.mask.data() + block * kBlockRows * pass.mask_words;
  for (std::size_t i = 0; i < out.rows; ++i) {
    // Counted from the other end: the layers above have the numbers from 0 on.
    Random random(pass.mode.seed, Purpose::Dropout, pass.mode.step, ~(block * kBlockRows + i));
    for (std::size_t w = 0; w < pass.mask_words; ++w)
      mask[i * pass.mask_words + w] = rate.draw(random);
  }
  kernels<Real>().apply_mask(mask, pass.mask_words, 0, static_cast<Real>(1 / rate.keep()), out);
}

template <class Real>
void WideMlp<Real>::backward(ThreadPool& pool, const Real* parameters, Above above,
                             WidePass<Real>& pass) {
  const View<Real> delta = pass.delta.view(pass.rows);
  if (rest_)
    rest_->backward(pool, parameters + rest_at_, pass.rest,
                    {.gradients = above == Above::Frozen ? nullptr : rest_gradients_.data(),
                     .add = above == Above::Add,
                     .inputs = delta});
  compute(pool, block_count(pass.rows), [&](std::size_t block) {
    if (pass.mode.training && pass.mask_words > 0)
      kernels<Real>().apply_mask(pass.mask.data() + block * kBlockRows * pass.mask_words,
                                 pass.mask_words, 0, 1 / rule(pass).keep, row_block(delta, block));
    kernels<Real>().backward_activation(rule(pass),
                                        row_block(std::as_const(pass.first).view(pass.rows), block),
                                        row_block(delta, block), block_sum(pass, block));
  });
  add_blocks<Real>({pass.partial.data(), block_count(pass.rows), delta.width()}, 0,
                   pass.sum.data());
}

template <class Real>
void WideMlp<Real>::add_gradient(const WidePass<Real>& pass, const Tile& tile,
                                 Real* gradient) const {
  const Input<Real>& input = pass.input;
  const View<const Real> delta = pass.delta.view(pass.rows);
  if (input.centre != nullptr)
    for (std::size_t i = 0; i < tile.count; ++i)
      axpy(-input.centre[tile.first + i], pass.sum.data(), gradient + i * delta.width(),
           delta.width());
  if (input.sparse != nullptr)
    for (std::size_t i = 0; i < pass.rows; ++i)
      for_entries(*input.sparse, input.sparse_rows[i], tile, [&](std::size_t at, float value) {
        axpy(static_cast<Real>(value), delta.row(i), gradient + at * delta.width(), delta.width());
      });
  else if (input.dense.data != nullptr)
    gemm<Real>(tile.count, delta.width(), pass.rows,
               {input.dense.data + tile.first, input.dense.stride, true},
               {delta.data, delta.stride}, true, gradient, delta.width());
}

template <class Real>
void WideMlp<Real>::update_rest(const AdamStep<Real>& adam,
                                std::initializer_list<const Pass*> passes) {
  std::fill_n(shift_gradient_.data(), shift_gradient_.size(), Real(0));
  for (const Pass* pass : passes)
    axpy(Real(1), pass->sum.data(), shift_gradient_.data(), shift_gradient_.size());
  adam.move(first().shift, {shift_gradient_.data(), shift_gradient_.size()});
  if (rest_) adam.move(rest_at_, {rest_gradients_.data(), rest_gradients_.size()});
}

template class WideMlp<float>;
template class WideMlp<double>;

}  // namespace sieve
