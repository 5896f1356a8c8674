#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"
#include "methods/forest/binned.h"
#include "methods/forest/out_of_bag.h"
#include "methods/forest/split_kernels.h"
#include "methods/forest/tree.h"
#include "methods/shared/out_of_fold.h"
#include "support/support.h"
#include "support/targets.h"

namespace sieve::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// Label k is right where feature k is positive, and a candidate elsewhere with this probability.
TrainingData crowd(std::size_t rows, std::size_t features, std::size_t labels, double noise) {
  Random random(3, Purpose::Test);
  TrainingData data;
  Matrix x(rows, features);
  data.candidates = LabelMatrix(rows, labels);
  for (std::size_t i = 0; i < rows; ++i) {
    for (float& value : x.row(i)) value = static_cast<float>(random.uniform(-1, 1));
    for (std::size_t k = 0; k < labels; ++k)
      data.candidates.set(i, k, x(i, k) > 0 || random.chance(noise));
  }
  data.features = std::move(x);
  for (std::size_t k = 0; k < labels; ++k) data.label_names.push_back("l" + std::to_string(k));
  return data;
}

std::unique_ptr<Learner> forest(const std::vector<std::pair<std::string, std::string>>& settings) {
  const MethodInfo& method = method_info("forest");
  Options options(method.options);
  for (const auto& [key, value] : settings) options.set(key, value);
  return method.make(options);
}

// ---- codes

TEST(ForestCodes, keep_up_to_256_values_apart_and_cut_others_evenly) {
  std::vector<float> few{3, 1, 2, 2, 1}, many;
  EXPECT_EQ(find_cuts(few, 0), (std::vector<float>{1.5F, 2.5F}));
  EXPECT_EQ(find_cuts(few, 2), (std::vector<float>{0.5F, 1.5F, 2.5F}));
  for (int i = 0; i < 256; ++i) many.push_back(static_cast<float>(i));
  EXPECT_EQ(find_cuts(many, 0).size(), 255U);
  Random random(1, Purpose::Test);
  many.clear();
  for (int i = 0; i < 25600; ++i) many.push_back(static_cast<float>(random.normal()));
  const std::vector<float> cuts = find_cuts(many, 0);
  ASSERT_EQ(cuts.size(), 255U);
  for (std::size_t c = 0; c < cuts.size(); ++c)  // `many` is sorted by now
    EXPECT_EQ(std::ranges::upper_bound(many, cuts[c]) - many.begin(),
              static_cast<std::ptrdiff_t>(100 * (c + 1)));
}

TEST(ForestCodes, a_cut_parts_neighbours_that_float_can_hardly_tell_apart) {
  const float one = 1, next = std::nextafter(one, 2.0F);
  std::vector<float> values{next, one, -1e38F, 1e38F};
  const std::vector<float> cuts = find_cuts(values, 0);
  ASSERT_EQ(cuts.size(), 3U);
  EXPECT_GE(cuts[1], one);
  EXPECT_LT(cuts[1], next);
  EXPECT_THAT(cuts, Each(::testing::Truly([](float cut) { return std::isfinite(cut); })));
}

TEST(ForestCodes, tell_on_which_side_of_each_cut_a_number_is) {
  ThreadPool pool(2);
  Features dense = crowd(700, 5, 2, 0.2).features.dense().clone();
  for (std::size_t i = 0; i < 700; ++i) {
    dense.dense()(i, 1) = std::round(dense.dense()(i, 1) * 3);
    dense.dense()(i, 2) = std::max(dense.dense()(i, 2), 0.0F);
    dense.dense()(i, 3) = 7;
  }
  const Features sparse = dense.to_sparse();
  const Binned codes(dense, 1, pool), sparse_codes(sparse, 1, pool);
  EXPECT_TRUE(codes.cuts(3).empty());
  for (std::size_t j = 0; j < 5; ++j) {
    const std::span<const float> cuts = codes.cuts(j);
    ASSERT_TRUE(std::ranges::equal(cuts, sparse_codes.cuts(j)));
    for (std::size_t i = 0; i < 700; ++i) {
      const auto below = std::ranges::count_if(
          cuts, [&](float cut) { return cut < std::as_const(dense).dense()(i, j); });
      ASSERT_EQ(codes.code(i, j), below);
      ASSERT_EQ(sparse_codes.code(i, j), below);
    }
  }
}

