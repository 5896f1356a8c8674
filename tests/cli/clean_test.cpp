#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Clean : public Learning {
 protected:
  Ran clean(const std::vector<std::string>& more = {}) const {
    return sieve(joined(joined({"clean", "crowd.arff"}, quick()), more));
  }
};

TEST_F(Clean, speaks_of_no_folds_where_one_fit_judges_unseen_rows) {
  const Ran ran = sieve({"clean", "crowd.arff", "--method", "forest", "--set", "trees=10"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("judged by forest, out of fold"));
}

TEST_F(Clean, votes_judge_alone_where_they_make_no_label_likely) {
  std::string rows = "id,height\n", ticks = "item,person,label\n";
  for (int i = 0; i < 30; ++i) {
    rows += "r" + std::to_string(i) + "," + std::to_string(i) + "\n";
    for (int k = 0; k < 7; ++k)
      ticks += "r" + std::to_string(i) + ",p" + std::to_string(k % 3) + ",species-" +
               std::to_string((i * 7 + k) % 200) + "\n";
  }
  write("rows.csv", rows);
  write("ticks.csv", ticks);
  const Ran ran = sieve({"clean", "rows.csv", "--annotations", "ticks.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("judged by the votes"));
}

TEST_F(Clean, reports_noise_suspects_and_measures) {
  const Ran ran = clean({"--top", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("judged by pml-gan, 5 folds"));
  EXPECT_THAT(ran.out, HasSubstr("wrong candidates: guess "));
  EXPECT_THAT(ran.out, HasSubstr("ROC-AUC"));
  const nlohmann::json json = nlohmann::json::parse(clean({"--top", "7", "--json"}).out);
  EXPECT_EQ(json["suspects"].size(), 7U);
  EXPECT_EQ(json["per_label"].size(), 12U);
  EXPECT_TRUE(json["cleaning_auc"].is_number());
  EXPECT_FALSE(json["in_sample"]);
  EXPECT_LE(json["suspects"][0]["confidence"], json["suspects"][6]["confidence"]);
}

TEST_F(Clean, writes_every_candidate_and_a_cleaned_copy) {
  const Ran ran = clean({"--suspects", "s.csv", "--out", "cleaned.csv", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  const auto before = json["candidates"].get<std::size_t>();
  const std::string suspects = read("s.csv");
  EXPECT_THAT(suspects, StartsWith("row,label,probability,truth\n"));
  EXPECT_EQ(std::ranges::count(suspects, '\n'), static_cast<long>(before) + 1);
  const nlohmann::json after =
      nlohmann::json::parse(sieve({"inspect", "cleaned.csv", "--json"}).out);
  EXPECT_EQ(after["rows"], 200);
  EXPECT_EQ(after["rows_without_candidates"], 0);
  EXPECT_NEAR(after["candidates_per_row"].get<double>() * 200,
              static_cast<double>(before - json["removed"].get<std::size_t>()), 1e-6);
  EXPECT_EQ(clean({"--out", "cleaned.csv"}).code, 5);
}

TEST_F(Clean, writes_a_workbook_with_a_sheet_for_each_finding) {
  ASSERT_EQ(clean({"--out", "cleaned.csv"}).code, 0);
  const Ran ran = clean({"--out", "cleaned.xlsx"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Ran asked = sieve({"inspect", "cleaned.xlsx"});
  EXPECT_EQ(asked.code, 3);
  EXPECT_THAT(asked.err, HasSubstr("'labels' and 'suspects' have other columns"));
  EXPECT_THAT(asked.err, HasSubstr("sieve inspect cleaned.xlsx --sheet labels"));
  EXPECT_THAT(sieve({"inspect", "cleaned.xlsx", "--sheet", "none"}).err,
              HasSubstr("sheets: labels, suspects, claims"));
  ASSERT_EQ(sieve({"convert", "cleaned.xlsx", "back.csv", "--sheet", "labels"}).code, 0);
  EXPECT_EQ(read_file(folder_ / "back.csv"), read_file(folder_ / "cleaned.csv"));
}

TEST_F(Clean, a_threshold_of_zero_keeps_all_and_of_one_leaves_a_label_a_row) {
  EXPECT_EQ(nlohmann::json::parse(clean({"--threshold", "0", "--json"}).out)["removed"], 0);
  clean({"--threshold", "1", "--out", "one.csv", "--labels", "candidates"});
  const nlohmann::json one = nlohmann::json::parse(sieve({"inspect", "one.csv", "--json"}).out);
  EXPECT_EQ(one["candidates_per_row"], 1.0);
}

TEST_F(Clean, the_result_does_not_depend_on_threads_or_the_truth) {
  clean({"--suspects", "one.csv", "--threads", "1"});
  clean({"--suspects", "three.csv", "--threads", "3"});
  EXPECT_EQ(read("one.csv"), read("three.csv"));
  sieve({"convert", "crowd.arff", "blind.arff", "--labels", "candidates"});
  const Ran blind = sieve(joined({"clean", "blind.arff", "--json"}, quick()));
  EXPECT_EQ(blind.code, 0) << blind.err;
  EXPECT_EQ(nlohmann::json::parse(blind.out)["suspects"],
            nlohmann::json::parse(clean({"--json"}).out)["suspects"]);
  EXPECT_THAT(blind.out, Not(HasSubstr("cleaning_auc")));
}

TEST_F(Clean, says_how_sure_it_is_of_the_noise_of_each_label) {
  const Ran ran = clean();
  EXPECT_THAT(ran.out, HasSubstr("noise rate"));
  EXPECT_THAT(ran.err, HasSubstr("look like real labels"));
  const auto json = nlohmann::json::parse(clean({"--json"}).out);
  for (const auto& label : json["per_label"]) {
    EXPECT_LE(label["noise_low"], label["estimated_noise"]);
    EXPECT_GE(label["noise_high"], label["estimated_noise"]);
    EXPECT_EQ(label["noise_claim"]["basis"], "guess");
    EXPECT_NEAR(label["noise_claim"]["high"], label["noise_high"], 1e-8);
  }
}

TEST_F(Clean, gives_no_figure_for_labels_that_it_cannot_claim_anything_about) {
  std::string rows = "f1,f2,label:all,label:some,label:none\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},1,{},0\n", i % 7, i % 3, i % 3 == 0);
  write("rows.csv", rows);
  const std::vector<std::string> cleaning = {"clean", "rows.csv", "--method", "forest",
                                             "--set", "trees=5",  "--folds",  "2"};
  const auto json = nlohmann::json::parse(sieve(joined(cleaning, {"--json"})).out);
  EXPECT_TRUE(json["estimated_noise"].is_null());
  EXPECT_THAT(json["not_claimed"], HasSubstr("every row has the label 'all'"));
  for (const std::size_t label : {0U, 2U}) {
    EXPECT_TRUE(json["per_label"][label]["estimated_noise"].is_null());
    EXPECT_TRUE(json["per_label"][label]["noise_claim"].is_null());
  }
  EXPECT_EQ(json["per_label"][0]["not_claimed"], "every row has it");
  EXPECT_EQ(json["per_label"][2]["not_claimed"], "no row has it");
  EXPECT_NEAR(json["per_label"][1]["estimated_noise"], json["per_label"][1]["noise_claim"]["value"],
              1e-8);
  EXPECT_THAT(sieve(cleaning).out, HasSubstr("not claimed: every row has it"));
}

TEST_F(Clean, takes_decided_cells_and_proposes_missing_labels_without_knowing_who_ticked) {
  write("gold.csv", "row,label,true\n0,beach,1\n1,beach,0\n2,food,no\n");
  const Ran ran = clean({"--gold", "gold.csv", "--missing", "missing.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("labels that nobody ticked"));
  EXPECT_THAT(ran.err, Not(HasSubstr("look like real labels")));
  EXPECT_THAT(read("missing.csv"), StartsWith("row,label,probability,truth\n"));
  write("gold.csv", "row,label,true\n0,beech,1\n");
  EXPECT_THAT(clean({"--gold", "gold.csv"}).err, HasSubstr("did you mean 'beach'?"));
}

TEST_F(Clean, chooses_the_threshold_for_what_is_asked) {
  const auto threshold = [&](const std::vector<std::string>& more) {
    return nlohmann::json::parse(clean(joined({"--json"}, more)).out)["threshold"].get<double>();
  };
  EXPECT_EQ(threshold({"--for", "hamming"}), 0.5);
  EXPECT_LT(threshold({"--for", "f1"}), 0.5);
  EXPECT_EQ(clean({"--for", "f1", "--threshold", "0.4"}).code, 2);
}

TEST_F(Clean, a_finished_model_can_judge_with_a_warning) {
  train("model");
  const Ran ran = sieve({"clean", "crowd.arff", "--in-sample", "model"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("judged by model"));
  const auto json =
      nlohmann::json::parse(sieve({"clean", "crowd.arff", "--in-sample", "model", "--json"}).out);
  EXPECT_TRUE(json["estimated_noise"].is_null());
  EXPECT_TRUE(json["per_label"][0]["estimated_noise"].is_null());
  EXPECT_THAT(ran.err, HasSubstr("may have seen these rows"));
  EXPECT_EQ(sieve({"clean", "crowd.arff", "--in-sample", "model", "--folds", "3"}).code, 2);
}

TEST_F(Clean, requests_that_make_no_sense_are_refused_before_the_work) {
  EXPECT_THAT(sieve({"clean", "crowd.arff", "--method", "oracle"}).err, HasSubstr("is an oracle"));
  EXPECT_THAT(clean({"--folds", "201"}).err, HasSubstr("201 folds for 200 rows"));
  EXPECT_EQ(clean({"--folds", "1"}).code, 2);
  EXPECT_EQ(clean({"--suspects", "no/folder/s.csv"}).code, 5);
}

}  // namespace
}  // namespace sieve::test
