#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The golden vectors: four rows, four labels.
class Evaluate : public Cli {
 protected:
  Evaluate() {
    write("truth.csv", "a,b,c,d\n1,0,1,0\n1,0,0,1\n0,1,0,0\n0,1,1,0\n");
    write("scores.csv", "a,b,c,d\n.9,.1,.5,.5\n.2,.2,.8,.1\n.3,.6,.6,.7\n.4,.4,.4,.4\n");
  }
  Ran evaluate(std::vector<std::string> more, const RunOptions& options = {}) const {
    more.insert(more.begin(), {"evaluate", "--truth", "truth.csv"});
    return sieve(more, options);
  }
};

TEST_F(Evaluate, prints_the_golden_values) {
  const Ran ran = evaluate({"--scores", "scores.csv", "--threshold", "0.5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  for (const char* value :
       {"0.500000", "0.729167", "0.520833", "0.428571", "0.433333", "0.325000", "0.492063"})
    EXPECT_THAT(ran.out, HasSubstr(value));
  EXPECT_THAT(ran.out, HasSubstr("↑"));
  EXPECT_THAT(ran.out, HasSubstr("↓"));
  EXPECT_THAT(evaluate({"--scores", "scores.csv", "--ties", "matlab"}).out, HasSubstr("0.541667"));
}

TEST_F(Evaluate, json_has_the_same_numbers_in_full) {
  const Ran ran =
      evaluate({"--scores", "scores.csv", "--threshold", "0.5", "--per-label", "--json"});
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  EXPECT_DOUBLE_EQ(json["measures"]["ranking-loss"]["value"], 35.0 / 48);
  EXPECT_EQ(json["measures"]["ranking-loss"]["used"], 4);
  EXPECT_EQ(json["measures"]["ranking-loss"]["better"], "lower");
  EXPECT_EQ(json["per_label"][1]["auc"], 1.0);
  EXPECT_TRUE(json["per_label"][3]["precision"].is_number());
}

TEST_F(Evaluate, columns_go_by_name_whatever_their_order) {
  write("mixed.csv",
        "d\tc\tb\ta\n.5\t.5\t.1\t.9\n.1\t.8\t.2\t.2\n.7\t.6\t.6\t.3\n.4\t.4\t.4\t.4\n");
  EXPECT_EQ(evaluate({"--scores", "mixed.csv"}).out, evaluate({"--scores", "scores.csv"}).out);
}

TEST_F(Evaluate, columns_without_names_go_by_order) {
  const std::string scores = read("scores.csv");
  write("plain.csv", scores.substr(scores.find('\n') + 1));
  EXPECT_EQ(evaluate({"--scores", "plain.csv"}).out, evaluate({"--scores", "scores.csv"}).out);
}

TEST_F(Evaluate, scores_can_come_from_standard_input) {
  EXPECT_EQ(evaluate({"--scores", "-"}, {.input = read("scores.csv")}).out,
            evaluate({"--scores", "scores.csv"}).out);
}

TEST_F(Evaluate, decisions_can_be_measured_alone) {
  write("decisions.csv", "a,b,c,d\n1,0,1,1\n0,0,1,0\n0,1,1,1\n0,0,0,0\n");
  const Ran ran = evaluate({"--decisions", "decisions.csv", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json measures = nlohmann::json::parse(ran.out)["measures"];
  EXPECT_EQ(measures["hamming-loss"]["value"], 0.5);
  EXPECT_FALSE(measures.contains("ranking-loss"));
}

TEST_F(Evaluate, the_truth_can_be_that_of_a_data_set_with_features) {
  write("set.csv",
        "x,truth:a,truth:b,truth:c,truth:d\n"
        "5,1,0,1,0\n5,1,0,0,1\n5,0,1,0,0\n5,0,1,1,0\n");
  EXPECT_EQ(sieve({"evaluate", "--truth", "set.csv", "--scores", "scores.csv"}).out,
            evaluate({"--scores", "scores.csv"}).out);
}

TEST_F(Evaluate, candidates_add_the_measures_of_cleaning) {
  write("candidates.csv", "a,b,c,d\n1,1,1,0\n1,0,1,1\n0,1,1,1\n1,1,1,1\n");
  const Ran ran = evaluate({"--scores", "scores.csv", "--candidates", "candidates.csv", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_GT(
      nlohmann::json::parse(ran.out)["measures"].size(),
      nlohmann::json::parse(evaluate({"--scores", "scores.csv", "--json"}).out)["measures"].size());
}

TEST_F(Evaluate, a_failed_check_exits_with_8_after_the_table) {
  const Ran failed = evaluate({"--scores", "scores.csv", "--fail-above", "ranking-loss=0.5"});
  EXPECT_EQ(failed.code, 8);
  EXPECT_THAT(failed.out, HasSubstr("0.729167"));
  EXPECT_THAT(failed.err, HasSubstr("check failed: ranking-loss is 0.729167, above 0.5"));
  EXPECT_EQ(evaluate({"--scores", "scores.csv", "--fail-above", "ranking-loss=0.75", "--fail-below",
                      "average-precision=0.5"})
                .code,
            0);
}

TEST_F(Evaluate, only_the_measures_asked_for) {
  const Ran ran = evaluate({"--scores", "scores.csv", "--metrics", "ranking-loss", "--json"});
  EXPECT_EQ(nlohmann::json::parse(ran.out)["measures"].size(), 1U);
  const Ran wrong = evaluate({"--scores", "scores.csv", "--metrics", "rankingloss"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'ranking-loss'?"));
}

TEST_F(Evaluate, refuses_bad_scores_with_their_place) {
  const auto refused = [&](const std::string& content, const std::string& message) {
    write("bad.csv", content);
    const Ran ran = evaluate({"--scores", "bad.csv"});
    EXPECT_EQ(ran.code, 3) << content;
    EXPECT_THAT(ran.err, HasSubstr(message)) << content;
  };
  refused("a,b,c,d\n1,2,3,4\n1,nan,3,4\n1,2,3,4\n1,2,3,4\n", "bad.csv:3:2");
  refused("a,b,c,d\n1,2,3,4\n1,1e400,3,4\n", "bad.csv:3:2");
  refused("a,b,c,d\n1,2,3,4\n1,2,3\n", "bad.csv:3: 3 numbers here but 4");
  refused("a,b,c,d\n1,2,3,4\n", "1 rows here for 4 rows of data");
  refused("a,b,c\n1,2,3\n", "3 label columns here for 4 labels");
  refused("1,2,3\n", "3 label columns here for 4 labels");
  refused("a,b,c,e\n1,2,3,4\n", "no column for the label 'd'");
  refused("", "there are no rows of scores");
  refused("a,b,c,d\n", "there are no rows of scores");
}

TEST_F(Evaluate, says_what_is_missing) {
  EXPECT_THAT(sieve({"evaluate"}).err, HasSubstr("--truth is needed"));
  EXPECT_THAT(evaluate({}).err, HasSubstr("nothing to measure"));
  EXPECT_THAT(evaluate({"--threshold", "1"}).err, HasSubstr("nothing to measure"));
  EXPECT_THAT(evaluate({"--scores", "scores.csv"}).err, HasSubstr("no decisions to measure"));
  EXPECT_EQ(evaluate({"--scores", "scores.csv", "--quiet"}).err, "");
}

}  // namespace
}  // namespace sieve::test