TEST(ForestCodes, count_the_cuts_below_a_number) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  with_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    Cuts columns;
    for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 32U, 100U, 240U, 255U}) {
      std::vector<float> cuts;
      for (std::size_t c = 0; c < count; ++c) cuts.push_back(static_cast<float>(c) - 20);
      columns.add(cuts);
      ASSERT_TRUE(std::ranges::equal(columns.of(columns.columns() - 1), cuts));
      for (const float value : {-kInfinite, -20.0F, -19.5F, 0.0F, 11.5F, 12.0F, 233.5F, kInfinite})
        EXPECT_EQ(columns.code(columns.columns() - 1, value),
                  std::ranges::count_if(cuts, [&](float cut) { return cut < value; }))
            << count << " cuts, " << value;
    }
  });
}

TEST(SortFloats, does_what_comparing_does) {
  Random random(2, Purpose::Test);
  std::vector<std::uint32_t> room;
  for (const std::size_t count : {0U, 3U, 127U, 128U, 5000U, 200U}) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(i % 3 == 0 ? static_cast<float>(random.normal()) * 1e30F
                                  : static_cast<float>(random.below(40)) - 20);
    std::vector<float> wanted = values;
    std::ranges::sort(wanted);
    sort_floats(values, room);
    EXPECT_EQ(values, wanted);
  }
}

// ---- splits

// A node of random rows, and what its splits are worth by the plain formula.
class SplitKernelsTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  SplitKernelsTest()
      : rows_(GetParam()), codes_(padded_rows(rows_)), labels_(rows_, kLabels), set_(room()) {
    Random random(rows_, Purpose::Test);
    for (std::size_t i = 0; i < rows_; ++i) {
      codes_[i] = static_cast<std::uint8_t>(random.below(200) + 20);
      for (std::size_t k = 0; k < kLabels; ++k)
        labels_.set(i, k, random.chance(0.1 * double(k % 9)));
    }
    words_ = room();
    planes_.resize(kLabels * words_);
    totals_.resize(kLabels);
    lane_rows_.resize(rows_ * kLanes);
    lane_totals_.resize(kLanes);
    for (std::size_t k = 0; k < kLabels; ++k) {
      for (std::size_t i = 0; i < rows_; ++i)
        if (labels_.get(i, k)) {
          planes_[k * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
          lane_rows_[i * kLanes + k] = 1;
          ++totals_[k];
        }
      lane_totals_[k] = totals_[k];
    }
    for (std::size_t i = 0; i < rows_; ++i) lane_rows_[i * kLanes + kLanes - 1] = 1;
    lane_totals_.back() = static_cast<std::uint32_t>(rows_);
    small_totals_.assign(lane_totals_.begin(), lane_totals_.end());
    for (const std::uint64_t total : totals_) squares_ += total * total;
  }

  std::size_t room() const { return (rows_ + 63) / 64; }
  LabelPlanes planes(std::size_t least) const {
    return {rows_, words_, kLabels, planes_.data(), totals_.data(), squares_, least};
  }
  LabelRows lanes() const {
    return {kLanes, lane_rows_.data(), lane_totals_.data(), small_totals_.data(),
            squares_ + rows_ * rows_};
  }
  // Below 0 where a side is too small.
  double gain_after(std::uint8_t code, std::size_t least) const {
    double gain = 0;
    std::size_t left = 0;
    for (std::size_t i = 0; i < rows_; ++i) left += codes_[i] <= code ? 1 : 0;
    if (left < least || rows_ - left < least) return -1;
    for (std::size_t k = 0; k < kLabels; ++k) {
      double count = 0;
      for (std::size_t i = 0; i < rows_; ++i)
        count += codes_[i] <= code && labels_.get(i, k) ? 1 : 0;
      const double rest = double(totals_[k]) - count;
      gain += count * count / double(left) + rest * rest / double(rows_ - left);
    }
    return gain;
  }
  void expect_set(std::uint8_t code) const {
    for (std::size_t i = 0; i < rows_; ++i)
      ASSERT_EQ(set_[i / 64] >> (i % 64) & 1U, codes_[i] <= code ? 1U : 0U) << i;
  }

  static constexpr std::size_t kLabels = 20, kLanes = 32;
  std::size_t rows_, words_ = 0;
  Array<std::uint8_t> codes_;
  LabelMatrix labels_;
  std::vector<std::uint64_t> planes_;
  std::vector<std::uint32_t> totals_, lane_totals_;
  std::vector<std::int16_t> small_totals_;
  std::vector<std::uint8_t> lane_rows_;
  std::uint64_t squares_ = 0;
  Array<std::uint64_t> set_;
};

