#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReportVerb : public Learning {
 protected:
  ReportVerb() { train("model", {"--log", "epochs.jsonl"}); }
  Ran report(const std::vector<std::string>& more = {}) const {
    return sieve(joined(
        {"report", "--model", "model", "--data", "crowd.arff", "--out", "report.html"}, more));
  }
};

TEST_F(ReportVerb, tells_of_a_training_in_one_file) {
  const Ran ran = report({"--log", "epochs.jsonl", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string page = read("report.html");
  EXPECT_EQ(nlohmann::json::parse(ran.out)["bytes"], page.size());
  std::size_t last = 0;  // answers first
  for (const char* part : {"Which labels are noisy</h2>", "Ticks to look at</h2>",
                           "How sure we are</h2>", "What went in</h2>", "How it learnt</h2>"}) {
    EXPECT_GT(page.find(part), last) << part;
    last = page.find(part);
  }
  for (const char* part : {"Precision", "calibration error", "<details><summary>Learning curves"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* symbol : {"L_c", "Δ", "0.0000<"}) EXPECT_THAT(page, Not(HasSubstr(symbol)));
}

TEST_F(ReportVerb, counts_the_rows_that_were_trained_on) {
  train("part", {"--validate", "0.2"});
  const Ran ran = sieve({"report", "--model", "part", "--data", "crowd.arff", "--out", "p.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string page = read("p.html");
  EXPECT_THAT(page, HasSubstr("On the 200 rows of the data; the training has seen 1"));
  EXPECT_THAT(page, HasSubstr("of them trained on"));
}

TEST_F(ReportVerb, judges_by_rows_unseen_if_it_may_train_again) {
  const Ran ran = report({"--folds", "2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("report.html"), HasSubstr("An audit measures it"));
  EXPECT_THAT(read("report.html"), HasSubstr("judged by pml-gan, 2 folds"));
}

TEST_F(ReportVerb, claims_nothing_of_labels_that_every_row_or_none_has) {
  std::string rows = "f1,f2,label:all,label:some,label:none\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},1,{},0\n", i % 7, i % 3, i % 3 == 0);
  write("rows.csv", rows);
  ASSERT_EQ(
      sieve({"train", "rows.csv", "--method", "forest", "--set", "trees=5", "--out", "f"}).code, 0);
  const Ran ran =
      sieve({"report", "--model", "f", "--data", "rows.csv", "--folds", "2", "--out", "f.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* part : {"not claimed: every row has it", "not claimed: no row has it"})
    EXPECT_THAT(read("f.html"), HasSubstr(part));
}

TEST_F(ReportVerb, says_whom_to_trust_where_votes_are_known) {
  sieve({"synth", "--rows", "200", "--out", "voted.csv", "--annotations", "ticks.csv"});
  const Ran ran = sieve({"report", "--model", "model", "--data", "voted.csv", "--annotations",
                         "ticks.csv", "--out", "v.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* part : {"Whom to trust", "False positives", "may add the most wrong ticks.",
                           "nine times out of ten", "calibration error"})
    EXPECT_THAT(read("v.html"), HasSubstr(part));
  EXPECT_THAT(read("v.html"), testing::ContainsRegex(
                                  "guess [0-9]+ % \\([0-9]+ to [0-9]+\\) of their [0-9]+ ticks"));
  // What is predicted of votes says nothing beside the truth.
  EXPECT_THAT(read("v.html"), Not(HasSubstr("one annotator at a time is left out")));
}

TEST_F(ReportVerb, shows_ids_and_texts_of_ticks_to_look_at) {
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows += "{\"id\": \"r" + std::to_string(i) + "\", \"note\": \"<b> " +
            (i % 2 == 0 ? "calm sea" : "blue sky") + "\", \"labels\": [\"" +
            (i % 2 == 0 ? "sea" : "sky") + "\"]}\n";
  write("t.jsonl", rows);
  ASSERT_EQ(
      sieve({"train", "t.jsonl", "--text-column", "note", "--method", "pml-ni", "--out", "t.model"})
          .code,
      0);
  const Ran ran = sieve({"report", "--model", "t.model", "--data", "t.jsonl", "--text-column",
                         "note", "--top", "3", "--out", "t.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("t.html"), HasSubstr("Label and text"));
  EXPECT_THAT(read("t.html"), HasSubstr("&lt;b&gt; calm sea"));
  EXPECT_THAT(read("t.html"), HasSubstr(">r0<"));
}

TEST_F(ReportVerb, leaves_out_what_it_can_not_know) {
  sieve({"convert", "crowd.arff", "blind.csv", "--labels", "candidates"});
  const Ran ran = sieve({"report", "--model", "model", "--data", "blind.csv", "--out", "b.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("b.html"), HasSubstr("nothing can be measured"));
  EXPECT_THAT(read("b.html"), Not(HasSubstr("How it learnt")));
  EXPECT_THAT(read("b.html"), Not(HasSubstr("calibration error")));
}

TEST_F(ReportVerb, measures_on_other_rows_if_given) {
  sieve({"synth", "--rows", "50", "--seed", "8", "--out", "test.arff"});
  EXPECT_EQ(report({"--test", "test.arff"}).code, 0);
  EXPECT_THAT(read("report.html"), HasSubstr("On 50 rows that the training has not seen"));
}

TEST_F(ReportVerb, refuses_a_log_that_is_none_and_names_the_line) {
  for (const std::string line : {"{", "[1]", "{\"L_c\":\"low\"}", "{\"a\":{}}", "7", ""}) {
    write("bad.jsonl", "{\"L_c\":1}\n" + line + "\n");
    const Ran ran = report({"--log", "bad.jsonl"});
    EXPECT_EQ(ran.code, 3) << line;
    EXPECT_THAT(ran.err, HasSubstr("bad.jsonl:2")) << line;
    EXPECT_FALSE(exists("report.html"));
  }
  write("empty.jsonl", "");
  EXPECT_THAT(report({"--log", "empty.jsonl"}).err, HasSubstr("is empty"));
  write("gap.jsonl", "{\"L_c\":1}\n{\"L_c\":null}\n{\"L_c\":2}\n");
  EXPECT_EQ(report({"--log", "gap.jsonl"}).code, 0);
}

TEST_F(ReportVerb, refuses_requests_that_make_no_sense) {
  EXPECT_THAT(sieve({"report", "--model", "model", "--data", "crowd.arff"}).err,
              HasSubstr("--out is needed"));
  EXPECT_THAT(sieve({"report", "--out", "r.html"}).err, HasSubstr("--model is needed"));
  EXPECT_EQ(sieve({"report", "s.db", "--model", "model", "--out", "r.html"}).code, 2);
  EXPECT_EQ(report({"--control", "mlp"}).code, 2);
  EXPECT_EQ(sieve({"report", "model", "--out", "r.html"}).code, 3);
  EXPECT_EQ(sieve({"report", "no.db", "--out", "r.html"}).code, 5);
  EXPECT_EQ(report().code, 0);
  EXPECT_EQ(report().code, 5);
  EXPECT_EQ(report({"--force"}).code, 0);
}

TEST_F(ReportVerb, tells_of_an_experiment) {
  write("study.toml",
        "title = \"A <study>\"\nrepeats = 2\n"
        "[[data]]\nname = \"crowd\"\nfolder = \"sets/crowd\"\nnoise = \"fill\"\nlevels = [4, 6]\n"
        "[[method]]\nname = \"mlp\"\nset = { epochs = 1, width = 8, depth = 1, members = 1 }\n"
        "[[method]]\nname = \"wide\"\nlearner = \"mlp\"\n"
        "set = { epochs = 1, width = 16, depth = 1, members = 1 }\n");
  sieve({"split", "crowd.arff", "--out", "sets/crowd/"});
  const Ran ran = sieve({"experiment", "study.toml", "--data", ".", "--store", "study.db"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Ran made = sieve({"report", "study.db", "--out", "study.html"});
  EXPECT_EQ(made.code, 0) << made.err;
  const std::string page = read("study.html");
  for (const char* part :
       {"A &lt;study&gt;", "is best or tied in", "Results", "More noise", "How much repeats differ",
        "Time against quality", "There is no test of ranks", "these need 5 repeats"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page, Not(HasSubstr("Friedman p")));
  EXPECT_THAT(page, Not(HasSubstr("Failures")));  // there are none
  EXPECT_EQ(sieve({"report", "study.db", "--out", "w.html", "--control", "none"}).code, 2);
}

}  // namespace
}  // namespace sieve::test
