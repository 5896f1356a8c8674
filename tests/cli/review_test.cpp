#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "labelsieve/data_io.h"
#include "review/decisions.h"

namespace sieve::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ReviewVerb : public Cli {
 protected:
  ReviewVerb() {
    sieve({"synth", "--rows", "200", "--labels", "5", "--noise", "1.5", "--out", "crowd.csv",
           "--annotations", "ticks.csv"});
  }

  // The first `count` candidates of the data are decided to be wrong.
  void decide(std::size_t count) const {
    const Dataset data = read_dataset({folder_ / "crowd.csv"});
    DecisionLog log(folder_ / "decisions.db", data);
    for (std::uint32_t row = 0; count > 0; ++row)
      data.candidates.for_each(row, [&](std::size_t label) {
        if (count == 0) return;
        DecisionLine line;
        line.reviewer = "Rita";
        line.nonce = std::to_string(count--);
        line.choices = {{{row, static_cast<std::uint32_t>(label)}, false, 0.25}};
        log.add(line);
      });
  }

  // Starts the page, waits for its link, ends it as Ctrl-C does. Its output.
  Ran serve(const std::string& more) const {
    return run_program({"bash", "-c",
                        std::string("coproc ") + sieve_command() + " review " + more +
                            "\npid=$COPROC_PID\nexec 3<&${COPROC[0]}\n"
                            "while read -r line <&3; do echo \"$line\"; [[ $line == open* ]] && "
                            "break; done\nkill -INT $pid 2>/dev/null; cat <&3; wait $pid"},
                       {.folder = folder_.path()});
  }
};

TEST_F(ReviewVerb, prints_a_link_with_a_token_and_ends_on_request) {
  const Ran ran = serve("crowd.csv --annotations ticks.csv --decisions decisions.db --no-open");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("open http://127\\.0\\.0\\.1:[0-9]+/\\?token=[0-9a-f]{32}"));
  EXPECT_THAT(ran.out, HasSubstr("0 decisions, 0 of them now"));
}

TEST_F(ReviewVerb, takes_confidences_from_a_list_a_table_or_a_model) {
  const std::vector<std::string> quick = {"--method", "mlp", "--set", "epochs=2,members=1,depth=1"};
  auto clean = std::vector<std::string>{"clean", "crowd.csv", "--suspects", "suspects.csv"};
  auto train = std::vector<std::string>{"train", "crowd.csv", "--out", "crowd.model"};
  clean.insert(clean.end(), quick.begin(), quick.end());
  train.insert(train.end(), quick.begin(), quick.end());
  ASSERT_EQ(sieve(clean).code, 0);
  ASSERT_EQ(sieve(train).code, 0);
  ASSERT_EQ(sieve({"predict", "crowd.model", "crowd.csv", "--out", "scores.csv"}).code, 0);
  for (const std::string source :
       {"--probabilities suspects.csv", "--confidence scores.csv", "--model crowd.model",
        "--annotations ticks.csv --probabilities suspects.csv",
        "--annotations ticks.csv --model crowd.model"}) {
    const Ran ran = serve("crowd.csv --decisions decisions.db " + source);
    EXPECT_EQ(ran.code, 0) << source << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("open http")) << source;
  }
}

TEST_F(ReviewVerb, needs_tls_or_a_word_for_other_addresses) {
  const std::vector<std::string> words = {"review",      "crowd.csv", "--annotations", "ticks.csv",
                                          "--decisions", "d.db",      "--bind",        "192.0.2.7"};
  const Ran ran = sieve(words);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--tls-cert"));
  EXPECT_EQ(sieve({"review", "crowd.csv", "--annotations", "ticks.csv", "--decisions", "d.db",
                   "--bind", "0.0.0.0", "--without-tls"})
                .code,
            2);
  EXPECT_EQ(sieve({"review", "crowd.csv", "--annotations", "ticks.csv"}).code, 2);
  EXPECT_EQ(sieve({"review", "--decisions", "d.db"}).code, 2);
}