TEST_P(SplitKernelsTest, random_cuts_lie_between_two_codes_and_have_their_gain) {
  with_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    const auto [low, high] = std::ranges::minmax(std::span(codes_.data(), rows_));
    for (const std::uint32_t random : {0U, 1U << 31, 0xffffffffU, 123456789U}) {
      const Cut cut = split_kernels().random_cut(planes(1), {codes_.data()}, random, set_.data());
      ASSERT_FALSE(cut.constant);
      EXPECT_GE(cut.code, low);
      EXPECT_LT(cut.code, high);
      EXPECT_NEAR(cut.gain, gain_after(cut.code, 1), 1e-9 * cut.gain);
      expect_set(cut.code);
    }
    EXPECT_LT(split_kernels().random_cut(planes(rows_), {codes_.data()}, 5, set_.data()).gain, 0);
  });
}

TEST_P(SplitKernelsTest, gains_are_the_same_by_rows_of_labels) {
  std::vector<std::uint32_t> rows(rows_), room(kLabels);
  std::iota(rows.begin(), rows.end(), 0U);
  LabelPlanes by_rows = planes(1);
  const std::uint64_t vary = (std::uint64_t{1} << kLabels) - 1;
  by_rows.row_words = {
      labels_.words(0).data(), 1, rows.data(), &vary, totals_.data(), room.data(), 0};
  with_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    // Few rows on the left, about half, few on the right.
    for (const std::uint32_t random : {0U, 1U << 31, 0xffffffffU}) {
      const Cut cut = split_kernels().random_cut(planes(1), {codes_.data()}, random, set_.data());
      const Cut same = split_kernels().random_cut(by_rows, {codes_.data()}, random, set_.data());
      EXPECT_EQ(same.gain, cut.gain);
      EXPECT_EQ(same.code, cut.code);
    }
    EXPECT_THAT(room, Each(0U));
  });
}

TEST_P(SplitKernelsTest, the_best_cut_is_the_best_of_all) {
  for (const std::size_t least : {std::size_t{1}, rows_ / 3}) {
    double best = -1;
    for (std::uint8_t code = 0; code < 255; ++code)
      best = std::max(best, gain_after(code, std::max<std::size_t>(1, least)));
    with_each_target([&](const std::string& target) {
      SCOPED_TRACE(target);
      Array<std::uint32_t> histogram(257 * kLanes);
      for (int again = 0; again < 2; ++again) {  // the room is left as it was found
        const Cut cut = split_kernels().best_cut(planes(std::max<std::size_t>(1, least)), lanes(),
                                                 {codes_.data()}, histogram.data(), set_.data());
        if (best < 0) {
          EXPECT_LT(cut.gain, 0);
          continue;
        }
        // The lane that counts the rows adds as many.
        EXPECT_NEAR(cut.gain - double(rows_), best, 1e-9 * best);
        EXPECT_NEAR(gain_after(cut.code, 1), best, 1e-9 * best);
        expect_set(cut.code);
      }
      EXPECT_THAT(std::vector<std::uint32_t>(histogram.begin(), histogram.end()), Each(0U));
    });
  }
}

TEST_P(SplitKernelsTest, rows_are_divided_in_their_order) {
  with_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    split_kernels().random_cut(planes(1), {codes_.data()}, 1U << 30, set_.data());
    std::vector<std::uint32_t> rows(rows_), second(rows_ + kRowPad), first_wanted, second_wanted;
    for (std::uint32_t i = 0; i < rows_; ++i) {
      rows[i] = 7 * i;
      const bool first = (set_[i / 64] >> (i % 64) & 1U) != 0;
      (first ? first_wanted : second_wanted).push_back(rows[i]);
    }
    const std::size_t count =
        split_kernels().divide(rows.data(), rows_, set_.data(), second.data());
    rows.resize(count);
    second.resize(rows_ - count);
    EXPECT_EQ(rows, first_wanted);
    EXPECT_EQ(second, second_wanted);
  });
}

