#include "linalg/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "labelsieve/data_io.h"
#include "linalg/paging.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Rows of which `filled` of 100 numbers are not 0.
Matrix rows_filled(std::size_t filled, std::size_t rows = 50) {
  Matrix x(rows, 100);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < filled; ++j)
      x(i, (7 * i + j) % 100) = static_cast<float>(1 + i + j);
  return x;
}

const float* values_of(const Features& x) {
  return x.is_sparse() ? x.sparse().values.data() : x.dense().data();
}

TEST(Storage, is_decided_by_the_numbers_alone) {
  for (const std::size_t filled : {0U, 1U, 10U, 24U, 25U, 26U, 40U, 60U, 100U}) {
    const Features dense = rows_filled(filled), sparse = dense.to_sparse();
    for (const Features& x : {dense, sparse}) {
      const Features stored = stored_by_content(x);
      EXPECT_EQ(stored.is_sparse(), filled <= 25) << filled;
      EXPECT_TRUE(same_values(stored, dense)) << filled;
    }
  }
}

TEST(Storage, that_is_right_is_not_copied) {
  const Features dense = rows_filled(80), sparse = Features(rows_filled(5)).to_sparse();
  EXPECT_EQ(values_of(stored_by_content(dense)), values_of(dense));
  EXPECT_EQ(values_of(stored_by_content(sparse)), values_of(sparse));
}

TEST(Storage, of_very_many_rows_is_decided_by_some_of_them) {
  Matrix x(20000, 4);
  for (std::size_t i = 0; i < x.rows(); ++i) x(i, i % 4) = 1;
  EXPECT_TRUE(are_mostly_zero(Features(x.clone())));
  for (std::size_t i = 0; i < x.rows(); i += 2) x(i, 0) = x(i, 1) = x(i, 2) = x(i, 3) = 2;
  EXPECT_FALSE(are_mostly_zero(Features(x.clone())));
}

TEST(Storage, zeros_in_a_callers_sparse_rows_do_not_count) {
  const std::vector<float> values = {0, 5, 0, 0, 6, 0};
  const std::vector<std::int32_t> starts = {0, 3, 6}, columns = {0, 1, 2, 0, 7, 9};
  const Features x = view_sparse<float, std::int32_t>(10, starts, columns, values);
  const Features stored = stored_by_content(x);
  EXPECT_TRUE(stored.is_sparse());
  RowRoom room;
  const RowEntries row = stored.row(1, room);
  ASSERT_EQ(row.count, 1U);
  EXPECT_EQ(row.columns[0], 7U);
  EXPECT_EQ(row.values[0], 6);
  EXPECT_EQ(stored.plain().sparse().nonzeros(), 2U);
  EXPECT_EQ(x.plain().sparse().nonzeros(), 2U);
}

TEST(Storage, a_view_in_another_form_has_the_same_rows) {
  const Features dense = rows_filled(30), sparse = dense.to_sparse();
  const std::vector<std::size_t> some = {3, 3, 49, 0};
  for (const Features& view : {seen_as_sparse(dense), seen_as_dense(sparse)}) {
    EXPECT_TRUE(same_values(view, dense));
    EXPECT_TRUE(same_values(view.subset(some), dense.subset(some)));
    EXPECT_EQ(view.nonzeros(), sparse.nonzeros());
    EXPECT_EQ(view.plain().is_sparse(), view.is_sparse());
  }
  EXPECT_TRUE(same_values(seen_as_sparse(dense.subset(some)), dense.subset(some)));
  EXPECT_EQ(seen_as_sparse(dense).bytes(), sparse.bytes());
  EXPECT_EQ(seen_as_dense(sparse).bytes(), dense.bytes());
}

TEST(Storage, a_view_of_a_mapped_file_is_mapped_too) {
  const TempFolder folder;
  Dataset data;
  data.features = Features(rows_filled(5));
  data.candidates = LabelMatrix(50, 1);
  data.label_names = {"a"};
  write_dataset(data, folder / "set.sieve");
  const Features mapped = read_dataset({folder / "set.sieve"}).features;
  ASSERT_TRUE(is_mapped(mapped));
  const Features view = seen_as_sparse(mapped);
  EXPECT_TRUE(is_mapped(view));
  const std::vector<std::size_t> some = {4, 2};
  expect_rows(view.subset(some), std::vector<std::size_t>{1});
  give_back(view);
  EXPECT_TRUE(same_values(view, mapped));
}

}  // namespace
}  // namespace sieve::test
