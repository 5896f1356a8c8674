#include "nn/mlp.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random.h"
#include "base/team_work.h"
#include "labelsieve/error.h"
#include "linalg/compute.h"
#include "nn/blocks.h"

namespace sieve {
namespace {

constexpr std::size_t kChunk = 1 << 13;

}  // namespace

BatchParts::BatchParts(std::size_t count, Team* team) : count_(count), team_(team) {
  if (!std::has_single_bit(count))
    throw Error(Failure::Usage,
                "a batch can be cut into 1, 2, 4, 8, ... parts, not " + std::to_string(count));
  if (!std::has_single_bit(ranks()) || ranks() > count)
    throw Error(Failure::Usage,
                std::to_string(ranks()) + " ranks cannot share " + std::to_string(count) +
                    " parts of a batch",
                {}, "start 1, 2, 4, 8, ... ranks, and set parts to at least as many");
}

void BatchParts::require_rows(std::size_t rows, const std::string& what) const {
  if (rows < count_)
    throw Error(Failure::Usage,
                std::to_string(rows) + " " + what + " cannot be cut into " +
                    std::to_string(count_) + " parts",
                {}, "set fewer parts or larger batches");
}

BatchParts::Rows BatchParts::rows_of(std::size_t part, std::size_t rows) const {
  return {part * rows / count_, (part + 1) * rows / count_};
}

BatchParts::Rows BatchParts::my_rows(std::size_t rows) const {
  return {rows_of(first(), rows).first, rows_of(first() + mine() - 1, rows).last};
}

BatchParts::Rows BatchParts::my_part(std::size_t i, std::size_t rows) const {
  const std::size_t start = my_rows(rows).first;
  const Rows part = rows_of(first() + i, rows);
  return {part.first - start, part.last - start};
}

std::size_t BatchParts::most_of_mine(std::size_t rows) const {
  return (mine() * rows + count_ - 1) / count_;
}

void BatchParts::gather_bytes(std::span<std::byte> bytes) const {
  gather_slots(*team_, bytes);
}

template <class Real>
void BatchParts::sum(ThreadPool& pool, std::span<Real> values, std::size_t size) const {
  const auto add = [&](std::size_t to, std::size_t from, std::size_t begin, std::size_t end) {
    Real* into = values.data() + to * size;
    const Real* more = values.data() + from * size;
    for (std::size_t i = begin; i < end; ++i) into[i] += more[i];
  };
  if (mine() > 1)
    compute(pool, (size + kChunk - 1) / kChunk, [&](std::size_t chunk) {
      const std::size_t begin = chunk * kChunk, end = std::min(size, begin + kChunk);
      for (std::size_t width = 1; width < mine(); width *= 2)
        for (std::size_t part = 0; part < mine(); part += 2 * width)
          add(part, part + width, begin, end);
    });
  if (team_ == nullptr) return;
  const ComputeScope scope;  // denormal numbers as above
  sum_ranks(*team_, values.first(size), values.subspan(mine() * size, size));
}

template void BatchParts::sum(ThreadPool&, std::span<float>, std::size_t) const;
template void BatchParts::sum(ThreadPool&, std::span<double>, std::size_t) const;

namespace {

void check(const MlpSpec& spec) {
  if (spec.inputs == 0 || spec.layers.empty())
    throw Error(Failure::Usage, "a network needs at least one input and one layer");
  if (!(spec.norm_epsilon > 0))
    throw Error(Failure::Usage, "the epsilon of batch norm must be greater than 0");
  for (const LayerSpec& layer : spec.layers) {
    if (layer.width == 0)
      throw Error(Failure::Usage, "a layer of a network needs at least one unit");
    if (!(layer.dropout >= 0 && layer.dropout < 1))
      throw Error(Failure::Usage, "a dropout rate must be at least 0 and less than 1");
  }
}

}  // namespace

template <class Real>
Mlp<Real>::Mlp(MlpSpec spec) : spec_(std::move(spec)) {
  check(spec_);
  std::size_t inputs = spec_.inputs;
  const auto take = [](std::size_t& count, std::size_t size) {
    count += size;
    return count - size;
  };
  for (const LayerSpec& layer : spec_.layers) {
    LayerPlace place{inputs, layer.width, padded_width(inputs), padded_width(layer.width), 0, 0, 0};
    place.weights = take(parameter_count_, place.input_stride * place.stride);
    place.shift = take(parameter_count_, place.stride);
    if (layer.batch_norm) place.scale = take(parameter_count_, place.stride);
    places_.push_back(place);
    inputs = layer.width;
  }
}

template <class Real>
Array<Real> Mlp<Real>::initial_parameters(std::uint64_t seed) const {
  Array<Real> values(parameter_count_);
  for (std::size_t l = 0; l < places_.size(); ++l) {
    const LayerPlace& place = places_[l];
    const double bound = 1 / std::sqrt(static_cast<double>(place.inputs));
    // The row after the weights is the shift.
    for (std::size_t i = 0; i <= place.inputs; ++i) {
      Random random(seed, Purpose::Init, l, i);
      Real* row =
          values.data() + (i < place.inputs ? place.weights + i * place.stride : place.shift);
      for (std::size_t j = 0; j < place.outputs; ++j)
        row[j] = static_cast<Real>(random.uniform(-bound, bound));
    }
    if (!spec_.layers[l].batch_norm) continue;
    std::fill_n(values.data() + place.shift, place.outputs, Real(0));
    std::fill_n(values.data() + place.scale, place.outputs, Real(1));
  }
  return values;
}

template <class Real>
MlpContext<Real> Mlp<Real>::context(std::size_t batch_rows, const BatchParts& parts) const {
  MlpContext<Real> context;
  context.parts = parts;
  const std::size_t max_rows = parts.most_of_mine(batch_rows);
  const std::size_t max_blocks = max_rows / kBlockRows + parts.mine();
  context.blocks.reserve(max_blocks);
  context.first_shift = Array<Real>(places_.front().stride);
  for (std::size_t l = 0; l < places_.size(); ++l) {
    const LayerPlace& place = places_[l];
    typename MlpContext<Real>::Layer layer;
    layer.out = Panel<Real>(max_rows, place.outputs);
    layer.delta = Panel<Real>(max_rows, place.outputs);
    layer.partial = Array<Real>(2 * max_blocks * place.stride);
    layer.part_sums = Array<Real>(2 * parts.count() * place.stride);
    if (spec_.layers[l].batch_norm) {
      layer.sums = Panel<Real>(max_rows, place.outputs);
      for (Array<Real>* row :
           {&layer.mean, &layer.variance, &layer.factor, &layer.mean_delta, &layer.slope})
        *row = Array<Real>(place.stride);
    }
    if (DropoutRate(spec_.layers[l].dropout).active()) {
      layer.mask_words = (place.stride + 63) / 64;
      layer.mask = Array<std::uint64_t>(max_rows * layer.mask_words);
    }
    context.layers.push_back(std::move(layer));
  }
  context.transposed = Array<Real>(parameter_count_);
  return context;
}

template <class Real>
ActivationRule<Real> Mlp<Real>::rule(std::size_t layer, const MlpContext<Real>& context) const {
  const Real keep = has_dropout(layer, context)
                        ? static_cast<Real>(DropoutRate(spec_.layers[layer].dropout).keep())
                        : Real(1);
  return {spec_.layers[layer].activation, static_cast<Real>(spec_.slope), keep};
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace sieve