TEST_P(SplitKernelsTest, constant_codes_are_noticed) {
  std::fill(codes_.begin(), codes_.end(), std::uint8_t{9});
  with_each_target([&](const std::string& target) {
    SCOPED_TRACE(target);
    Array<std::uint32_t> histogram(257 * kLanes);
    EXPECT_TRUE(split_kernels().random_cut(planes(1), {codes_.data()}, 5, set_.data()).constant);
    EXPECT_TRUE(split_kernels()
                    .best_cut(planes(1), lanes(), {codes_.data()}, histogram.data(), set_.data())
                    .constant);
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, SplitKernelsTest, ::testing::Values(3, 16, 63, 64, 65, 1000, 17000));

// ---- trees

// Where rows end up.
class Leaves {
 public:
  explicit Leaves(const Tree& tree)
      : tree_(tree), children_(tree.features.size()), leaf_(tree.features.size()) {
    std::size_t splits = 0;
    for (std::size_t n = 0; n < tree.features.size(); ++n)
      if (tree.features[n] == Tree::kLeaf)
        leaf_[n] = count_++;
      else
        children_[n] = 2 * splits++ + 1;
  }
  std::size_t count() const { return count_; }
  std::size_t of(std::span<const float> row) const {
    std::size_t at = 0;
    while (tree_.features[at] != Tree::kLeaf)
      at = children_[at] +
           (row[static_cast<std::size_t>(tree_.features[at])] > tree_.thresholds[at] ? 1 : 0);
    return leaf_[at];
  }

 private:
  const Tree& tree_;
  std::vector<std::size_t> children_, leaf_;
  std::size_t count_ = 0;
};

class Trees : public ::testing::TestWithParam<bool> {  // best splits
 protected:
  // A tree of the even rows of a crowd, with the leaves of the odd ones.
  void grow(std::size_t smallest_leaf, bool sparse) {
    rows_.clear(), others_.clear();
    if (sparse) data_.features = Features(data_.features.to_sparse());
    ThreadPool pool(1);
    Binned codes(data_.features, 1, pool);
    if (near_) codes.keep_rows(pool);
    TreeGrower grower(codes, data_.candidates, {GetParam(), smallest_leaf, 3});
    for (std::uint32_t i = 0; i < data_.rows(); ++i) (i % 2 == 0 ? rows_ : others_).push_back(i);
    others_leaves_.assign(data_.rows(), 0);
    tree_ = grower.grow(rows_, others_, Random(1, Purpose::Test), others_leaves_);
  }
  std::span<const float> row(std::size_t i) {
    row_.resize(data_.features.cols());
    std::as_const(data_).features.copy_row(i, row_);
    return row_;
  }
  void expect_leaves_of_their_rows(std::size_t smallest) {
    const Leaves leaves(tree_);
    ASSERT_EQ(tree_.shares.size(), leaves.count() * 4);
    std::vector<std::size_t> counts(leaves.count()), with(leaves.count() * 4);
    for (const std::uint32_t i : rows_) {
      const std::size_t leaf = leaves.of(row(i));
      ++counts[leaf];
      for (std::size_t k = 0; k < 4; ++k) with[leaf * 4 + k] += data_.candidates.get(i, k) ? 1 : 0;
    }
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf) {
      ASSERT_GE(counts[leaf], smallest);
      for (std::size_t k = 0; k < 4; ++k)
        ASSERT_EQ(tree_.shares[leaf * 4 + k],
                  static_cast<float>(with[leaf * 4 + k]) / static_cast<float>(counts[leaf]));
    }
    for (const std::uint32_t i : others_) ASSERT_EQ(others_leaves_[i], leaves.of(row(i)));
  }

  TrainingData data_ = crowd(400, 8, 4, 0.1);
  bool near_ = false;
  std::vector<std::uint32_t> rows_, others_, others_leaves_;
  Tree tree_;
  std::vector<float> row_;
};

// Of more rows, large nodes are split by a sample of them.
TEST_P(Trees, leaves_tell_the_labels_of_their_rows_and_are_not_too_small) {
  for (const std::size_t rows : {std::size_t{400}, 2 * TreeGrower::kManyRows + 2})
    for (const bool sparse : {false, true})
      for (const std::size_t smallest : {1U, 7U}) {
        SCOPED_TRACE(::testing::Message() << rows << " " << sparse << " " << smallest);
        data_ = crowd(rows, 8, 4, 0.1);
        grow(smallest, sparse);
        expect_leaves_of_their_rows(smallest);
      }
}

TEST_P(Trees, full_grown_ones_know_their_rows_by_heart) {
  grow(1, false);
  EXPECT_THAT(tree_.shares, Each(::testing::AnyOf(0.0F, 1.0F)));
}

TEST_P(Trees, of_many_rows_are_the_same_with_codes_brought_near) {
  for (const std::size_t features : {5U, 16U, 20U}) {
    data_ = crowd(2 * TreeGrower::kManyRows + 99, features, 5, 0.2);
    near_ = false;
    grow(3, false);
    const Tree far = std::move(tree_);
    const std::vector<std::uint32_t> leaves = others_leaves_;
    near_ = true;
    grow(3, false);
    EXPECT_EQ(tree_.features, far.features);
    EXPECT_EQ(tree_.thresholds, far.thresholds);
    EXPECT_EQ(tree_.shares, far.shares);
    EXPECT_EQ(others_leaves_, leaves);
  }
}

// What is constant in a sample is not lost to the nodes below.
TEST_P(Trees, of_many_rows_find_the_feature_of_a_few) {
  data_ = crowd(4 * TreeGrower::kManyRows, 3, 1, 0);
  Matrix x(data_.rows(), 3);
  for (std::size_t i = 0; i < data_.rows(); ++i) {
    x(i, 0) = data_.features.dense()(i, 0);
    x(i, 1) = i % 10000 == 4 ? 1.0F : 0.0F;
    data_.candidates.set(i, 0, x(i, 1) > 0);
  }
  data_.features = std::move(x);
  grow(1, false);
  const Leaves leaves(tree_);
  for (const std::uint32_t i : rows_)
    ASSERT_EQ(tree_.shares[leaves.of(row(i))], i % 10000 == 4 ? 1.0F : 0.0F) << i;
}

INSTANTIATE_TEST_SUITE_P(Splits, Trees, ::testing::Bool());

// ---- the method

TEST(Forest, out_of_bag_scores_know_nothing_of_a_rows_own_labels) {
  TrainingData data = crowd(600, 6, 3, 0);
  Random random(8, Purpose::Test);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < 3; ++k) data.candidates.set(i, k, random.chance(0.5));
  ThreadPool pool(2);
  const auto model = forest({{"trees", "100"}, {"leaf", "1"}})->fit(data, {});
  const Matrix* out_of_fold = held_out_scores_of(*model);
  ASSERT_NE(out_of_fold, nullptr);
  const Matrix seen = model->scores(data.features, pool);
  double by_heart = 0, by_chance = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double sign = data.candidates.get(i, k) ? 1 : -1;
      by_heart += sign * double{seen(i, k)};
      by_chance += sign * double{(*out_of_fold)(i, k)};
    }
  EXPECT_GT(by_heart / 1800, 0.1);
  EXPECT_NEAR(by_chance / 1800, 0, 0.02);
}

