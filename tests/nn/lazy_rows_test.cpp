#include "nn/lazy_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "support/gradient_check.h"

namespace sieve {
namespace {

using test::all;
using test::random_panel;

constexpr std::size_t kInputs = 60, kWidth = 7, kRows = 5;
constexpr double kSlowest = 0.01;

// Sparse batches and gradients that do not depend on the weights, so that errors cannot grow. The
// first inputs have a centre; input i is in a batch with probability 2 / (i + 2).
template <class Real>
struct Problem {
  explicit Problem(const AdamOptions& options) : adam(options) {
    for (std::size_t i = 0; i < 3; ++i) {
      centre[i] = Real(0.25);
      centred.push_back(static_cast<std::uint32_t>(i));
    }
    Random random(3, Purpose::Test);
    for (Real& value : values) value = static_cast<Real>(random.uniform(-1, 1));
    average = values.clone();
  }

  void draw(std::uint64_t t) {
    rows = {};
    rows.cols = kInputs;
    rows.starts.push_back(0);
    Random random(4, Purpose::Test, t);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j)
        if (random.chance(0.4 / static_cast<double>(j + 2))) {
          rows.columns.push_back(static_cast<std::uint32_t>(j));
          rows.values.push_back(static_cast<float>(random.uniform(0.5, 2)));
        }
      rows.starts.push_back(rows.values.size());
    }
    delta = random_panel<Real>(kRows, kWidth, t);
    std::ranges::fill(delta_sum, Real(0));
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kWidth; ++k) delta_sum[k] += delta(i, k);
  }
  Input<Real> batch() const {
    return {.sparse = &rows, .sparse_rows = order, .centre = centre.data(), .centred = centred};
  }
  typename LazyRows<Real>::Buffers buffers() { return {all(values), state, all(average)}; }

  void lazy_step(ThreadPool& pool, std::uint64_t t) {
    draw(t);
    lazy.mark_touched(pool, batch(), buffers());
    const AdamStep<Real> step(adam, state, all(values));
    lazy.move(pool, step, batch(), delta.view(kRows), delta_sum.data(), buffers());
  }
  void eager_step(ThreadPool& pool, std::uint64_t t) {
    draw(t);
    Array<Real> gradients(values.size());
    const std::size_t stride = delta.width();
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t k = 0; k < kWidth; ++k) {
        const CsrMatrix::Row row = rows.row(i);
        for (std::size_t e = 0; e < row.columns.size(); ++e)
          gradients[row.columns[e] * stride + k] += static_cast<Real>(row.values[e]) * delta(i, k);
        for (std::size_t j = 0; j < kInputs; ++j)
          gradients[j * stride + k] -= centre[j] * delta(i, k);
      }
    adam_step<Real>(pool, adam, all(gradients), state, all(values));
    move_average<Real>(pool, static_cast<Real>(AveragePace{kSlowest}.at(state.step)), all(values),
                       all(average));
  }

  AdamOptions adam;
  LayerPlace place{kInputs, kWidth, padded_width(kInputs), padded_width(kWidth), 0, 0, 0};
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  CsrMatrix rows;
  Panel<Real> delta;
  std::vector<Real> delta_sum = std::vector<Real>(padded_width(kWidth));
  std::vector<Real> centre = std::vector<Real>(kInputs);
  std::vector<std::uint32_t> centred;
  Array<Real> values{kInputs * padded_width(kWidth)}, average;
  AdamState<Real> state{kInputs * padded_width(kWidth)};
  LazyRows<Real> lazy{place, adam, {kSlowest}};
};

void expect_close(const Array<double>& lazy, const Array<double>& eager, double tolerance,
                  const char* what) {
  for (std::size_t i = 0; i < lazy.size(); ++i)
    ASSERT_NEAR(lazy[i], eager[i], tolerance) << what << ' ' << i;
}

// How far lazy and eager steps may be apart, over some and over very many steps.
void expect_eager(const AdamOptions& adam, double tolerance, double of_average) {
  ThreadPool pool(2);
  for (const std::uint64_t steps : {1U, 2U, 50U, 5000U}) {
    Problem<double> lazy(adam), eager(adam);
    for (std::uint64_t t = 0; t < steps; ++t) lazy.lazy_step(pool, t), eager.eager_step(pool, t);
    lazy.lazy.settle(pool, lazy.buffers());
    expect_close(lazy.values, eager.values, tolerance, "value");
    expect_close(lazy.average, eager.average, of_average, "average");
    expect_close(lazy.state.first, eager.state.first, 1e-12, "first");
    expect_close(lazy.state.second, eager.state.second, 1e-12, "second");
  }
}

