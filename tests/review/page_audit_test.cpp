#include "review/page_audit.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/sqlite.h"
#include "review/api.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// An audit of a simulated crowd on the page, answered from the truth.
class Auditing : public ::testing::Test {
 protected:
  void begin(std::size_t budget = 40, std::uint64_t seed = 1, bool rows = false,
             bool per_label = false) {
    review_.reset();
    ReviewMaterial material = crowd_material(200, 6);
    ReviewOptions options;
    options.decisions = path();
    options.background_learning = false;
    options.audited = std::make_shared<AuditSubject>();
    options.audited->exported = material.data.candidates.share();
    options.audit = {.seed = seed, .budget = budget, .per_label = per_label, .rows = rows};
    review_ = std::make_unique<Review>(std::move(material), options);
  }
  std::string path() const { return folder_ / "decisions.db"; }
  json call(bool post, const std::string& end, std::map<std::string, std::string> query,
            const json& body = {}, int expected = 200) {
    const ReviewReply reply =
        answer(*review_, {post, end, std::move(query), body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, expected) << end << ": " << reply.body;
    return json::parse(reply.body);
  }
  json next() { return call(false, "/api/next", {{"reviewer", "Ann"}})["item"]; }
  json decide(const json& item, const std::string& what, int expected = 200) {
    return call(true, "/api/decide", {},
                {{"reviewer", "Ann"},
                 {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)},
                 {"row", item["row"]},
                 {"choices", {{{"label", item["label"]}, {"answer", what}}}}},
                expected);
  }
  json decide_truly(const json& item) {
    const bool right = review_->material().data.truth->get(item["row"], item["label"]);
    return decide(item, right ? "yes" : "no");
  }
  // Answers everything, twice where asked; gives the last reply.
  json finish() {
    json reply = call(false, "/api/next", {{"reviewer", "Ann"}});
    while (!reply["item"].is_null()) reply = decide_truly(reply["item"]);
    return reply;
  }
  double share_wrong() const {
    const Dataset& data = review_->material().data;
    return static_cast<double>(count_outside(data.candidates, *data.truth)) /
           static_cast<double>(data.candidates.count());
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  int nonces_ = 0;
};

TEST_F(Auditing, is_blind) {
  begin();
  const json start = call(false, "/api/start", {});
  EXPECT_TRUE(start["audit"]);
  EXPECT_TRUE(start["people"].empty());
  const json item = next();
  for (const char* told : {"confidence", "people", "ticked", "labels", "similar", "verdicts"})
    EXPECT_FALSE(item.contains(told)) << told;
  for (const json& feature : item["features"]) EXPECT_FALSE(feature.contains("weight"));
  call(false, "/api/list", {}, {}, 409);
  call(false, "/api/at", {{"reviewer", "Ann"}, {"index", "0"}}, {}, 409);
  call(false, "/api/item", {{"reviewer", "Ann"}, {"row", "0"}, {"label", "0"}}, {}, 409);
  call(false, "/api/preview", {{"action", "remove"}, {"threshold", "0.3"}}, {}, 409);
}

TEST_F(Auditing, asks_in_the_order_of_its_draws_and_goes_on_after_a_restart) {
  begin();
  const json first = next();
  EXPECT_EQ(first["number"], 1);
  json other = first;
  other["row"] = first["row"] == 0 ? 1 : 0;
  decide(other, "yes", 409);
  decide_truly(first);
  const json second = next();
  EXPECT_EQ(second["number"], 2);
  begin();
  EXPECT_EQ(next(), second);
  begin(40, 7);
  EXPECT_EQ(next()["number"], 1) << "another seed is another audit";
}

TEST_F(Auditing, proves_a_range_that_holds_and_asks_a_tenth_twice) {
  begin(120);
  const json state = finish()["counts"]["audit"];
  EXPECT_EQ(state["answered"], 120);
  EXPECT_EQ(state["twice"], 12);
  EXPECT_EQ(state["again"], 12);
  EXPECT_EQ(state["path"].size(), 60U);
  EXPECT_LE(state["claim"]["low"], share_wrong());
  EXPECT_GE(state["claim"]["high"], share_wrong());
  double low = 0, high = 1;
  for (const json& point : state["path"]) {
    EXPECT_GE(point[2], low) << "never widens";
    EXPECT_LE(point[3], high);
    low = point[2], high = point[3];
  }
  const json result = call(false, "/api/progress", {})["audit"];
  EXPECT_TRUE(result["complete"]);
  EXPECT_EQ(result["figures"][0]["any_time"]["low"], state["claim"]["low"]) << "as for a list";
  EXPECT_EQ(result["agreement"]["same"], 12);
}

TEST_F(Auditing, of_labels_one_by_one_gives_each_a_claim) {
  begin(180, 1, false, true);
  const json state = finish()["counts"]["audit"];
  EXPECT_EQ(state["per_label"], true);
  EXPECT_TRUE(state["claim"].is_null()) << "no label speaks for all";
  const json result = call(false, "/api/progress", {})["audit"];
  ASSERT_EQ(result["labels"].size(), 6U);
  std::size_t held = 0;
  const Dataset& data = review_->material().data;
  for (std::size_t label = 0; label < 6; ++label) {
    double ticks = 0, wrong = 0;
    for (std::size_t row = 0; row < data.rows(); ++row)
      if (data.candidates.get(row, label)) ++ticks, wrong += !data.truth->get(row, label);
    const json& claim = result["labels"][label]["claim"];
    ASSERT_FALSE(claim.is_null()) << label;
    held +=
        claim["low"].get<double>() <= wrong / ticks && claim["high"].get<double>() >= wrong / ticks;
  }
  EXPECT_GE(held, 5U);
}

TEST_F(Auditing, counts_cannot_tell_against_both_limits_and_undoes) {
  begin();
  json reply = call(false, "/api/next", {{"reviewer", "Ann"}});
  for (int k = 0; k < 20; ++k) reply = decide(reply["item"], "no");
  const json sure = reply["counts"]["audit"]["claim"];
  for (int k = 0; k < 20; ++k)
    reply = call(true, "/api/undo", {},
                 {{"reviewer", "Ann"}, {"nonce", "undo-" + std::to_string(1000 + k)}});
  EXPECT_EQ(reply["counts"]["audit"]["answered"], 0);
  EXPECT_TRUE(reply["counts"]["audit"]["claim"].is_null());
  EXPECT_EQ(reply["item"]["number"], 1);
  for (int k = 0; k < 20; ++k) reply = decide(reply["item"], "skip");
  const json unsure = reply["counts"]["audit"]["claim"];
  EXPECT_LT(unsure["low"], sure["low"]);
  EXPECT_EQ(unsure["high"], sure["high"]);
}

TEST_F(Auditing, keeps_lane_probability_and_what_was_shown) {
  begin(10);
  finish();
  const Decisions log = read_decision_log(path(), review_->material().data);
  ASSERT_EQ(log.lines.size(), 10U);
  std::size_t exported = 0;
  for (const DecisionLine& line : log.lines) {
    ASSERT_TRUE(line.audited);
    EXPECT_GT(line.audited->probability, 0);
    EXPECT_EQ(line.audited->shown, "row and label");
    exported += line.audited->lane == "exported";
  }
  EXPECT_EQ(exported, 5U);
  EXPECT_EQ(log.claims.back().decisions, 5U);
}

TEST_F(Auditing, its_answers_are_those_of_a_list) {
  begin(60);
  finish();
  const Dataset& data = review_->material().data;
  const AuditOnPage page = read_audit(path(), data);
  AuditSubject subject;
  subject.data = &data;
  subject.exported = data.candidates.share();
  const Audit audit(std::move(subject), page.code.request);
  EXPECT_EQ(to_string(page.code), to_string(audit.code()));
  const AuditAnswers answers = answers_of(page, audit);
  for (std::size_t q = 0; q < audit.questions().size(); ++q) {
    const AuditQuestion& one = audit.questions()[q];
    const bool right = data.truth->get(one.row, one.label);
    EXPECT_EQ(answers.first[q], right ? AuditAnswer::Right : AuditAnswer::Wrong);
  }
}

// Decisions that fix do not measure: the claim of the review follows them and still holds.
TEST_F(Auditing, a_review_of_the_same_file_knows_what_was_proved_and_fixed) {
  begin(200);
  finish();
  review_.reset();
  ReviewOptions options;
  options.decisions = path();
  options.background_learning = false;
  options.stop_at = 0.4;
  review_ = std::make_unique<Review>(crowd_material(200, 6), options);
  double high = 1;
  for (int round = 0; round < 3; ++round) {
    const json claim = call(false, "/api/progress", {})["counts"]["error"]["claim"];
    const Dataset& data = review_->material().data;
    const Reviewed reviewed = read_reviewed(path(), data);
    LabelMatrix now = data.candidates.clone();
    apply_decisions(reviewed, now);
    const double real =
        static_cast<double>(count_outside(now, *data.truth)) / static_cast<double>(now.count());
    EXPECT_EQ(claim["basis"], "audit");
    EXPECT_EQ(claim["decisions"], 100);
    EXPECT_LE(claim["low"], real);
    EXPECT_GE(claim["high"], real);
    EXPECT_LT(claim["high"], high) << round;
    EXPECT_EQ(call(false, "/api/progress", {})["counts"]["error"]["enough"], claim["high"] <= 0.4);
    EXPECT_NEAR(reviewed.wrong->high, claim["high"].get<double>(), 1e-6);
    high = claim["high"];
    for (int k = 0; k < 100; ++k) decide_truly(next());
    review_->learn_now();
  }
}

TEST_F(Auditing, of_whole_rows_counts_a_row_once_all_its_labels_are_answered) {
  begin(30, 1, true);
  json reply = call(false, "/api/next", {{"reviewer", "Ann"}});
  for (std::size_t label = 0; label < 6; ++label) {
    EXPECT_EQ(reply["item"]["label"], label);
    EXPECT_TRUE(reply["counts"]["audit"]["claim"].is_null()) << label;
    reply = decide_truly(reply["item"]);
  }
  EXPECT_EQ(reply["counts"]["audit"]["claim"]["decisions"], 1);
  const json state = finish()["counts"]["audit"];
  EXPECT_EQ(state["about"], "perfect");
  EXPECT_EQ(state["answered"], 180);
  EXPECT_EQ(state["path"].size(), 30U);
  const Dataset& data = review_->material().data;
  double perfect = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    bool same = true;
    for (std::size_t l = 0; l < data.labels(); ++l)
      same &= data.candidates.get(i, l) == data.truth->get(i, l);
    perfect += same;
  }
  EXPECT_LE(state["claim"]["low"], perfect / 200);
  EXPECT_GE(state["claim"]["high"], perfect / 200);
  const json figures = call(false, "/api/progress", {})["audit"]["figures"];
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0]["any_time"]["low"], state["claim"]["low"]) << "as for a list";
  EXPECT_EQ(figures[0]["any_time"]["high"], state["claim"]["high"]);
  const Decisions log = read_decision_log(path(), data);
  EXPECT_TRUE(log.claims.empty()) << "nothing is proved of single labels";
  EXPECT_TRUE(read_audit(path(), data).code.request.rows);
}

TEST_F(Auditing, files_without_an_audit_say_so) {
  review_.reset();
  ReviewOptions options;
  options.decisions = path();
  options.background_learning = false;
  review_ = std::make_unique<Review>(crowd_material(200, 6), options);
  try {
    read_audit(path(), review_->material().data);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no audit was answered"));
  }
}

}  // namespace
}  // namespace sieve::test
