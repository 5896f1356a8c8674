#include "labelsieve/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "labelsieve/labels.h"
#include "support/support.h"

namespace sieve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Matrix matrix_of(std::initializer_list<std::initializer_list<float>> rows) {
  Matrix m(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::ranges::copy(row, m.row(i++).begin());
  return m;
}

TEST(Matrix, rows_are_padded_to_whole_lines) {
  EXPECT_EQ(padded_stride(0), 1U);
  EXPECT_EQ(padded_stride(1), 1U);
  EXPECT_EQ(padded_stride(5), 8U);
  EXPECT_EQ(padded_stride(16), 16U);
  EXPECT_EQ(padded_stride(98), 112U);
  const Matrix m(3, 98);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.row(i).data()) % 64, 0U);
}

TEST(Array, growing_keeps_the_content_and_zeroes_the_rest) {
  Array<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 1000000; ++i) numbers.push_back(i);
  for (std::uint32_t i = 0; i < 1000000; ++i) ASSERT_EQ(numbers[i], i);
  numbers.resize(10);
  numbers.resize(700000);
  EXPECT_EQ(numbers[9], 9U);
  for (std::size_t i = 10; i < 700000; ++i) ASSERT_EQ(numbers[i], 0U);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers[9], 9U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0U);
}

TEST(Array, moving_leaves_an_empty_one_behind) {
  Array<float> a(5);
  a[4] = 7;
  Array<float> b = std::move(a);
  EXPECT_EQ(b[4], 7);
  EXPECT_EQ(a.size(), 0U);  // NOLINT: that is what is tested
}

TEST(Features, copies_share_their_numbers_until_one_is_written_to) {
  const Features one(matrix_of({{1, 2}, {3, 4}}));
  Features other = one;
  EXPECT_EQ(std::as_const(other).dense().data(), one.dense().data());
  other.dense()(1, 1) = 7;
  EXPECT_EQ(one.dense()(1, 1), 4);
  EXPECT_EQ(std::as_const(other).dense()(1, 1), 7);
}

TEST(Features, a_subset_looks_at_rows_where_they_are) {
  const Features dense(matrix_of({{0, 1}, {2, 0}, {4, 5}, {6, 7}}));
  const Features sparse(dense.to_sparse());
  for (const Features& all : {dense, sparse}) {
    const Features some = all.subset(std::vector<std::size_t>{3, 1, 1, 0});
    EXPECT_TRUE(same_values(some, Features(matrix_of({{6, 7}, {2, 0}, {2, 0}, {0, 1}}))));
    EXPECT_EQ(some.nonzeros(), 5U);
    const Features of_those = some.subset(std::vector<std::size_t>{2, 0});
    EXPECT_TRUE(same_values(of_those, Features(matrix_of({{2, 0}, {6, 7}}))));
    RowRoom room;
    EXPECT_EQ(of_those.row(0, room).values, all.row(1, room).values);
    EXPECT_EQ(of_those.is_sparse(), all.is_sparse());
    EXPECT_THROW(all.is_sparse() ? (void)of_those.sparse() : (void)of_those.dense(),
                 std::logic_error);
    EXPECT_TRUE(same_values(of_those.plain(), of_those));
    EXPECT_TRUE(of_those.plain().is_plain());
    EXPECT_EQ(all.subset({}).rows(), 0U);
  }
}

TEST(Features, a_subset_is_written_to_without_the_others) {
  const Features all(matrix_of({{0, 1}, {2, 0}}));
  Features last = all.subset(std::vector<std::size_t>{1});
  last.dense()(0, 0) = 9;
  EXPECT_EQ(all.dense()(1, 0), 2);
  EXPECT_TRUE(same_values(last, Features(matrix_of({{9, 0}}))));
}