TEST(Forest, cleans_by_one_fit_where_rows_are_out_of_bag) {
  const TrainingData data = crowd(400, 6, 3, 0.3);
  const auto learner = forest({{"trees", "50"}});
  const OutOfFold judged = learner->fit_out_of_fold(data, 5, {});
  EXPECT_EQ(judged.folds, 0U);
  EXPECT_EQ(forest({{"bootstrap", "false"}, {"trees", "5"}})->fit_out_of_fold(data, 5, {}).folds,
            5U);
  const CandidateScores& confidence = judged.probabilities;
  double right = 0, wrong = 0, rights = 0, wrongs = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.candidates.for_each(i, [&](std::size_t k) {
      const bool is_right = data.features.dense()(i, k) > 0;
      (is_right ? right : wrong) += double{confidence(i, k)};
      (is_right ? rights : wrongs) += 1;
    });
  EXPECT_GT(right / rights, wrong / wrongs + 0.3);
}

TEST(Forest, keeps_no_out_of_bag_scores_without_bootstrap_or_once_saved) {
  const TrainingData data = crowd(60, 4, 2, 0.2);
  EXPECT_EQ(held_out_scores_of(*forest({{"bootstrap", "false"}, {"trees", "5"}})->fit(data, {})),
            nullptr);
  const auto fresh = forest({{"trees", "5"}})->fit(data, {});
  EXPECT_NE(held_out_scores_of(*fresh), nullptr);
  EXPECT_EQ(held_out_scores_of(*method_info("forest").load(fresh->state())), nullptr);
}

