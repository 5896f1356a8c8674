#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli.h"
#include "labelsieve/files.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Annotators : public Cli {
 protected:
  Annotators() {
    sieve({"synth", "--rows", "300", "--labels", "5", "--noise", "1.5", "--out", "crowd.csv",
           "--annotations", "ticks.csv"});
  }
};

TEST_F(Annotators, are_listed_with_their_rates) {
  const Ran ran = sieve({"annotators", "--annotations", "ticks.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("300 rows, 5 labels, 9 annotators, 900 annotations"));
  const nlohmann::json told =
      nlohmann::json::parse(sieve({"annotators", "--annotations", "ticks.csv", "--json"}).out);
  ASSERT_EQ(told["people"].size(), 9U);
  for (const auto& annotator : told["people"]) {
    EXPECT_LT(annotator["sensitivity"]["low"], annotator["sensitivity"]["value"]);
    EXPECT_GT(annotator["sensitivity"]["value"], annotator["false_ticks"]["value"]);
  }
  EXPECT_THAT(sieve({"annotators", "--annotations", "ticks.csv", "--top", "2"}).out,
              HasSubstr("(7 more)"));
}

TEST_F(Annotators, who_copy_each_other_are_named_and_may_be_declared_a_group) {
  std::istringstream lines(read("ticks.csv"));
  std::string copied;
  int ticks = 0;
  for (std::string line; std::getline(lines, line);) {
    copied += line + "\n";
    const std::size_t name = line.find(",p1,");
    // One in ten of the copied ticks is another.
    if (name != line.npos)
      copied += line.substr(0, name) + ",copy," +
                (++ticks % 10 == 0 ? "beach" : line.substr(name + 4)) + "\n";
  }
  write("copied.csv", copied);
  write("groups.csv", "annotator,group\np1,one\ncopy,one\n");
  const std::string warning = "agree more than their rates allow";
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"annotators"}, {"clean", "crowd.csv", "--method", "forest", "--set", "trees=5"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"--annotations", "copied.csv", "--items-are", "row-numbers-from-0"});
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("p1 and copy " + warning)) << verb[0];
    EXPECT_THAT(ran.out, HasSubstr("--annotator-groups")) << verb[0];
  }
  EXPECT_THAT(sieve({"annotators", "--annotations", "ticks.csv"}).out, Not(HasSubstr(warning)));
  const Ran declared = sieve(
      {"annotators", "--annotations", "copied.csv", "--annotator-groups", "groups.csv", "--json"});
  EXPECT_EQ(declared.code, 0) << declared.err;
  EXPECT_EQ(nlohmann::json::parse(declared.out)["alike"][0]["b"], "copy");
}

TEST_F(Annotators, are_shown_with_their_worst_ticks_and_what_they_confuse) {
  const nlohmann::json told = nlohmann::json::parse(
      sieve({"annotators", "--annotations", "ticks.csv", "--top", "2", "--json"}).out);
  const auto& first = told["people"][0];
  EXPECT_EQ(first["worst_ticks"].size(), 10U);
  EXPECT_LE(first["worst_ticks"][0]["confidence"], first["worst_ticks"][9]["confidence"]);
  ASSERT_GE(first["confuses"].size(), 1U);
  EXPECT_NE(first["confuses"][0]["ticked"], first["confuses"][0]["right"]);
  EXPECT_FALSE(told["people"][2].contains("worst_ticks"));
  EXPECT_THAT(sieve({"annotators", "--annotations", "ticks.csv"}).out,
              HasSubstr("most often confuses"));
}

