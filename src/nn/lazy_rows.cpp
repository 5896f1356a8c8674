#include "nn/lazy_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/compute.h"

namespace sieve {

std::size_t TouchedInputs::slot_of(std::uint32_t input) {
  std::uint32_t& slot = slots_[input];
  if (slot == 0) {
    inputs_.push_back(input);
    starts_.push_back(0);
    slot = static_cast<std::uint32_t>(inputs_.size());
  }
  return slot - 1;
}

// Counts the entries of each input one place further on, so that filling them in moves the counts
// to where they belong.
template <class Real>
void TouchedInputs::find(const Input<Real>& batch) {
  for (const std::uint32_t input : inputs_) slots_[input] = 0;
  inputs_.clear();
  starts_.assign(2, 0);
  for_each_centred(batch, slots_.size(),
                   [&](std::size_t input) { slot_of(static_cast<std::uint32_t>(input)); });
  std::size_t size = 0;
  for (const std::size_t row : batch.sparse_rows)
    for (const std::uint32_t input : batch.sparse->row(row).columns) {
      ++starts_[slot_of(input) + 2];
      ++size;
    }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  entries_.resize(size);
  for (std::size_t i = 0; i < batch.sparse_rows.size(); ++i) {
    const CsrMatrix::Row row = batch.sparse->row(batch.sparse_rows[i]);
    for (std::size_t e = 0; e < row.columns.size(); ++e)
      entries_[starts_[slots_[row.columns[e]]]++] = {static_cast<std::uint32_t>(i), row.values[e]};
  }
}

template void TouchedInputs::find(const Input<float>&);
template void TouchedInputs::find(const Input<double>&);

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kRowsAtOnce = 32;
// All weights are brought up to date after this number of steps: that bounds the table, and costs a
// step no more than a few thousandths of them.
constexpr std::uint64_t kMostMissed = 2048;

// Calls body(first, last, task) for stretches of `count` rows.
template <class Body>
void for_stretches(ThreadPool& pool, std::size_t count, const Body& body) {
  compute(pool, (count + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t task) {
    body(task * kRowsAtOnce, std::min(count, (task + 1) * kRowsAtOnce), task);
  });
}

}  // namespace

template <class Real>
LazyRows<Real>::LazyRows(const LayerPlace& first, const AdamOptions& adam, AveragePace pace)
    : place_(first),
      adam_(adam),
      pace_(pace),
      touched_(first.inputs),
      made_(first.inputs, kNever),
      terms_(kMostMissed) {}

template <class Real>
typename LazyRows<Real>::Term LazyRows<Real>::term_of(std::uint64_t step) const {
  const double weight = 1 / (1 - whole_power(adam_.beta1, step));
  return {weight, weight * std::sqrt(1 - whole_power(adam_.beta2, step)), pace_.at(step)};
}

template <class Real>
std::uint64_t LazyRows<Real>::missed_by(std::size_t input, std::uint64_t steps) const {
  return made_[input] == kNever ? 0 : steps - made_[input];
}

// From the last step back: each sum over the steps after t is one over those after t + 1 and a term
// more.
template <class Real>
void LazyRows<Real>::make_table(std::uint64_t steps, std::uint64_t most) {
  const std::uint64_t oldest = steps > kMostMissed ? steps - kMostMissed : 0;
  for (terms_to_ = std::max(terms_to_, oldest); terms_to_ < steps;) {
    ++terms_to_;
    terms_[terms_to_ % kMostMissed] = term_of(terms_to_);
  }
  table_.clear();
  table_.push_back({});
  const double beta2_root = std::sqrt(adam_.beta2), shrink = adam_.beta1 / beta2_root;
  double decay1 = 1, decay2 = 1, sum = 0, drift = 0, keep = 1, lag = 0;
  for (std::uint64_t k = 1; k <= most; ++k) {
    const Term& term = terms_[(steps - k + 1) % kMostMissed];
    decay1 *= adam_.beta1;
    decay2 *= adam_.beta2;
    sum = adam_.beta1 * (term.weight + sum);
    drift = shrink * (term.weight_over_scale + drift);
    keep *= 1 - term.pace;
    lag = shrink * (term.weight_over_scale * (1 - keep) + lag);
    table_.push_back({static_cast<Real>(decay1), static_cast<Real>(decay2),
                      static_cast<Real>(adam_.rate * drift),
                      static_cast<Real>(adam_.epsilon * drift / sum), static_cast<Real>(keep),
                      static_cast<Real>(adam_.rate * lag)});
  }
}

// The table reaches back to the weights of these inputs that are behind most.
template <class Real>
void LazyRows<Real>::make_table_for(std::span<const std::uint32_t> inputs, std::uint64_t steps) {
  std::uint64_t most = 0;
  for (const std::uint32_t input : inputs) most = std::max(most, missed_by(input, steps));
  make_table(steps, most);
}

template <class Real>
void LazyRows<Real>::drift(std::size_t input, std::uint64_t missed, const Buffers& buffers) const {
  const std::size_t at = place_.weights + input * place_.stride;
  kernels<Real>().drift(table_[missed], place_.stride, buffers.adam.first.data() + at,
                        buffers.adam.second.data() + at, buffers.values.data() + at);
}

template <class Real>
void LazyRows<Real>::catch_up(std::size_t input, std::uint64_t missed,
                              const Buffers& buffers) const {
  const std::size_t at = place_.weights + input * place_.stride;
  kernels<Real>().catch_up(table_[missed], place_.stride, buffers.values.data() + at,
                           buffers.adam.first.data() + at, buffers.adam.second.data() + at,
                           buffers.average.empty() ? nullptr : buffers.average.data() + at);
}