template <class Real>
void expect_looks_at_dense() {
  const Real gap = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<Real> buffer = {1, 2, gap, gap, 3, Real(0.1), gap, gap};
  const std::vector<Real> before = {buffer[0], buffer[1], buffer[4], buffer[5]};
  Features x = view_dense(buffer.data(), 2, 2, 4);
  EXPECT_TRUE(same_values(x, Features(matrix_of({{1, 2}, {3, 0.1F}}))));
  EXPECT_TRUE(same_values(x.to_sparse(), x));
  EXPECT_FALSE(x.is_plain());
  x.dense()(0, 0) = 7;
  EXPECT_EQ(buffer[0], before[0]);
  EXPECT_EQ(std::as_const(x).dense()(0, 0), 7);
}

TEST(Features, look_at_a_callers_dense_rows) {
  expect_looks_at_dense<float>();
  expect_looks_at_dense<double>();
}

template <class Real, class Index>
void expect_looks_at_sparse() {
  const std::vector<Index> starts = {0, 2, 2, 3}, columns = {0, 2, 1};
  const std::vector<Real> values = {1, -2, 3};
  Features x = view_sparse<Real, Index>(3, starts, columns, values);
  EXPECT_TRUE(x.is_sparse());
  EXPECT_EQ(x.nonzeros(), 3U);
  EXPECT_TRUE(same_values(x, Features(matrix_of({{1, 0, -2}, {0, 0, 0}, {0, 3, 0}}))));
  EXPECT_TRUE(same_values(x.subset(std::vector<std::size_t>{2}), Features(matrix_of({{0, 3, 0}}))));
  x.sparse().values[0] = 7;
  EXPECT_EQ(values[0], 1);
}

TEST(Features, look_at_a_callers_sparse_rows) {
  expect_looks_at_sparse<float, std::int32_t>();
  expect_looks_at_sparse<float, std::uint64_t>();
  expect_looks_at_sparse<double, std::uint32_t>();
  expect_looks_at_sparse<double, std::int64_t>();
}

TEST(Features, refuse_a_callers_sparse_rows_that_are_out_of_order) {
  using Numbers = std::vector<std::int32_t>;
  const auto refused = [](const Numbers& starts, const Numbers& columns, std::size_t values) {
    const std::vector<float> ones(values, 1);
    int code = 0;
    const std::string message =
        test::refusal([&] { view_sparse<float, std::int32_t>(3, starts, columns, ones); }, &code);
    EXPECT_EQ(code, message.empty() ? 0 : 3);
    return message;
  };
  EXPECT_EQ(refused({0, 2, 3}, {0, 2, 1}, 3), "");
  EXPECT_EQ(refused({}, {}, 0), "");
  EXPECT_THAT(refused({0, 2}, {2, 0}, 2), HasSubstr("column 0 in row 1"));
  EXPECT_THAT(refused({0, 2}, {1, 1}, 2), HasSubstr("column 1 in row 1"));
  EXPECT_THAT(refused({0, 0, 1}, {3}, 1), HasSubstr("column 3 in row 2"));
  EXPECT_THAT(refused({0, 1}, {-1}, 1), HasSubstr("column -1 in row 1"));
  EXPECT_THAT(refused({0, 2}, {0, 1}, 1), HasSubstr("more columns than values"));
  EXPECT_THAT(refused({0, 3}, {0, 1}, 2), HasSubstr("ends behind the last value"));
  EXPECT_THAT(refused({0, 2, 1, 2}, {0, 1}, 2), HasSubstr("row 2 ends early"));
  EXPECT_THAT(refused({-1, 1}, {0}, 1), HasSubstr("row 1 ends early"));
}

TEST(Features, hold_what_a_callers_numbers_live_in) {
  auto owner = std::make_shared<std::vector<float>>(4, 1.0F);
  const std::weak_ptr<std::vector<float>> watched = owner;
  Features x = view_dense(owner->data(), 2, 2, 2, owner);
  owner.reset();
  const Features copy = x.subset(std::vector<std::size_t>{1});
  x = Features();
  EXPECT_FALSE(watched.expired());
  EXPECT_TRUE(same_values(copy, Features(matrix_of({{1, 1}}))));
}

