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
  refused("a,b,c,d\n1,2,3,4\n1,nan,3,4\n1,2,3,4\n1,2,3,4\n", "bad.csv:3:3");
  refused("a,b,c,d\n1,2,3,4\n1,1e400,3,4\n", "bad.csv:3:3");
  refused("a,b,c,d\n1,2,3,4\n1,2,3\n", "bad.csv:3: 3 scores here for 4 columns");
  refused("a,b,c,d\n1,2,3,4\n", "the file has 1 rows, the data 4 rows");
  refused("a,b,c\n1,2,3\n", "the file has 3 label columns, the data 4 labels");
  refused("1,2,3\n", "the file has 3 label columns, the data 4 labels");
  refused("a,b,c,e\n1,2,3,4\n", "no column for the label 'd'");
  refused("", "there are no rows of scores");
  refused("a,b,c,d\n", "there are no rows of scores");
  refused("row,rank,label,score\n0,1,2,3\n1,1,2,3\n2,1,2,3\n3,1,2,3\n", "lists the best labels");
}

TEST_F(Evaluate, refuses_scores_whose_rows_are_missing_doubled_or_moved) {
  const std::string head = "row,score:a,score:b,score:c,score:d\n";
  const std::vector<std::string> rows = {"0,.9,.1,.5,.5\n", "1,.2,.2,.8,.1\n", "2,.3,.6,.6,.7\n",
                                         "3,.4,.4,.4,.4\n"};
  const auto with = [&](const std::string& content) {
    write("marked.csv", content);
    return evaluate({"--scores", "marked.csv"});
  };
  EXPECT_EQ(with(head + rows[0] + rows[1] + rows[2] + rows[3]).out,
            evaluate({"--scores", "scores.csv"}).out);
  for (const std::string& bad :
       {head + rows[0] + rows[2] + rows[3], head + rows[0] + rows[2] + rows[1] + rows[3],
        head + rows[0] + rows[0] + rows[1] + rows[2], head + rows[1] + rows[2] + rows[3] + rows[0],
        head + head + rows[0] + rows[1] + rows[2]}) {
    const Ran ran = with(bad);
    EXPECT_EQ(ran.code, 3) << bad;
    EXPECT_THAT(ran.err, HasSubstr("belongs")) << bad;
  }
  EXPECT_THAT(with(head + rows[0] + rows[1]).err,
              HasSubstr("the file has 2 rows, the data 4 rows"));
  EXPECT_EQ(with(rows[0] + rows[1] + rows[2] + rows[3]).code, 3);  // five columns for four labels
}

// As LIBSVM names them. Version 0.1.0 wrote such a first line.
TEST_F(Evaluate, a_line_of_names_that_are_numbers_is_never_taken_for_a_row) {
  write("truth.csv", "label:0,label:1,label:2\n1,0,1\n0,1,0\n1,1,0\n");
  const std::string scores = "2,1,0\n.9,.1,.5\n.2,.6,.8\n.3,.6,.5\n";
  write("marked.csv", "row,score:0,score:1,score:2\n0,.5,.1,.9\n1,.8,.6,.2\n2,.5,.6,.3\n");
  const Ran marked = evaluate({"--scores", "marked.csv"});
  EXPECT_EQ(marked.code, 0) << marked.err;
  write("old.csv", scores);
  EXPECT_EQ(evaluate({"--scores", "old.csv"}).out, marked.out);
  write("cut.csv", scores.substr(0, scores.size() - 9));
  const Ran cut = evaluate({"--scores", "cut.csv"});
  EXPECT_EQ(cut.code, 3);
  EXPECT_THAT(cut.err, HasSubstr("the file has 2 rows, the data 3"));
  write("other.csv", "1,2,3\n.9,.1,.5\n.2,.6,.8\n.3,.6,.5\n");
  EXPECT_EQ(evaluate({"--scores", "other.csv"}).code, 3);  // names of others are a row too many
  write("other.csv", "row,score:1,score:2,score:3\n0,.5,.1,.9\n1,.8,.6,.2\n2,.5,.6,.3\n");
  EXPECT_THAT(evaluate({"--scores", "other.csv"}).err, HasSubstr("no column for the label '0'"));
}

TEST_F(Evaluate, decisions_under_names_that_are_numbers_are_never_shifted) {
  write("truth.csv", "label:0,label:1\n1,0\n0,1\n1,1\n");
  write("marked.csv", "row,label:0,label:1\n0,1,0\n1,0,1\n2,1,1\n");
  const Ran marked = evaluate({"--decisions", "marked.csv"});
  EXPECT_EQ(marked.code, 0) << marked.err;
  write("old.csv", "0,1\n1,0\n0,1\n1,1\n");
  EXPECT_EQ(evaluate({"--decisions", "old.csv"}).out, marked.out);
  write("cut.csv", "0,1\n1,0\n0,1\n");
  EXPECT_THAT(evaluate({"--decisions", "cut.csv"}).err,
              HasSubstr("the file has 2 rows, the data 3"));
  write("moved.csv", "row,label:0,label:1\n0,1,0\n2,1,1\n1,0,1\n");
  EXPECT_THAT(evaluate({"--decisions", "moved.csv"}).err,
              HasSubstr("row 2 is in the place of row 1"));
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