TEST(Forest, takes_the_noise_off) {
  const TrainingData data = crowd(1500, 6, 3, 0.4);
  ThreadPool pool(2);
  const auto model = forest({{"trees", "60"}, {"decision", "hamming"}})->fit(data, {});
  EXPECT_THAT(model->state().tensor("noise_rate").values, Each(::testing::FloatNear(0.4F, 0.06F)));
  const LabelMatrix decided = model->decide(model->scores(data.features, pool));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      wrong += decided.get(i, k) != (data.features.dense()(i, k) > 0) ? 1 : 0;
  EXPECT_LT(static_cast<double>(wrong) / 4500, 0.05);
}

TEST(Forest, scores_are_inside_0_and_1_and_differ_where_leaves_do) {
  TrainingData data = crowd(200, 4, 3, 0.3);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.candidates.set(i, 0, true);
    data.candidates.set(i, 1, false);
  }
  ThreadPool pool(1);
  const Matrix scores = forest({{"trees", "20"}})->fit(data, {})->scores(data.features, pool);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (const float score : scores.row(i)) {
      EXPECT_GT(score, 0);
      EXPECT_LT(score, 1);
    }
  EXPECT_GT(scores(0, 0), 0.5F);
  EXPECT_LT(scores(0, 1), 0.01F);
}

TEST(Forest, a_row_alone_has_the_scores_it_has_among_others) {
  const TrainingData data = crowd(100, 4, 3, 0.3);
  ThreadPool pool(1);
  for (const char* trees : {"1", "7", "8", "21"}) {
    const auto model = forest({{"trees", trees}})->fit(data, {});
    const Matrix all = model->scores(data.features, pool);
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{9}})
      for (std::size_t i = 0; i + count <= data.rows(); i += 7) {
        const Matrix few = model->scores(data.features.slice(i, i + count), pool);
        for (std::size_t r = 0; r < count; ++r)
          EXPECT_TRUE(std::ranges::equal(few.row(r), all.row(i + r)))
              << trees << " trees, row " << i;
      }
    const Features sparse(data.features.slice(3, 4).to_sparse());
    EXPECT_TRUE(std::ranges::equal(model->scores(sparse, pool).row(0), all.row(3)));
  }
}

// Trees of one split each: the score is how many of their thresholds are below the feature.
TEST(Forest, a_model_may_have_any_number_of_thresholds) {
  constexpr std::size_t kTrees = 700;
  const TrainingData data = crowd(90, 3, 2, 0.3);
  ModelState state = forest({{"trees", "2"}})->fit(data, {})->state();
  const auto set = [&](const std::string& name, std::vector<std::size_t> shape,
                       std::vector<float> values) {
    *std::ranges::find(state.tensors, name, &Tensor::name) = {name, std::move(shape),
                                                              std::move(values)};
  };
  std::vector<float> features, thresholds, leaves;
  for (std::size_t t = 0; t < kTrees; ++t) {
    features.insert(features.end(), {2, -1, -1});
    thresholds.insert(thresholds.end(),
                      {static_cast<float>(t * 37 % kTrees) / kTrees * 2 - 1, 0, 0});
    leaves.insert(leaves.end(), {0, 0, 1, 0});
  }
  set("trees", {kTrees}, std::vector<float>(kTrees, 3));
  set("features", {3 * kTrees}, features);
  set("thresholds", {3 * kTrees}, thresholds);
  set("leaves", {2 * kTrees, 2}, leaves);
  set("frequency", {2}, {0.5F, 0});
  set("noise_rate", {2}, {0, 0});
  const auto model = method_info("forest").load(state);
  ThreadPool pool(2);
  for (const Features& x : {data.features, Features(data.features.to_sparse())}) {
    const Matrix scores = model->scores(x, pool);
    for (std::size_t i = 0; i < data.rows(); ++i) {
      float below = 0;
      for (std::size_t n = 0; n < thresholds.size(); n += 3)
        below += thresholds[n] < data.features.dense()(i, 2) ? 1.0F : 0.0F;
      EXPECT_EQ(scores(i, 0), std::clamp((below + 0.5F) / float{kTrees + 1}, 1e-6F, 1 - 1e-6F))
          << i;
    }
  }
}