TEST_F(ReviewVerb, export_writes_the_data_as_they_were_decided) {
  decide(7);
  const Ran ran = sieve({"review", "export", "crowd.csv", "--decisions", "decisions.db", "--out",
                         "reviewed.csv", "--list", "decisions.jsonl", "--label-studio",
                         "studio.json", "--report", "page.html", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json told = nlohmann::json::parse(ran.out);
  EXPECT_EQ(told["decisions"], 7);
  EXPECT_EQ(told["changed"], 7);
  EXPECT_EQ(told["reviewers"][0]["name"], "Rita");
  const Dataset before = read_dataset({folder_ / "crowd.csv"}),
                after = read_dataset({folder_ / "reviewed.csv"});
  EXPECT_EQ(count_outside(before.candidates, after.candidates), 7U);
  EXPECT_EQ(count_outside(after.candidates, before.candidates), 0U);
  EXPECT_THAT(read("decisions.jsonl"), HasSubstr("\"reviewer\":\"Rita\""));
  EXPECT_TRUE(nlohmann::json::parse(read("studio.json")).is_array());
  EXPECT_THAT(read("page.html"), HasSubstr("Decisions by reviewer"));
  EXPECT_THAT(read("page.html"), HasSubstr("Rita"));
  EXPECT_EQ(sieve({"review", "export", "crowd.csv", "--decisions", "decisions.db", "--out",
                   "reviewed.csv"})
                .code,
            5)
      << "an existing file stays";
}

TEST_F(ReviewVerb, export_writes_the_data_in_any_format) {
  decide(5);
  const LabelMatrix before = read_dataset({folder_ / "crowd.csv"}).candidates.clone();
  for (const std::string out : {"reviewed.arff", "reviewed.jsonl", "reviewed.npz", "reviewed.sieve",
                                "reviewed.mat", "reviewed.csv.gz"}) {
    const Ran ran =
        sieve({"review", "export", "crowd.csv", "--decisions", "decisions.db", "--out", out});
    EXPECT_EQ(ran.code, 0) << out << ran.err;
    EXPECT_EQ(count_outside(before, read_dataset({folder_ / out}).candidates), 5U) << out;
  }
  ASSERT_EQ(sieve({"review", "export", "crowd.csv", "--decisions", "decisions.db", "--list",
                   "decisions.csv"})
                .code,
            0);
  const std::string list = read("decisions.csv");
  EXPECT_EQ(std::ranges::count(list, '\n'), 6) << list;
}

TEST_F(ReviewVerb, export_refuses_what_is_not_a_file_of_decisions) {
  write("text.db", "this is some text, and not the short one");
  EXPECT_EQ(sieve({"review", "export", "crowd.csv", "--decisions", "text.db"}).code, 3);
  EXPECT_EQ(sieve({"review", "export", "crowd.csv", "--decisions", "none.db"}).code, 5);
}

TEST_F(ReviewVerb, decisions_of_another_set_are_refused_where_rows_have_no_ids) {
  decide(7);
  const std::vector<std::string> quick = {"--method", "mlp", "--set", "epochs=1,members=1,depth=1"};
  sieve({"synth", "--rows", "200", "--labels", "5", "--noise", "1.5", "--seed", "2", "--out",
         "other.csv"});
  std::vector<std::string> words = {"train",   "other.csv",   "--out",
                                    "m.model", "--decisions", "decisions.db"};
  words.insert(words.end(), quick.begin(), quick.end());
  EXPECT_EQ(sieve({"review", "export", "other.csv", "--decisions", "decisions.db"}).code, 3);
  EXPECT_EQ(serve("other.csv --decisions decisions.db --method mlp --set epochs=1,members=1").code,
            3);
  const Ran ran = sieve(words);
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("about other data"));
  EXPECT_THAT(ran.err, HasSubstr("give the data that were reviewed"));
}

TEST_F(ReviewVerb, decisions_fit_the_same_table_whatever_is_made_of_its_texts) {
  std::string rows = "text,size,label:sun,label:sea\n";
  for (int i = 0; i < 60; ++i)
    rows += "\"word" + std::to_string(i % 7) + " and " + std::to_string(i) + " more\"," +
            std::to_string(i) + (i % 2 == 0 ? ",1,0\n" : ",0,1\n");
  write("texts.csv", rows);
  const std::vector<std::string> quick = {"--text-column", "text",  "--method",
                                          "mlp",           "--set", "epochs=1,members=1,depth=1"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), quick.begin(), quick.end());
    return sieve(words);
  };
  ASSERT_EQ(with({"train", "texts.csv", "--validate", "0.5", "--out", "first.model"}).code, 0);
  const Ran page = serve("texts.csv --text-column text --decisions t.db --model first.model");
  ASSERT_EQ(page.code, 0) << page.err;
  const Ran ran =
      with({"train", "texts.csv", "--decisions", "t.db", "--validate", "0.2", "--out", "m.model"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("could not be checked")));
  rows.replace(rows.find("word3"), 5, "Word3");
  write("texts.csv", rows);
  EXPECT_EQ(with({"train", "texts.csv", "--decisions", "t.db", "--out", "n.model"}).code, 3);
}

TEST_F(ReviewVerb, a_training_uses_the_decisions) {
  decide(40);
  const std::vector<std::string> quick = {
      "--method", "mlp", "--set", "epochs=2,members=1,depth=1", "--decisions", "decisions.db"};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"train", "crowd.csv", "--out", "plain.model"},
        {"train", "crowd.csv", "--annotations", "ticks.csv", "--validate", "0.2", "--out",
         "v.model"}}) {
    auto all = words;
    all.insert(all.end(), quick.begin(), quick.end());
    const Ran ran = sieve(all);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.err,
                HasSubstr("40 decisions of reviewers are used; 40 of them change a label"));
  }
  sieve({"review", "export", "crowd.csv", "--decisions", "decisions.db", "--out", "reviewed.csv"});
  sieve({"train", "reviewed.csv", "--out", "reviewed.model", "--method", "mlp", "--set",
         "epochs=2,members=1,depth=1"});
  sieve({"predict", "plain.model", "crowd.csv", "--out", "plain.csv"});
  sieve({"predict", "reviewed.model", "crowd.csv", "--out", "other.csv"});
  EXPECT_EQ(read("plain.csv"), read("other.csv")) << "as if the data had been written before";
}

}  // namespace
}  // namespace sieve::test
