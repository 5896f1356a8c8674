#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AuditVerb : public Cli {
 protected:
  AuditVerb() {
    sieve({"synth", "--rows", "300", "--labels", "5", "--noise", "1.5", "--out", "crowd.csv",
           "--annotations", "ticks.csv"});
  }
  Ran audit(std::vector<std::string> words) const {
    words.insert(words.begin(), {"audit", "crowd.csv", "--annotations", "ticks.csv", "--quiet"});
    return sieve(words);
  }
  void answer_list(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--list", "cells.csv", "--answer-from-truth"});
    const Ran ran = audit(more);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  nlohmann::json claims(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--answers", "cells.csv", "--json"});
    const Ran ran = audit(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out);
  }
};

TEST_F(AuditVerb, plans_decisions_for_a_width) {
  const Ran ran = audit({"--plan"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("plus or minus 5 points"));
  const nlohmann::json one =
      nlohmann::json::parse(audit({"--plan", "--half-width", "0.1", "--json"}).out);
  const nlohmann::json two = nlohmann::json::parse(
      audit({"--plan", "--half-width", "0.1", "--level", "0.99", "--json"}).out);
  ASSERT_EQ(one["plans"].size(), 1U);
  EXPECT_LT(one["plans"][0]["fixed"], one["plans"][0]["any_time"]);
  EXPECT_LT(one["plans"][0]["fixed"], two["plans"][0]["fixed"]);
}

TEST_F(AuditVerb, claims_what_is_true) {
  answer_list({"--budget", "200"});
  const nlohmann::json told = claims();
  EXPECT_EQ(told["decisions"], 200);
  EXPECT_TRUE(told["complete"].get<bool>());
  // The truth of this crowd, by another way.
  const nlohmann::json facts = nlohmann::json::parse(sieve({"inspect", "crowd.csv", "--json"}).out);
  const auto& wrong = told["claims"][0];
  EXPECT_EQ(wrong["about"], "wrong");
  const double noise = facts["noise"]["noise_share"];
  for (const char* kind : {"fixed", "any_time"}) {
    EXPECT_LE(wrong[kind]["low"], noise) << kind;
    EXPECT_GE(wrong[kind]["high"], noise) << kind;
    EXPECT_EQ(wrong[kind]["basis"], "audit");
  }
  EXPECT_LT(wrong["fixed"]["high"].get<double>() - wrong["fixed"]["low"].get<double>(), 0.2);
  EXPECT_THAT(audit({"--answers", "cells.csv"}).out, HasSubstr("audited"));
}

TEST_F(AuditVerb, asks_for_more_where_it_stopped) {
  answer_list({"--budget", "40"});
  const Ran ran = audit({"--answers", "cells.csv", "--budget", "60", "--list", "more.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("wrote more.csv: 22 lines"));
}

TEST_F(AuditVerb, judges_goals_by_its_exit_code) {
  answer_list({"--budget", "200"});
  EXPECT_EQ(audit({"--answers", "cells.csv", "--accept", "precision >= 0.2"}).code, 0);
  const Ran no = audit({"--answers", "cells.csv", "--accept", "precision >= 0.99"});
  EXPECT_EQ(no.code, 8);
  EXPECT_THAT(no.err, HasSubstr("not accepted: precision >= 0.99"));
  const double value = claims()["claims"][1]["fixed"]["value"];
  const std::string close = "precision >= " + std::to_string(value);
  const Ran open = audit({"--answers", "cells.csv", "--accept", close});
  EXPECT_EQ(open.code, 9);
  EXPECT_THAT(open.err, HasSubstr("decide more cells"));
  EXPECT_EQ(audit({"--answers", "cells.csv", "--accept", close + ", precision >= 0.99"}).code, 8);
  EXPECT_EQ(audit({"--answers", "cells.csv", "--accept", "beauty >= 1"}).code, 2);
}

TEST_F(AuditVerb, audits_labels_of_another_file) {
  ASSERT_EQ(sieve({"convert", "crowd.csv", "truth.csv", "--labels", "truth"}).code, 0);
  const Ran ran = audit({"--labels", "truth.csv", "--list", "cells.csv", "--answer-from-truth"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Ran told = audit({"--labels", "truth.csv", "--answers", "cells.csv", "--json"});
  ASSERT_EQ(told.code, 0) << told.err;
  for (const auto& claim : nlohmann::json::parse(told.out)["claims"])
    EXPECT_TRUE(claim["fixed"]["value"] == 0 || claim["fixed"]["value"] == 1) << claim;
  const Ran other = audit({"--answers", "cells.csv"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("the labels have changed"));
}

TEST_F(AuditVerb, audits_the_candidates_of_a_file_that_knows_the_truth_too) {
  answer_list({"--labels", "crowd.csv"});
  const nlohmann::json told = claims({"--labels", "crowd.csv"});
  EXPECT_EQ(told["claims"], claims()["claims"]);
  EXPECT_LT(told["claims"][1]["fixed"]["value"], 0.9) << "these are not the true labels";
}

TEST_F(AuditVerb, refuses_labels_of_other_rows) {
  sieve({"synth", "--rows", "200", "--labels", "5", "--out", "few.csv"});
  const Ran ran = audit({"--labels", "few.csv", "--plan"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("200 rows, the data 300 rows"));
}

TEST_F(AuditVerb, refuses_another_seed_other_data_and_no_answers) {
  answer_list();
  EXPECT_THAT(audit({"--answers", "cells.csv", "--seed", "9"}).err, HasSubstr("random seed 1"));
  const Ran bare = sieve({"audit", "crowd.csv", "--answers", "cells.csv"});
  EXPECT_EQ(bare.code, 3);
  EXPECT_THAT(bare.err, HasSubstr("other probabilities"));
  sieve({"synth", "--rows", "300", "--labels", "5", "--noise", "1.5", "--seed", "8", "--out",
         "other.csv"});
  const Ran other = sieve({"audit", "other.csv", "--answers", "cells.csv"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("begin a new audit"));
  ASSERT_EQ(audit({"--list", "empty.csv"}).code, 0);
  const Ran empty = audit({"--answers", "empty.csv"});
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("there is no answer yet"));
}

TEST_F(AuditVerb, refuses_answers_to_what_was_not_asked) {
  answer_list();
  write("strange.csv", read("cells.csv") + "0,nowhere,1,1,1,\n");
  EXPECT_THAT(audit({"--answers", "strange.csv"}).err, HasSubstr("there is no label 'nowhere'"));
  const std::string list = read("cells.csv");
  const std::size_t second = list.find('\n') + 1;
  write("twice.csv", list + list.substr(second, list.find('\n', second) + 1 - second));
  const Ran twice = audit({"--answers", "twice.csv"});
  EXPECT_EQ(twice.code, 3);
  EXPECT_THAT(twice.err, HasSubstr("a second time"));
}

TEST_F(AuditVerb, says_what_is_missing) {
  EXPECT_EQ(audit({}).code, 2);
  EXPECT_EQ(sieve({"audit", "--plan"}).code, 2);
  EXPECT_EQ(sieve({"audit", "certificate", "crowd.csv"}).code, 2);
  EXPECT_EQ(sieve({"audit", "verify"}).code, 2);
  EXPECT_EQ(audit({"--accept", "recall >= 0.9", "--plan"}).code, 2);
}

class AuditCertificate : public AuditVerb {
 protected:
  Ran certify(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "certificate", "crowd.csv", "--annotations", "ticks.csv",
                               "--answers", "cells.csv", "--out", out, "--quiet"});
    return sieve(more);
  }
  Ran verify(const std::string& certificate, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", "verify", certificate, "crowd.csv", "--annotations",
                               "ticks.csv", "--quiet"});
    return sieve(more);
  }
  // A file where the first `from` is `to`.
  void change(const std::string& file, const std::string& from, const std::string& to,
              const std::string& into) const {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    write(into, text.replace(at, from.size(), to));
  }
  void expect_broken(const Ran& ran, const char* why) const {
    EXPECT_EQ(ran.code, 8) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("does not hold"));
    EXPECT_THAT(ran.err, HasSubstr(why));
  }
};

TEST_F(AuditCertificate, is_the_same_for_any_number_of_threads) {
  answer_list();
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const std::string name = std::string("c") + threads + ".json";
    const Ran made = certify(name, {"--threads", threads});
    ASSERT_EQ(made.code, 0) << made.err;
    nlohmann::json told = nlohmann::json::parse(read(name));
    ASSERT_EQ(told.erase("made"), 1U);
    if (first.empty()) first = told.dump();
    EXPECT_EQ(told.dump(), first) << threads;
    const Ran ran = verify("c1.json", {"--threads", threads});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("holds"));
  }
}