TEST(LazyRows, are_the_eager_steps_where_epsilon_is_nothing) {
  expect_eager({.rate = 0.01, .epsilon = 1e-300}, 1e-11, 1e-11);
  expect_eager({.rate = 0.01, .beta1 = 0.5, .beta2 = 0.99, .epsilon = 1e-300}, 1e-11, 1e-11);
}

// Each weight moves by up to 0.01 here.
TEST(LazyRows, are_the_eager_steps_where_epsilon_is_all_but_for_the_average) {
  expect_eager({.rate = 1e4, .epsilon = 1e10}, 1e-11, 1e-6);
}

// An epsilon as large as sqrt(v) is the worst case: each weight moves by up to 1 here.
TEST(LazyRows, are_close_to_the_eager_steps_in_between) {
  expect_eager({.rate = 0.01, .epsilon = 0.1}, 2e-3, 2e-3);
  expect_eager({.rate = 0.01}, 1e-6, 1e-6);
}

template <class Real>
std::vector<Real> all_of(const Problem<Real>& p) {
  std::vector<Real> out(p.values.begin(), p.values.end());
  for (const Array<Real>* more : {&p.average, &p.state.first, &p.state.second})
    out.insert(out.end(), more->begin(), more->end());
  return out;
}

void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

std::vector<float> trained(std::size_t threads, std::uint64_t stop_every) {
  ThreadPool pool(threads);
  Problem<float> p({});
  for (std::uint64_t t = 0; t < 40; ++t) {
    p.lazy_step(pool, t);
    if (t % stop_every != stop_every - 1) continue;
    const std::vector<std::uint64_t> missed = p.lazy.missed(p.state.step);
    p.lazy = LazyRows<float>(p.place, p.adam, {kSlowest});
    EXPECT_TRUE(p.lazy.set_missed(missed, p.state.step));
  }
  p.lazy.settle(pool, p.buffers());
  return all_of(p);
}

TEST(LazyRows, same_bits_for_any_number_of_threads) {
  for (const std::size_t threads : {2U, 3U, 8U})
    expect_same_bits(trained(threads, 1000), trained(1, 1000));
}

TEST(LazyRows, go_on_from_what_was_written_down_with_the_same_bits) {
  for (const std::uint64_t stop_every : {1U, 7U})
    expect_same_bits(trained(1, stop_every), trained(1, 1000));
}

TEST(LazyRows, refuse_to_have_missed_more_than_there_was) {
  Problem<float> p({});
  std::vector<std::uint64_t> missed(kInputs);
  EXPECT_TRUE(p.lazy.set_missed(missed, 10));
  missed[5] = 11;
  EXPECT_FALSE(p.lazy.set_missed(missed, 10));
  EXPECT_FALSE(p.lazy.set_missed(std::vector<std::uint64_t>(kInputs - 1), 10));
  missed[5] = 3000;  // all are brought up to date more often
  EXPECT_FALSE(p.lazy.set_missed(missed, 4000));
}

TEST(TouchedInputs, is_the_batch_by_columns) {
  CsrMatrix rows;
  rows.cols = 9;
  for (const std::uint32_t column : {2U, 7U, 7U, 8U}) rows.columns.push_back(column);
  for (const float value : {1.F, 2.F, 3.F, 4.F}) rows.values.push_back(value);
  for (const std::size_t start : {0U, 2U, 2U, 4U}) rows.starts.push_back(start);
  const std::vector<std::size_t> order{2, 0};
  const std::vector<float> centre(9, 0.5F);
  const std::vector<std::uint32_t> centred{4};
  TouchedInputs touched(9);
  for (int turn = 0; turn < 2; ++turn) {  // it forgets the batch before
    touched.find<float>(
        {.sparse = &rows, .sparse_rows = order, .centre = centre.data(), .centred = centred});
    ASSERT_EQ(std::vector(touched.inputs().begin(), touched.inputs().end()),
              (std::vector<std::uint32_t>{4, 7, 8, 2}));
    EXPECT_TRUE(touched.entries(0).empty());
    ASSERT_EQ(touched.entries(1).size(), 2U);
    EXPECT_EQ(touched.entries(1)[0].row, 0U);
    EXPECT_EQ(touched.entries(1)[0].value, 3.F);
    EXPECT_EQ(touched.entries(1)[1].row, 1U);
    EXPECT_EQ(touched.entries(1)[1].value, 2.F);
    EXPECT_EQ(touched.entries(2)[0].value, 4.F);
    EXPECT_EQ(touched.entries(3)[0].value, 1.F);
  }
}

}  // namespace
}  // namespace sieve