TEST_F(Annotators, have_a_page) {
  const Ran ran =
      sieve({"annotators", "--annotations", "ticks.csv", "--report", "annotators.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string page = read("annotators.html");
  for (const char* part : {"Whom to trust", "False positives", "Labels they confuse", "left out"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_EQ(sieve({"annotators", "--annotations", "ticks.csv", "--report", "annotators.html"}).code,
            5);
}

TEST_F(Annotators, are_asked_next_where_it_helps_most) {
  const Ran ran =
      sieve({"ask", "--annotations", "ticks.csv", "--budget", "7", "--out", "next.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("7 more annotations"));
  const std::string list = read("next.csv");
  EXPECT_EQ(std::ranges::count(list, '\n'), 8);
  EXPECT_THAT(list, HasSubstr("row,label,gain\n"));
  const nlohmann::json cells = nlohmann::json::parse(
      sieve({"ask", "--annotations", "ticks.csv", "--about", "cells", "--json"}).out);
  const auto& questions = cells["questions"];
  ASSERT_EQ(questions.size(), 100U);
  EXPECT_GE(questions[0]["gain"], questions[99]["gain"]);
  EXPECT_EQ(sieve({"ask", "crowd.csv"}).code, 2);
}

// Names must not make it worse than no names.
class SingleAnnotations : public Cli {
 protected:
  SingleAnnotations() {
    sieve({"synth", "--rows", "300", "--labels", "5", "--noise", "1.5", "--annotators-per-row", "1",
           "--out", "crowd.csv", "--annotations", "ticks.csv"});
  }
  static constexpr const char* kWhy =
      "300 of 300 rows have one annotation: annotators cannot be compared";
  nlohmann::json told(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "--quiet"});
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
};

TEST_F(SingleAnnotations, are_cleaned_as_if_there_were_no_names) {
  const std::vector<std::string> words = {"clean",  "crowd.csv", "--method",
                                          "forest", "--set",     "trees=30"};
  std::vector<std::string> named = words;
  named.insert(named.end(), {"--annotations", "ticks.csv", "--suspects", "named.csv"});
  const nlohmann::json found = told(named);
  EXPECT_EQ(found["names_ignored"], kWhy);
  EXPECT_FALSE(found.contains("people"));
  const Ran shown = sieve({"clean", "crowd.csv", "--method", "forest", "--set", "trees=30",
                           "--annotations", "ticks.csv"});
  EXPECT_THAT(shown.out, HasSubstr(std::string("names are ignored: ") + kWhy + "\n"));
  EXPECT_EQ(found["removed"], told(words)["removed"]);
  EXPECT_THAT(shown.out, Not(HasSubstr("seems to guess")));
}

TEST_F(SingleAnnotations, are_learnt_from_as_they_are) {
  const nlohmann::json named = told({"train", "crowd.csv", "--annotations", "ticks.csv", "--method",
                                     "forest", "--set", "trees=10", "--out", "named"});
  EXPECT_EQ(named["names_ignored"], kWhy);
  const nlohmann::json plain =
      told({"train", "crowd.csv", "--method", "forest", "--set", "trees=10", "--out", "plain"});
  EXPECT_FALSE(plain.contains("names_ignored"));
}

TEST_F(SingleAnnotations, say_nothing_about_annotators) {
  const Ran ran =
      sieve({"annotators", "--annotations", "ticks.csv", "--report", "annotators.html"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(std::string("no rates of annotators: ") + kWhy));
  for (const char* part : {"guess", "90 %", "agrees"}) EXPECT_THAT(ran.out, Not(HasSubstr(part)));
  EXPECT_THAT(read("annotators.html"), HasSubstr(kWhy));
  const nlohmann::json found = told({"annotators", "--annotations", "ticks.csv"});
  EXPECT_EQ(found["names_ignored"], kWhy);
  ASSERT_EQ(found["people"].size(), 9U);
  EXPECT_FALSE(found["people"][0].contains("sensitivity"));
  EXPECT_GT(found["people"][0]["rows"], 0);
}

TEST_F(SingleAnnotations, groups_that_never_met_are_named) {
  std::string ticks = "item,person,label\n";
  for (int row = 0; row < 80; ++row)
    for (const char* who : {row < 40 ? "ann" : "cleo", row < 40 ? "bob" : "dan"})
      ticks += fmt::format("{},{},{}\n", row, who, row % 3 == 0 ? "sea" : "sky");
  write("sites.csv", ticks);
  const char* said = "2 groups of annotators never met: rates of one and another do not compare";
  EXPECT_THAT(sieve({"annotators", "--annotations", "sites.csv"}).out, HasSubstr(said));
  EXPECT_EQ(told({"annotators", "--annotations", "sites.csv"})["separate_groups"], 2);
  write("one.csv", ticks + "3,cleo,sea\n");
  EXPECT_THAT(sieve({"annotators", "--annotations", "one.csv"}).out, Not(HasSubstr("never met")));
}

TEST_F(SingleAnnotations, one_annotator_is_not_told_to_guess) {
  std::string ticks = "item,person,label\n";
  for (int row = 0; row < 40; ++row)
    ticks += "r" + std::to_string(row) + ",ann," + (row % 3 == 0 ? "a" : "b") + "\n";
  write("alone.csv", ticks);
  const Ran ran = sieve({"annotators", "--annotations", "alone.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("40 of 40 rows have one annotation"));
  EXPECT_THAT(ran.out, Not(HasSubstr("guess")));
}

TEST_F(SingleAnnotations, are_aggregated_by_their_share) {
  const Ran ran = sieve({"aggregate", "--annotations", "ticks.csv", "--out", "people.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(kWhy));
  sieve({"aggregate", "--annotations", "ticks.csv", "--how", "share", "--out", "share.csv"});
  EXPECT_EQ(read("people.csv"), read("share.csv"));
}

TEST_F(SingleAnnotations, are_asked_for_again) {
  const Ran ran =
      sieve({"ask", "--annotations", "ticks.csv", "--budget", "7", "--out", "next.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(kWhy));
  EXPECT_THAT(ran.out, HasSubstr("second annotations of 60 more rows would allow it"));
  const std::string list = read("next.csv");
  EXPECT_EQ(std::ranges::count(list, '\n'), 8);
  EXPECT_THAT(list, HasSubstr("row,label,gain\n"));
  EXPECT_FALSE(told({"ask", "--annotations", "ticks.csv"}).contains("gain"));
}

TEST_F(Annotators, are_aggregated_with_a_claim_or_the_reason_why_there_is_none) {
  const auto aggregated = [&](const std::string& how, const std::string& json) {
    return sieve({"aggregate", "--annotations", "ticks.csv", "--out", "labels.csv", "--force",
                  "--how", how, json});
  };
  const nlohmann::json told = nlohmann::json::parse(aggregated("annotators", "--json").out);
  EXPECT_EQ(told["noise_claim"]["basis"], "guess");
  EXPECT_EQ(told["noise_claim"]["about"], "noise");
  EXPECT_LT(told["noise_claim"]["low"], told["noise_claim"]["value"]);
  EXPECT_GT(told["noise_claim"]["high"], told["noise_claim"]["value"]);
  EXPECT_THAT(aggregated("annotators", "--quiet").out,
              testing::ContainsRegex("wrong ticks: guess [0-9]+ % \\("));
  for (const char* how : {"dawid-skene", "share", "union"}) {
    const nlohmann::json other = nlohmann::json::parse(aggregated(how, "--json").out);
    EXPECT_FALSE(other.contains("noise_claim")) << how;
    EXPECT_NE(other["not_claimed"], "") << how;
    EXPECT_THAT(aggregated(how, "--quiet").out, HasSubstr("wrong ticks: not claimed: ")) << how;
  }
}

// Whatever ticks there are: an answer without a rate of 0 or 1, or a refusal with a reason.
TEST_F(Annotators, of_odd_crowds_get_sensible_answers) {
  const std::vector<std::pair<std::string, std::string>> odd = {
      {"one judgement", "r1,ann,a\n"},
      {"all agree", "r1,ann,a\nr1,bob,a\nr2,ann,b\nr2,bob,b\nr3,ann,a\nr3,bob,a\n"},
      {"one ticks everything", "r1,ann,a\nr1,ann,b\nr1,bob,a\nr2,ann,a\nr2,ann,b\nr2,bob,b\n"},
      {"nobody ticks some", "r1,ann,\nr1,bob,\nr2,ann,b\nr2,bob,\nr3,cyd,\n"},
      {"nobody ticks anything else", "r1,ann,a\nr2,bob,\nr3,cyd,\n"},
      {"three agree", "r1,ann,a\nr1,bob,a\nr1,cyd,a\nr2,ann,b\nr2,bob,b\nr2,cyd,b\n"},
      {"one of three ticks everything",
       "r1,ann,a\nr1,ann,b\nr1,bob,a\nr1,cyd,\nr2,ann,a\nr2,ann,b\nr2,bob,b\nr2,cyd,\n"}};
  for (const auto& [what, lines] : odd) {
    write("odd.csv", "task,worker,label\n" + lines);
    for (const char* verb : {"annotators", "ask"}) {
      const Ran ran = sieve({verb, "--annotations", "odd.csv", "--json"});
      EXPECT_EQ(ran.code, 0) << what << ran.err;
      EXPECT_THAT(ran.out, Not(HasSubstr("null"))) << what;  // what is not a number
    }
    const nlohmann::json told =
        nlohmann::json::parse(sieve({"annotators", "--annotations", "odd.csv", "--json"}).out);
    // People are compared only where there is enough to compare.
    EXPECT_NE(told.contains("names_ignored"), told["people"][0].contains("sensitivity")) << what;
    for (const auto& annotator : told["people"])
      if (annotator.contains("sensitivity"))
        for (const char* rate : {"sensitivity", "false_ticks"})
          for (const char* end : {"value", "low", "high"}) {
            EXPECT_GT(annotator[rate][end], 0) << what;
            EXPECT_LT(annotator[rate][end], 1) << what;
          }
    EXPECT_EQ(sieve({"aggregate", "--annotations", "odd.csv", "--out", "o", "--force"}).code, 0)
        << what;
  }
}

TEST_F(Annotators, who_ticked_nothing_at_all_give_no_answer) {
  write("none.csv", "task,worker,label\nr1,ann,\nr2,bob,\n");
  const Ran ran = sieve({"aggregate", "--annotations", "none.csv", "--out", "o.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("nobody ticked a label"));
  EXPECT_FALSE(FileSystem::real().exists(folder_ / "o.csv"));
}

TEST_F(Annotators, of_one_name_are_one_annotator_in_several_files) {
  write("rows1.csv", "id,f\na1,0\na2,1\n");
  write("rows2.csv", "id,f\nb1,0\nb2,1\n");
  write("ticks1.csv", "task,worker,label\na1,ann,x\na2,ann,y\na2,bob,x\n");
  write("ticks2.csv", "task,worker,label\nb1,ann,x\nb2,cyd,y\nb1,cyd,\n");
  for (const std::string part : {"1", "2"}) {
    const Ran ran = sieve({"convert", "rows" + part + ".csv", "--annotations",
                           "ticks" + part + ".csv", part + ".sieve"});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  const Ran ran = sieve({"annotators", "1.sieve", "2.sieve", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto annotators = nlohmann::json::parse(ran.out)["people"];
  ASSERT_EQ(annotators.size(), 3U);
  EXPECT_EQ(annotators[0]["person"], "ann");
  EXPECT_EQ(annotators[0]["rows"], 3);
}

TEST_F(Annotators, leave_rows_alone_that_nobody_looked_at) {
  write("rows.csv", "id,f1,f2,label:a\nr1,0,1,0\nr2,1,0,0\nr3,1,1,0\nr4,0,0,0\nr5,1,0,0\n");
  write("votes.csv", "task,worker,label\nr1,ann,a\nr2,ann,\nr3,bob,a\nr4,bob,a\n");
  const Ran annotators = sieve({"annotators", "rows.csv", "--annotations", "votes.csv", "--json"});
  EXPECT_EQ(annotators.code, 0) << annotators.err;
  EXPECT_EQ(nlohmann::json::parse(annotators.out)["rows"], 4);
  EXPECT_THAT(annotators.err, HasSubstr("nobody looked at, left out: 1 (r5)"));
  const Ran clean = sieve({"clean", "rows.csv", "--annotations", "votes.csv", "--method", "forest",
                           "--set", "trees=5", "--folds", "2", "--json"});
  ASSERT_EQ(clean.code, 0) << clean.err;
  const nlohmann::json cleaned = nlohmann::json::parse(clean.out);
  for (const char* number : {"estimated_noise", "noise_low", "noise_high"}) {
    EXPECT_GT(cleaned["per_label"][0][number], 0) << number;
    EXPECT_LT(cleaned["per_label"][0][number], 1) << number;
  }
}

TEST_F(Annotators, stand_beside_a_regression_unless_a_method_is_named) {
  const auto judge_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "clean");
    words.insert(words.end(), {"--annotations", "ticks.csv", "--json"});
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out)["judge"].get<std::string>();
  };
  EXPECT_EQ(judge_of({"crowd.csv"}), "the votes and a regression, 5 folds");
  EXPECT_EQ(judge_of({"crowd.csv", "--method", "forest", "--set", "trees=5"}),
            "the votes and forest, out of fold");
}

TEST_F(Annotators, who_leave_rows_empty_let_clean_do_so) {
  std::string votes = "task,worker,label\n", full = votes;
  for (int row = 0; row < 60; ++row)
    for (const char* who : {"ann", "bob", "eve"}) {
      const bool ticked = row % 2 == 0 || who == std::string("eve");
      votes += fmt::format("r{},{},{}\n", row, who, ticked ? "a" : "");
      full += fmt::format("r{},{},{}\n", row, who, ticked ? "a" : "b");
    }
  write("votes.csv", votes);
  write("full.csv", full);
  const auto cleaned = [&](const std::string& file, const char* key) {
    const Ran ran = sieve({"clean", "--annotations", file, "--threshold", "0.9999", "--json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const nlohmann::json found = nlohmann::json::parse(ran.out);
    EXPECT_EQ(found["judge"], "the votes");
    return found[key].get<int>();
  };
  EXPECT_GT(cleaned("votes.csv", "emptied_rows"), 29);
  EXPECT_EQ(cleaned("votes.csv", "rescued_rows"), 0);
  EXPECT_GT(cleaned("full.csv", "rescued_rows"), 29);
}

TEST_F(Annotators, may_tick_labels_that_the_data_lack) {
  write("rows.csv", "id,f1,f2,label:a\nr1,0,1,0\nr2,1,0,0\nr3,1,1,0\nr4,0,0,0\n");
  write("votes.csv", "task,worker,label\nr1,ann,a\nr2,ann,z\nr3,bob,a\nr4,bob,a\n");
  const Ran ran = sieve({"clean", "rows.csv", "--annotations", "votes.csv", "--method", "forest",
                         "--set", "trees=5", "--folds", "2", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["per_label"].size(), 2U);
}

TEST_F(Annotators, are_refused_without_ticks) {
  EXPECT_EQ(sieve({"annotators"}).code, 2);
  const Ran ran = sieve({"annotators", "crowd.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("give the annotations with --annotations"));
}

TEST_F(Annotators, together_are_better_than_a_majority) {
  const auto f1 = [&](const std::string& how) {
    const Ran ran = sieve({"aggregate", "--annotations", "ticks.csv", "--how", how, "--out", how});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Ran measured = sieve(
        {"evaluate", "--truth", "crowd.csv", "--scores", how, "--threshold", "0.5", "--json"});
    EXPECT_EQ(measured.code, 0) << measured.err;
    return nlohmann::json::parse(measured.out)["measures"]["micro-f1"]["value"].get<double>();
  };
  EXPECT_GT(f1("annotators"), f1("majority"));
  for (const char* how : {"dawid-skene", "one-coin", "at-least", "share", "union"})
    EXPECT_GT(f1(how), 0.3) << how;
}

TEST_F(Annotators, do_not_overwrite_an_answer) {
  write("likely.csv", "mine");
  EXPECT_EQ(sieve({"aggregate", "--annotations", "ticks.csv", "--out", "likely.csv"}).code, 5);
  EXPECT_EQ(read("likely.csv"), "mine");
}

}  // namespace
}  // namespace sieve::test
