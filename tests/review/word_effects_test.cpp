#include "review/word_effects.h"

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"
#include "labelsieve/predict.h"
#include "review/api.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;

// A model of texts in which "dunes" means beach and "ropes" means mountain, and its data.
class WordsOfModel : public ::testing::Test {
 protected:
  explicit WordsOfModel(bool pairs = true) {
    std::string table = "id,text,label:beach,label:mountain\n";
    static constexpr const char* kFill[] = {"early", "late", "quiet", "long", "second"};
    for (int i = 0; i < 80; ++i) {
      const bool beach = i % 2 == 0;
      table += "r" + std::to_string(i) + ",our " + kFill[i % 5] + " walk with " +
               (beach ? "dunes" : "ropes") + " and friends," + (beach ? "1,0\n" : "0,1\n");
    }
    write_file(folder_ / "texts.csv", table);
    options_.table.text = {"text"};
    options_.table.terms.pairs = pairs;
    options_.keep_cells = true;
    data_ = read_dataset({folder_ / "texts.csv"}, options_);
    texts_ = row_texts(data_);
    const auto learner =
        make_learner("mlp", {{"epochs", "600"}, {"members", "1"}, {"depth", "1"}, {"width", "16"}});
    model_ = learner->fit(training_data(data_), {.seed = 1, .on_epoch = {}});
  }

  // How likely the model takes the labels of a row that says this.
  Matrix scores_of(const std::string& text) {
    write_file(folder_ / "one.csv", "id,text,label:beach,label:mountain\nx," + text + ",1,0\n");
    ReadOptions options = options_;
    options.recipe = model_->state().recipe;
    return as_probabilities(
        predict(*model_, read_dataset({folder_ / "one.csv"}, options), pool_).scores);
  }

  static std::uint64_t hash(const std::string& word) { return hash_of_term(word); }

  TempFolder folder_;
  ThreadPool pool_{1};
  ReadOptions options_;
  Dataset data_;
  RowTexts texts_;
  std::shared_ptr<const Model> model_;
};

TEST_F(WordsOfModel, the_word_that_decides_moves_the_model_most) {
  ASSERT_TRUE(WordOcclusion::is_possible(model_.get(), texts_));
  const WordEffects effects = WordOcclusion(*model_, data_, texts_).of_row(0, pool_);
  EXPECT_GT(effects.of(hash("dunes"), 0), 0.5);
  EXPECT_LT(effects.of(hash("dunes"), 1), -0.5);
  EXPECT_FLOAT_EQ(static_cast<float>(effects.of(hash("dunes"), 0)), effects.largest[0]);
  EXPECT_LT(std::abs(effects.of(hash("friends"), 0)), 0.5 * effects.of(hash("dunes"), 0));
  EXPECT_EQ(effects.of(hash("unheard"), 0), 0);
}

class SingleWordsOfModel : public WordsOfModel {
 protected:
  SingleWordsOfModel() : WordsOfModel(false) {}
};

TEST_F(SingleWordsOfModel, an_effect_is_what_the_model_says_without_the_word) {
  const WordEffects effects = WordOcclusion(*model_, data_, texts_).of_row(1, pool_);
  ASSERT_EQ(texts_.rows[1][0], "our late walk with ropes and friends");
  const Matrix with = scores_of("our late walk with ropes and friends");
  for (const auto& [word, rest] : {std::pair("ropes", "our late walk with and friends"),
                                   std::pair("late", "our walk with ropes and friends"),
                                   std::pair("friends", "our late walk with ropes and")}) {
    const Matrix without = scores_of(rest);
    for (std::uint32_t label = 0; label < 2; ++label)
      EXPECT_NEAR(effects.of(hash(word), label),
                  log_odds_of(double{with(0, label)}) - log_odds_of(double{without(0, label)}),
                  1e-3)
          << word << label;
  }
}

TEST_F(WordsOfModel, effects_come_beside_those_who_ask) {
  WordMarker marker(*model_, data_, texts_, true);
  const std::vector<std::size_t> ahead = {4, 5};
  marker.expect(ahead);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (const std::uint32_t row : {3U, 4U, 5U}) {
    std::shared_ptr<const WordEffects> found;
    while (found == nullptr && std::chrono::steady_clock::now() < patience)
      found = marker.find(row);
    ASSERT_NE(found, nullptr) << row;
    EXPECT_GT(found->of(hash(row % 2 == 0 ? "dunes" : "ropes"), row % 2), 0.5);
  }
}

TEST_F(WordsOfModel, the_page_marks_what_the_model_reads) {
  ReviewMaterial material;
  material.cells = cells_of(CandidateScores(data_.candidates.share()), data_.candidates, {});
  material.data = data_.clone();
  material.texts = texts_;
  material.model = model_;
  ReviewOptions options;
  options.decisions = folder_ / "decisions.db";
  options.background_learning = false;
  Review review(std::move(material), options);
  for (const char* path : {"/api/item", "/api/texts"}) {
    const ReviewReply reply =
        answer(review, {false, path, {{"reviewer", "Ann"}, {"row", "2"}, {"label", "1"}}, ""});
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json told = json::parse(reply.body);
    const json& item = told.contains("item") ? told["item"] : told;
    EXPECT_EQ(item["marked"], "model");
    std::string all;
    double least = 0;
    for (const auto& piece : item["texts"][0]["pieces"]) {
      all += piece[0].get<std::string>();
      if (piece[0] == "dunes") least = piece[1];
    }
    EXPECT_EQ(all, "our quiet walk with dunes and friends");
    EXPECT_LE(least, -2) << "it speaks against a mountain: " << item;
  }
  EXPECT_EQ(answer(review, {false, "/api/texts", {{"row", "80"}, {"label", "0"}}, ""}).status, 400);
}

TEST_F(WordsOfModel, a_model_of_other_columns_is_not_asked) {
  RowTexts others = texts_;
  others.columns = {"title"};
  EXPECT_FALSE(WordOcclusion::is_possible(model_.get(), others));
  EXPECT_FALSE(WordOcclusion::is_possible(nullptr, texts_));
  EXPECT_FALSE(WordOcclusion::is_possible(model_.get(), RowTexts{}));
}

}  // namespace
}  // namespace sieve::test
