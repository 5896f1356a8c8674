#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

// A crowd whose second half was decided: as a file of its own, and as gold cells.
class GuaranteeVerbs : public Cli {
 protected:
  GuaranteeVerbs() {
    sieve({"synth", "--rows", "600", "--labels", "3", "--noise", "0.3", "--out", "crowd.csv"});
    sieve({"split", "crowd.csv", "--out", "part", "--to", "csv", "--test-share", "0.5"});
  }
  std::vector<std::string> quick() const { return {"--method", "pml-ni", "--quiet"}; }
  Ran train(std::vector<std::string> words) const {
    words.insert(words.begin(), "train");
    for (const std::string& word : quick()) words.push_back(word);
    return sieve(words);
  }
};

TEST_F(GuaranteeVerbs, keep_a_promise_from_training_to_prediction) {
  const Ran trained = train({"part-train.csv", "--out", "m.model", "--decided", "part-test.csv",
                             "--guarantee", "precision=0.8,recall=0.7", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto told = nlohmann::json::parse(trained.out)["guarantees"];
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0]["about"], "precision");
  EXPECT_EQ(told[0]["rows"], 300);
  EXPECT_EQ(told[0]["labels"].size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(sieve({"info", "m.model", "--json"}).out)["guarantees"], told);
  EXPECT_THAT(sieve({"info", "m.model"}).out,
              HasSubstr("precision=0.8: each promise holds with 90"));

  const Ran kept = sieve({"predict", "m.model", "part-test.csv", "--guarantee", "fdr=0.2"});
  EXPECT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.out, HasSubstr("beach"));
  const Ran again = sieve({"predict", "m.model", "part-test.csv", "--guarantee", "precision=0.8",
                           "--decided", "part-test.csv"});
  EXPECT_EQ(kept.out, again.out);
  sieve({"predict", "m.model", "part-test.csv", "--guarantee", "precision=0.8", "--out", "on.csv"});
  const Ran measured =
      sieve({"evaluate", "--truth", "part-test.csv", "--decisions", "on.csv", "--json"});
  EXPECT_EQ(measured.code, 0) << measured.err;

  const Ran other = sieve({"predict", "m.model", "part-test.csv", "--guarantee", "precision=0.99"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("keeps no thresholds for precision=0.99"));
}

TEST_F(GuaranteeVerbs, hold_out_rows_with_gold) {
  std::string gold = "item,label,true\n";
  for (int row = 0; row < 600; row += 2) gold += std::to_string(row) + ",beach,0\n";
  write("gold.csv", gold);
  const Ran ran = train({"crowd.csv", "--out", "m.model", "--gold", "gold.csv", "--guarantee",
                         "recall=0.9", "--json"});
  // No row has the label, so nothing is known of its recall; but the model is there.
  EXPECT_EQ(ran.code, 8) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("nothing is promised: 300 decided rows are too few"));
  EXPECT_EQ(nlohmann::json::parse(ran.out)["rows"], 300);
  EXPECT_EQ(sieve({"info", "m.model"}).code, 0);
}

TEST_F(GuaranteeVerbs, refuse_what_cannot_be_meant) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"part-train.csv", "--out", "m.model"});
    const Ran ran = train(more);
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refused({"--guarantee", "f1=0.9", "--decided", "part-test.csv"}),
              HasSubstr("'f1=0.9' is not a guarantee"));
  EXPECT_THAT(refused({"--guarantee", "recall=0.9"}), HasSubstr("not trained on"));
  EXPECT_THAT(refused({"--decided", "part-test.csv"}), HasSubstr("--decided is for --guarantee"));
  train({"part-train.csv", "--out", "m.model"});
  const Ran top =
      sieve({"predict", "m.model", "part-test.csv", "--guarantee", "recall=0.7", "--kind", "top"});
  EXPECT_EQ(top.code, 2);
  EXPECT_THAT(top.err, HasSubstr("--kind decisions"));
}

}  // namespace
}  // namespace sieve::test