TEST(NoiseRates, labels_differ_only_where_more_than_chance_says_so) {
  constexpr std::size_t kRows = 3000, kLabels = 10;
  for (const bool differ : {false, true}) {
    Random random(4, Purpose::Test);
    Matrix probabilities(kRows, kLabels);
    LabelMatrix candidates(kRows, kLabels);
    std::vector<double> wanted;
    for (std::size_t k = 0; k < kLabels; ++k) {
      wanted.push_back(differ ? 0.08 * static_cast<double>(k) : 0.4);
      for (std::size_t i = 0; i < kRows; ++i) {
        const bool right = i % 3 == 0;
        candidates.set(i, k, right || random.chance(wanted[k]));
        probabilities(i, k) = static_cast<float>((right ? 0.8 : 0.3) + random.uniform(0, 0.1));
      }
    }
    const std::vector<float> rates = noise_rates(probabilities, candidates);
    for (std::size_t k = 0; k < kLabels; ++k)
      EXPECT_NEAR(rates[k], wanted[k], differ ? 0.08 : 0.05) << k;
    if (!differ) {
      EXPECT_THAT(rates, Each(rates[0]));
    }
  }
}

// A few rows would leave chance to decide.
TEST(NoiseRates, of_rare_labels_are_told_by_most_rows) {
  constexpr std::size_t kRows = 400, kLabels = 12;
  Random random(7, Purpose::Test);
  Matrix probabilities(kRows, kLabels);
  LabelMatrix candidates(kRows, kLabels);
  std::vector<double> wanted(kLabels);
  for (std::size_t k = 0; k < kLabels; ++k)
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool right = i % 25 == k;
      const bool on = right || random.chance(0.05 * static_cast<double>(k));
      candidates.set(i, k, on);
      if (!right) wanted[k] += on ? 1.0 / (kRows * 0.96) : 0;
      probabilities(i, k) = static_cast<float>((right ? 0.8 : 0.3) + random.uniform(0, 0.1));
    }
  const std::vector<float> rates = noise_rates(probabilities, candidates);
  double error = 0;
  for (std::size_t k = 0; k < kLabels; ++k)
    error += std::abs(double{rates[k]} - wanted[k]) / kLabels;
  EXPECT_LT(error, 0.035);
}

TEST(NoiseRates, far_above_the_others_are_believed_only_with_further_evidence) {
  constexpr std::size_t kRows = 2000, kLabels = 6;
  Random random(8, Purpose::Test);
  Matrix probabilities(kRows, kLabels);
  LabelMatrix candidates(kRows, kLabels);
  for (std::size_t k = 0; k < kLabels; ++k)
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool right = i % 4 == 0;
      candidates.set(i, k,
                     right || random.chance(k == 5 ? 0.8 : 0.1 + 0.05 * static_cast<double>(k)));
      probabilities(i, k) = static_cast<float>((right ? 0.8 : 0.3) + random.uniform(0, 0.1));
    }
  const std::vector<float> without = noise_rates(probabilities, candidates, std::vector(6, 0.0F));
  const std::vector<float> with =
      noise_rates(probabilities, candidates, {std::vector{0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.3F}});
  EXPECT_LT(without[5], 0.28F);
  EXPECT_GE(with[5], 0.3F);
  EXPECT_LT(with[5], 0.33F);  // drawn a little towards what leaves it as often right as the others
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(with[k], without[k], 0.01F) << k;
}

// Six labels, each right in a quarter of the rows, that few rows tell apart from their noise.
struct FewLabels {
  explicit FewLabels(std::size_t rows, double noise = 0.4)
      : probabilities(rows, 6), candidates(rows, 6), wanted(6) {
    Random random(11, Purpose::Test);
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t i = 0; i < rows; ++i) {
        const bool right = i % 4 == 0, on = right || random.chance(noise);
        candidates.set(i, k, on);
        if (!right) wanted[k] += on ? 4.0 / (3 * static_cast<double>(rows)) : 0;
        probabilities(i, k) = static_cast<float>((right ? 0.8 : 0.3) + random.uniform(0, 0.1));
      }
  }
  double error(const std::vector<float>& rates) const {
    double sum = 0;
    for (std::size_t k = 0; k < 6; ++k) sum += std::abs(double{rates[k]} - wanted[k]);
    return sum / 6;
  }
  Matrix probabilities;
  LabelMatrix candidates;
  std::vector<double> wanted;
};