// The values are needed now; the rest waits for the step, which has to go through it anyway.
template <class Real>
void LazyRows<Real>::mark_touched(ThreadPool& pool, const Input<Real>& batch,
                                  const Buffers& buffers) {
  const std::uint64_t steps = buffers.adam.step;
  if (steps % kMostMissed == 0) settle(pool, buffers);
  touched_.find(batch);
  make_table_for(touched_.inputs(), steps);
  for_stretches(pool, touched_.count(), [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t slot = first; slot < last; ++slot) {
      const std::uint32_t input = touched_.inputs()[slot];
      if (const std::uint64_t missed = missed_by(input, steps); missed > 0)
        drift(input, missed, buffers);
    }
  });
}

template <class Real>
void LazyRows<Real>::move(ThreadPool& pool, const AdamStep<Real>& step, const Input<Real>& batch,
                          View<const Real> delta, const Real* delta_sum, const Buffers& buffers) {
  const std::size_t stride = place_.stride;
  const std::uint64_t steps = buffers.adam.step;
  const Real pace = static_cast<Real>(pace_.at(steps));
  for (const std::uint32_t input : touched_.inputs())
    if (made_[input] == kNever) moved_.push_back(input);
  const std::size_t tasks = (touched_.count() + kRowsAtOnce - 1) / kRowsAtOnce;
  if (gradients_.size() < tasks * stride) gradients_.resize(tasks * stride);
  for_stretches(pool, touched_.count(), [&](std::size_t first, std::size_t last, std::size_t task) {
    Real* gradient = gradients_.data() + task * stride;
    for (std::size_t slot = first; slot < last; ++slot) {
      const std::size_t input = touched_.inputs()[slot], at = place_.weights + input * stride;
      std::fill_n(gradient, stride, Real(0));
      for (const TouchedInputs::Entry& entry : touched_.entries(slot))
        axpy(static_cast<Real>(entry.value), delta.row(entry.row), gradient, stride);
      if (batch.centre != nullptr && batch.centre[input] != 0)
        axpy(-batch.centre[input], delta_sum, gradient, stride);
      if (const std::uint64_t missed = missed_by(input, steps - 1); missed > 0)
        catch_up(input, missed, buffers);
      step.move(at, {gradient, stride});
      if (!buffers.average.empty())
        kernels<Real>().average(pace, buffers.values.data() + at, buffers.average.data() + at,
                                stride);
      made_[input] = steps;
    }
  });
}

template <class Real>
void LazyRows<Real>::settle(ThreadPool& pool, const Buffers& buffers) {
  const std::uint64_t steps = buffers.adam.step;
  make_table_for(moved_, steps);
  for_stretches(pool, moved_.size(), [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t missed = missed_by(moved_[i], steps);
      if (missed == 0) continue;
      drift(moved_[i], missed, buffers);
      catch_up(moved_[i], missed, buffers);
      made_[moved_[i]] = steps;
    }
  });
}

template <class Real>
std::vector<std::uint64_t> LazyRows<Real>::missed(std::uint64_t steps) const {
  std::vector<std::uint64_t> missed(made_.size());
  for (std::size_t input = 0; input < missed.size(); ++input)
    missed[input] = missed_by(input, steps);
  return missed;
}

// Weights that were never met have nothing to make up for: to take them for up to date is the same.
template <class Real>
bool LazyRows<Real>::set_missed(std::span<const std::uint64_t> missed, std::uint64_t steps) {
  const std::uint64_t most = std::min(steps, (steps - 1) % kMostMissed + 1);
  if (missed.size() != made_.size() ||
      std::ranges::any_of(missed, [&](std::uint64_t count) { return count > most; }))
    return false;
  moved_.clear();
  for (std::size_t input = 0; input < made_.size(); ++input) {
    made_[input] = steps - missed[input];
    moved_.push_back(static_cast<std::uint32_t>(input));
  }
  return true;
}

template <class Real>
void descend(ThreadPool& pool, const AdamOptions& adam, AveragePace pace, LazyRows<Real>* rows,
             const MlpContext<Real>& batch, std::span<const Real> gradients,
             const typename LazyRows<Real>::Buffers& buffers) {
  const AdamStep<Real> step(adam, buffers.adam, buffers.values);
  if (rows != nullptr)
    rows->move(pool, step, batch.input, batch.first_delta(), batch.first_delta_sum(), buffers);
  const std::size_t from =
      rows != nullptr ? buffers.values.size() - gradients.size() : std::size_t{0};
  move_chunks(pool, step, from, gradients.first(buffers.values.size() - from));
  if (!buffers.average.empty())
    move_average<Real>(pool, static_cast<Real>(pace.at(buffers.adam.step)),
                       buffers.values.subspan(from), buffers.average.subspan(from));
}

template void descend(ThreadPool&, const AdamOptions&, AveragePace, LazyRows<float>*,
                      const MlpContext<float>&, std::span<const float>,
                      const LazyRows<float>::Buffers&);
template void descend(ThreadPool&, const AdamOptions&, AveragePace, LazyRows<double>*,
                      const MlpContext<double>&, std::span<const double>,
                      const LazyRows<double>::Buffers&);
template class LazyRows<float>;
template class LazyRows<double>;

}  // namespace sieve
