#include "crowd/strength.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "crowd/strength_kernels.cpp"
#include "hwy/foreach_target.h"
#include "linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {

static_assert(kLabelsInStep % kLanes<float> == 0);

void add_block(float factor, const float* from, float* to) {
  constexpr std::size_t kStep = kLanes<float>;
  const Vec<float> by = all(factor);
  for (std::size_t j = 0; j < kBlockSize; j += kStep)
    store<float>(fused<float>(by, load<float>(from + j), load<float>(to + j)), to + j);
}

void sum_blocks(const float* start, const Weighted<const float>* blocks, std::size_t count,
                float* into) {
  for (std::size_t j = 0; j < kLabelsInStep; j += kLanes<float>) {
    Vec<float> sums[kNodes];
    for (std::size_t n = 0; n < kNodes; ++n) sums[n] = load<float>(start + n * kLabelsInStep + j);
    for (std::size_t k = 0; k < count; ++k) {
      const Vec<float> by = all(blocks[k].weight);
      const float* from = blocks[k].block + j;
      for (std::size_t n = 0; n < kNodes; ++n)
        sums[n] = fused<float>(by, load<float>(from + n * kLabelsInStep), sums[n]);
    }
    for (std::size_t n = 0; n < kNodes; ++n) store<float>(sums[n], into + n * kLabelsInStep + j);
  }
}

void add_to_blocks(const float* from, const Weighted<float>* blocks, std::size_t count) {
  for (std::size_t j = 0; j < kLabelsInStep; j += kLanes<float>) {
    Vec<float> values[kNodes];
    for (std::size_t n = 0; n < kNodes; ++n) values[n] = load<float>(from + n * kLabelsInStep + j);
    for (std::size_t k = 0; k < count; ++k) {
      const Vec<float> by = all(blocks[k].weight);
      float* to = blocks[k].block + j;
      for (std::size_t n = 0; n < kNodes; ++n, to += kLabelsInStep)
        store<float>(fused<float>(by, values[n], load<float>(to)), to);
    }
  }
}

void flush_table(float* from, std::size_t size, double* to) {
  constexpr std::size_t kStep = kLanes<double>;
  const hn::Rebind<float, Tag<double>> narrow;
  for (std::size_t j = 0; j < size; j += kStep) {
    const auto value = hn::LoadU(narrow, from + j);
    store<double>(hn::Add(load<double>(to + j), hn::PromoteTo(Tag<double>(), value)), to + j);
    hn::StoreU(hn::Zero(narrow), narrow, from + j);
  }
}

void normalise_nodes(float* log_weights, std::size_t padded, float* largest, float* sums) {
  constexpr std::size_t kStep = kLanes<float>;
  for (std::size_t j = 0; j < padded; j += kStep) {
    float* at = log_weights + cell_at(0, j);
    Vec<float> top = load<float>(at);
    for (std::size_t n = 1; n < kNodes; ++n)
      top = hn::Max(top, load<float>(at + n * kLabelsInStep));
    Vec<float> sum = all(0.0F);
    for (std::size_t n = 0; n < kNodes; ++n) {
      const Vec<float> e = exponential(hn::Sub(load<float>(at + n * kLabelsInStep), top));
      store<float>(e, at + n * kLabelsInStep);
      sum = hn::Add(sum, e);
    }
    store<float>(top, largest + j);
    store<float>(sum, sums + j);
    const Vec<float> scale = hn::Div(all(1.0F), sum);
    for (std::size_t n = 0; n < kNodes; ++n)
      store<float>(hn::Mul(load<float>(at + n * kLabelsInStep), scale), at + n * kLabelsInStep);
  }
}

void mean_over_nodes(const float* weights, const float* values, std::size_t padded, float* into) {
  constexpr std::size_t kStep = kLanes<float>;
  for (std::size_t j = 0; j < padded; j += kStep) {
    Vec<float> sum = all(0.0F);
    for (std::size_t n = 0; n < kNodes; ++n)
      sum = fused<float>(load<float>(weights + cell_at(n, j)), load<float>(values + cell_at(n, j)),
                         sum);
    store<float>(sum, into + j);
  }
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {

HWY_EXPORT(add_block);
HWY_EXPORT(sum_blocks);
HWY_EXPORT(add_to_blocks);
HWY_EXPORT(flush_table);
HWY_EXPORT(normalise_nodes);
HWY_EXPORT(mean_over_nodes);

void add_block(float factor, const float* from, float* to) {
  HWY_DYNAMIC_DISPATCH(add_block)(factor, from, to);
}
void sum_blocks(const float* start, const Weighted<const float>* blocks, std::size_t count,
                float* into) {
  HWY_DYNAMIC_DISPATCH(sum_blocks)(start, blocks, count, into);
}
void add_to_blocks(const float* from, const Weighted<float>* blocks, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(add_to_blocks)(from, blocks, count);
}
void flush_table(float* from, std::size_t size, double* to) {
  HWY_DYNAMIC_DISPATCH(flush_table)(from, size, to);
}
void normalise_nodes(float* log_weights, std::size_t padded, float* largest, float* sums) {
  HWY_DYNAMIC_DISPATCH(normalise_nodes)(log_weights, padded, largest, sums);
}
void mean_over_nodes(const float* weights, const float* values, std::size_t padded, float* into) {
  HWY_DYNAMIC_DISPATCH(mean_over_nodes)(weights, values, padded, into);
}

}  // namespace sieve
#endif