TEST(Features, dense_and_sparse_hold_the_same_numbers) {
  const Features dense(matrix_of({{0, 1.5F, 0}, {-0.0F, 0, 2}, {0, 0, 0}}));
  const Features sparse(dense.to_sparse());
  EXPECT_TRUE(same_values(dense, sparse));
  EXPECT_EQ(sparse.nonzeros(), 3U);  // -0 is stored: it is not the plain 0
  EXPECT_EQ(dense.nonzeros(), 2U);
  EXPECT_TRUE(same_values(Features(sparse.to_dense(1000)), sparse));
  EXPECT_FALSE(same_values(dense, Features(matrix_of({{0, 1.5F, 0}, {0, 0, 2}, {0, 0, 0}}))));
}

TEST(Features, rows_are_picked_in_any_order_with_repeats) {
  const Features dense(matrix_of({{1, 0}, {2, 3}, {0, 4}}));
  const Features sparse(dense.to_sparse());
  const std::vector<std::size_t> rows = {2, 0, 2};
  const Features expected(matrix_of({{0, 4}, {1, 0}, {0, 4}}));
  EXPECT_TRUE(same_values(dense.select_rows(rows), expected));
  EXPECT_TRUE(same_values(sparse.select_rows(rows), expected));
  EXPECT_TRUE(sparse.select_rows(rows).is_sparse());
}

TEST(Features, stacking_keeps_order_and_mixes_storage) {
  const Features top(matrix_of({{1, 0}})), bottom(matrix_of({{0, 2}, {3, 4}}));
  const Features all(matrix_of({{1, 0}, {0, 2}, {3, 4}}));
  EXPECT_TRUE(same_values(stack_rows(top, bottom), all));
  EXPECT_TRUE(same_values(stack_rows(top.to_sparse(), bottom), all));
  EXPECT_TRUE(same_values(stack_rows(top, Features(bottom.to_sparse())), all));
}

TEST(Features, refuse_to_become_dense_beyond_the_budget) {
  CsrMatrix wide;
  wide.cols = 1000000000;
  for (int i = 0; i < 1001; ++i) wide.starts.push_back(0);
  const Features features(std::move(wide));
  EXPECT_THAT(test::refusal([&] { features.to_dense(1U << 30); }), HasSubstr("4000000 MB"));
}

TEST(LabelMatrix, shared_bits_are_copied_when_one_is_written_to) {
  LabelMatrix one = test::labels_of({"10", "01"});
  LabelMatrix other = one.share();
  other.set(0, 1);
  EXPECT_EQ(one, test::labels_of({"10", "01"}));
  EXPECT_EQ(other, test::labels_of({"11", "01"}));
  LabelMatrix longer = one.share();
  longer.resize_rows(3);
  one.set(1, 0);
  EXPECT_EQ(longer, test::labels_of({"10", "01", "00"}));
}

TEST(LabelMatrix, counts_and_visits_labels_across_words) {
  LabelMatrix labels(2, 130);
  for (const std::size_t k : {0U, 63U, 64U, 129U}) labels.set(1, k);
  std::vector<std::size_t> seen;
  labels.for_each(1, [&](std::size_t k) { seen.push_back(k); });
  EXPECT_THAT(seen, ElementsAre(0, 63, 64, 129));
  EXPECT_EQ(labels.count(0), 0U);
  EXPECT_EQ(labels.count(1), 4U);
  EXPECT_EQ(labels.count(), 4U);
  labels.set(1, 64, false);
  EXPECT_FALSE(labels.get(1, 64));
  EXPECT_EQ(labels.label_counts()[129], 1U);
}

TEST(LabelMatrix, selects_rows_and_labels) {
  const LabelMatrix labels = test::labels_of({"1010", "0001"});
  const std::vector<std::size_t> rows = {1, 0}, columns = {3, 0};
  EXPECT_EQ(labels.select_rows(rows), test::labels_of({"0001", "1010"}));
  EXPECT_EQ(labels.select_labels(columns), test::labels_of({"01", "10"}));
  EXPECT_EQ(count_outside(labels, test::labels_of({"1000", "1111"})), 1U);
}

}  // namespace
}  // namespace sieve
