#include "labelsieve/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

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
  EXPECT_TRUE(same_values(stack_rows(top.clone(), bottom), all));
  EXPECT_TRUE(same_values(stack_rows(top.to_sparse(), bottom), all));
  EXPECT_TRUE(same_values(stack_rows(top.clone(), Features(bottom.to_sparse())), all));
}

TEST(Features, refuse_to_become_dense_beyond_the_budget) {
  CsrMatrix wide;
  wide.cols = 1000000000;
  for (int i = 0; i < 1001; ++i) wide.starts.push_back(0);
  const Features features(std::move(wide));
  EXPECT_THAT(test::refusal([&] { features.to_dense(1U << 30); }), HasSubstr("4000000 MB"));
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