// What a processor without vectors would do.
TEST_F(AuditCertificate, holds_on_a_machine_of_another_kind) {
  answer_list();
  ASSERT_EQ(certify("c.json").code, 0);
  const Ran ran = sieve({"audit", "verify", "c.json", "crowd.csv", "--annotations", "ticks.csv"},
                        {.set = {{"SIEVE_TARGET", "plain"}}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("holds"));
}

TEST_F(AuditCertificate, is_broken_by_a_flipped_decision) {
  answer_list();
  ASSERT_EQ(certify("c.json", {"--page", "c.html"}).code, 0);
  EXPECT_THAT(read("c.html"), HasSubstr("Certificate of an audit"));
  change("c.json", R"("answer":"1")", R"("answer":"0")", "flipped.json");
  expect_broken(verify("flipped.json"), "decisions");
  write("none.json", "{}");
  EXPECT_EQ(verify("none.json").code, 3);
}

TEST_F(AuditCertificate, is_broken_by_another_seed) {
  answer_list();
  ASSERT_EQ(certify("c.json").code, 0);
  change("c.json", R"("seed":1)", R"("seed":2)", "other.json");
  expect_broken(verify("other.json"), "this seed did not draw");
}

TEST_F(AuditCertificate, is_broken_by_a_changed_label) {
  ASSERT_EQ(sieve({"convert", "crowd.csv", "labels.csv", "--labels", "truth"}).code, 0);
  answer_list({"--labels", "labels.csv"});
  ASSERT_EQ(certify("c.json", {"--labels", "labels.csv"}).code, 0);
  ASSERT_EQ(verify("c.json", {"--labels", "labels.csv"}).code, 0);
  // The last cell of the last line is a label, 0 or 1.
  std::string text = read("labels.csv");
  const std::size_t last = text.find_last_of("01");
  text[last] = text[last] == '0' ? '1' : '0';
  write("changed.csv", text);
  expect_broken(verify("c.json", {"--labels", "changed.csv"}), "labels are others");
}

TEST_F(AuditVerb, needs_nobody_to_know_the_annotators) {
  const Ran list = sieve({"audit", "crowd.csv", "--list", "cells.csv", "--answer-from-truth",
                          "--ask-about", "labels", "--per-label"});
  ASSERT_EQ(list.code, 0) << list.err;
  const Ran ran = sieve({"audit", "crowd.csv", "--answers", "cells.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("cells without a label were not asked"));
}

TEST_F(AuditVerb, asks_about_whole_rows) {
  answer_list({"--ask-about", "rows", "--budget", "60"});
  const nlohmann::json told = claims();
  ASSERT_EQ(told["claims"].size(), 1U);
  EXPECT_EQ(told["claims"][0]["about"], "perfect");
  EXPECT_EQ(told["decisions"], 60);
  EXPECT_THAT(audit({"--answers", "cells.csv"}).out, HasSubstr("rows without an error"));
  EXPECT_EQ(audit({"--answers", "cells.csv", "--accept", "perfect >= 0.001"}).code, 0);
  EXPECT_EQ(audit({"--answers", "cells.csv", "--accept", "recall >= 0.5"}).code, 2);
  // Whole rows are what a guarantee needs.
  const Ran trained = sieve({"train", "crowd.csv", "--method", "pml-ni", "--out", "m.model",
                             "--gold", "cells.csv", "--guarantee", "recall=0.5", "--json"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(nlohmann::json::parse(trained.out)["rows"], 240);
}

TEST_F(AuditVerb, judges_annotators_on_request) {
  answer_list({"--budget", "300", "--ask-about", "labels"});
  const Ran ran = audit({"--answers", "cells.csv", "--per-annotator"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("wrong among their ticks"));
  EXPECT_FALSE(claims().contains("annotator_claims"));
  const nlohmann::json told = claims({"--per-annotator"})["annotator_claims"];
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0]["claim"].is_null(), told[0]["decisions"] < 20);
  EXPECT_EQ(audit({"--plan", "--per-annotator"}).code, 2);
}

TEST_F(AuditVerb, lets_its_answers_correct_labels) {
  answer_list({"--budget", "200"});
  const Ran ran = sieve({"clean", "crowd.csv", "--annotations", "ticks.csv", "--method", "pml-ni",
                         "--gold", "cells.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("need a new audit"));
}

TEST_F(AuditVerb, shows_texts_of_a_table) {
  write("texts.csv",
        "id,text,tags\na,waves and wind,sea\nb,leaves and trees,wood\nc,surf at noon,sea;wood\n"
        "d,a dark forest,wood\n");
  const Ran ran = sieve({"audit", "texts.csv", "--label-column", "tags", "--text-column", "text",
                         "--list", "cells.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("cells.csv"), HasSubstr("waves and wind,sea,,"));
  EXPECT_THAT(read("cells.csv"), HasSubstr("id,text,label,answer"));
}

TEST_F(AuditVerb, decisions_of_a_page_stand_for_answers) {
  EXPECT_THAT(audit({"--decisions", "d.db", "--answers", "cells.csv"}).err, HasSubstr("not both"));
  const Ran none = audit({"--decisions", "d.db", "--claims"});
  EXPECT_EQ(none.code, 5) << "there is no such file";
}

}  // namespace
}  // namespace sieve::test