TEST(NoiseRates, leave_few_labels_about_equally_often_right) {
  const FewLabels few(200);
  const std::vector<float> rates =
      noise_rates(few.probabilities, few.candidates, std::vector(6, 0.35F));
  EXPECT_LT(few.error(rates), 0.045);
  EXPECT_GT(few.error(noise_rates(few.probabilities, few.candidates)), 1.3 * few.error(rates));
}

TEST(NoiseRates, common_to_all_labels_are_not_above_the_frequency_of_any) {
  FewLabels few(400);
  const std::vector<float> rates = common_noise_rate(few.probabilities, few.candidates);
  EXPECT_THAT(rates, Each(rates[0]));
  EXPECT_NEAR(rates[0], 0.4F, 0.03F);
  for (std::size_t i = 0; i < 400; ++i) few.candidates.set(i, 2, i % 20 == 0);
  EXPECT_NEAR(common_noise_rate(few.probabilities, few.candidates)[5], 0.05F, 0.015F);
  for (std::size_t i = 0; i < 400; ++i) few.candidates.set(i, 2, false);
  EXPECT_EQ(common_noise_rate(few.probabilities, few.candidates)[5], 0);
}

TEST(Forest, more_trees_than_memory_are_refused_with_what_they_would_take) {
  TrainingData data = crowd(40, 3, 3, 0.2);
  data.candidates = LabelMatrix(40, 300000);
  data.label_names.clear();
  for (std::size_t k = 0; k < 300000; ++k) data.label_names.push_back(std::to_string(k));
  for (std::size_t i = 0; i < 40; ++i) data.candidates.set(i, i);
  int code = 0;
  const std::string message = refusal(
      [&] {
        forest({{"trees", "65535"}, {"leaf", "1"}})->fit(data, {});
      },
      &code);
  EXPECT_EQ(code, 2);
  EXPECT_THAT(message, HasSubstr("a forest of 65535 trees would take"));
}

// ---- files

class DamagedForest : public ::testing::Test {
 protected:
  DamagedForest()
      : state_(forest({{"trees", "4"}, {"leaf", "3"}})->fit(crowd(80, 4, 3, 0.2), {})->state()) {}

  Tensor& tensor(const std::string& name) {
    return *std::ranges::find(state_.tensors, name, &Tensor::name);
  }
  void expect_refused() const {
    int code = 0;
    const std::string message = refusal([&] { method_info("forest").load(state_); }, &code);
    EXPECT_EQ(code, 4) << message;
  }
  ModelState state_;
};

TEST_F(DamagedForest, loads_while_it_is_whole) {
  EXPECT_NE(method_info("forest").load(state_), nullptr);
}

TEST_F(DamagedForest, refuses_features_that_are_not_there) {
  const ModelState whole = state_;
  for (const float feature : {4.0F, -2.0F, 0.5F, 1e30F}) {
    state_ = whole;
    tensor("features").values[0] = feature;
    expect_refused();
  }
}

TEST_F(DamagedForest, refuses_trees_that_do_not_end) {
  const ModelState whole = state_;
  for (std::size_t n = 0; n < whole.tensor("features").values.size(); ++n) {
    state_ = whole;
    float& feature = tensor("features").values[n];
    feature = feature < 0 ? 0.0F : -1.0F;  // a leaf more or less
    expect_refused();
  }
}

TEST_F(DamagedForest, refuses_other_numbers_of_nodes) {
  const ModelState whole = state_;
  for (const float change : {-2.0F, -1.0F, 2.0F, 0.5F, 1e9F, -1e9F}) {
    state_ = whole;
    tensor("trees").values[1] += change;
    expect_refused();
    tensor("trees").values[2] -= change;
    expect_refused();
  }
}

TEST_F(DamagedForest, refuses_shares_and_rates_that_are_none) {
  const ModelState whole = state_;
  for (const char* name : {"leaves", "frequency", "noise_rate"})
    for (const float value : {-0.1F, 1.5F}) {
      state_ = whole;
      tensor(name).values[1] = value;
      expect_refused();
    }
}

}  // namespace
}  // namespace sieve::test
