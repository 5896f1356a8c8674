#include "data/feature_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "linalg/paging.h"
#include "support/support.h"

namespace sieve {
namespace {

using ::testing::ElementsAreArray;

enum class Step { None, Next, Parse, Take, Finish };

// Forty blocks of one, two or no rows; one step of one block may fail. Says what was finished.
struct Stream {
  static constexpr std::size_t kBlocks = 40;
  Step failing = Step::None;
  std::size_t failing_block = 0;
  std::vector<std::size_t> finished{};  // first rows of the blocks

  void step(Step which, std::size_t block) const {
    if (which == failing && block == failing_block) throw std::runtime_error("out of order");
  }
  std::size_t run(std::size_t threads) {
    finished.clear();
    ThreadPool pool(threads);
    std::size_t begun = 0;
    FeatureStream<std::size_t> stream(
        [&](std::size_t& block) {
          block = begun++;
          if (block < kBlocks) step(Step::Next, block);
          return block < kBlocks;
        },
        [&](std::size_t block, FeatureBlock& out) {
          step(Step::Parse, block);
          out.features = Matrix(block % 3, 1);
          for (std::size_t i = 0; i < block % 3; ++i)
            out.features.dense()(i, 0) = static_cast<float>(block);
        },
        {"a"}, take());
    return stream.run(&pool, 100);
  }
  TakeFeatures take() {
    return [this](FeatureBlock& block) {
      const auto number = static_cast<std::size_t>(block.features.dense()(0, 0));
      EXPECT_EQ(block.names, std::vector<std::string>{"a"});
      step(Step::Take, number);
      return [this, number, first = block.first_row] {
        step(Step::Finish, number);
        finished.push_back(first);
      };
    };
  }
  // Blocks with rows, up to the one that fails.
  std::vector<std::size_t> expected() const {
    std::vector<std::size_t> rows;
    std::size_t row = 100;
    for (std::size_t b = 0; b < (failing == Step::None ? kBlocks : failing_block); row += b++ % 3)
      if (b % 3 != 0) rows.push_back(row);
    return rows;
  }
};

TEST(FeatureStream, blocks_are_finished_in_order_with_their_row_numbers) {
  for (const std::size_t threads : {1U, 2U, 8U}) {
    Stream stream;
    EXPECT_EQ(stream.run(threads), 139U);
    EXPECT_THAT(stream.finished, ElementsAreArray(stream.expected()));
  }
}

TEST(FeatureStream, a_failure_comes_out_when_all_before_it_is_finished_and_nothing_after) {
  for (const Step failing : {Step::Next, Step::Parse, Step::Take, Step::Finish})
    for (const std::size_t block : {1U, 20U, 38U})
      for (const std::size_t threads : {1U, 2U, 8U}) {
        Stream stream{failing, block};
        EXPECT_THROW(stream.run(threads), std::runtime_error);
        EXPECT_THAT(stream.finished, ElementsAreArray(stream.expected()));
      }
}

TEST(FeatureStream, parts_of_a_mapped_file_are_its_rows) {
  const test::TempFolder folder;
  Dataset data;
  data.features = Matrix(7, 20);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = i; j < 20; j += 2) data.features.dense()(i, j) = static_cast<float>(i + j);
  data.candidates = LabelMatrix(7, 1);
  data.candidates.set(0, 0);
  data.label_names = {"a"};
  for (const bool sparse : {false, true}) {
    if (sparse) data.features = data.features.to_sparse();
    const std::string path = folder / (sparse ? "sparse.sieve" : "dense.sieve");
    write_dataset(data, path);
    const ReadOptions options;
    const Dataset mapped = read_dataset({path}, options);
    ASSERT_TRUE(is_mapped(mapped.features));
    const Features part = mapped.features.slice(2, 5);
    EXPECT_TRUE(is_mapped(part));
    EXPECT_TRUE(same_values(part, data.features.slice(2, 5)));
    EXPECT_EQ(part.rows(), 3U);
    EXPECT_EQ(mapped.features.slice(7, 7).rows(), 0U);
  }
}

}  // namespace
}  // namespace sieve
