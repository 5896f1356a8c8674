#include "review/review.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/sqlite.h"
#include "review/api.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;

class Reviewing : public ::testing::Test {
 protected:
  ReviewOptions options(std::size_t overlap = 1) const {
    ReviewOptions out;
    out.decisions = folder_ / "decisions.db";
    out.overlap = overlap;
    out.background_learning = false;
    return out;
  }
  void begin(ReviewMaterial material, std::size_t overlap = 1) {
    review_.reset();
    review_ = std::make_unique<Review>(std::move(material), options(overlap));
  }
  void restart() { begin(small_material()); }

  json call(bool post, const std::string& path, std::map<std::string, std::string> query,
            const json& body = {}, int expected = 200) {
    const ReviewReply reply =
        answer(*review_, {post, path, std::move(query), body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, expected) << path << ": " << reply.body;
    return json::parse(reply.body);
  }
  json next(const std::string& who, std::map<std::string, std::string> view = {}) {
    view["reviewer"] = who;
    return call(false, "/api/next", view)["item"];
  }
  json decide(const std::string& who, const json& item, const std::string& answer,
              const std::string& note = "") {
    return call(true, "/api/decide", {},
                {{"reviewer", who},
                 {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)},
                 {"row", item["row"]},
                 {"choices", {{{"label", item["label"]}, {"answer", answer}}}},
                 {"note", note}});
  }
  json undo(const std::string& who) {
    return call(true, "/api/undo", {},
                {{"reviewer", who}, {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)}});
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  int nonces_ = 0;
};

TEST_F(Reviewing, shows_the_most_suspicious_first_and_goes_on) {
  restart();
  const json first = next("Ann");
  EXPECT_EQ(first["id"], "a");
  EXPECT_EQ(first["label"], 0);
  EXPECT_LT(first["confidence"], 0.1);
  const json second = decide("Ann", first, "no")["item"];
  EXPECT_EQ(second["id"], "a");
  EXPECT_EQ(second["label"], 1);
  EXPECT_EQ(decide("Ann", second, "yes")["item"]["id"], "b");
}

TEST_F(Reviewing, ends_when_everything_is_decided) {
  restart();
  json item = next("Ann");
  int decided = 0;
  for (; !item.is_null() && decided < 100; ++decided) item = decide("Ann", item, "yes")["item"];
  EXPECT_EQ(decided, 9);
}

TEST_F(Reviewing, a_request_that_comes_again_changes_nothing) {
  restart();
  const json body = {{"reviewer", "Ann"},
                     {"nonce", "the-same-one"},
                     {"row", 0},
                     {"choices", {{{"label", 0}, {"answer", "no"}}}}};
  const json once = call(true, "/api/decide", {}, body),
             again = call(true, "/api/decide", {}, body);
  EXPECT_EQ(once["line"], again["line"]);
  EXPECT_EQ(again["counts"]["decisions"], 1);
  restart();
  EXPECT_EQ(call(true, "/api/decide", {}, body)["counts"]["decisions"], 1);
}

TEST_F(Reviewing, a_nonce_that_comes_again_with_other_content_is_refused) {
  restart();
  const json body = {
      {"reviewer", "Ann"},
      {"nonce", "the-same-one"},
      {"row", 0},
      {"choices", {{{"label", 0}, {"answer", "no"}}, {{"label", 1}, {"answer", "no"}}}},
      {"note", "seen twice"}};
  call(true, "/api/decide", {}, body);
  restart();
  call(true, "/api/decide", {}, body);
  const auto refused = [&](const char* field, const json& value) {
    json other = body;
    other[field] = value;
    call(true, "/api/decide", {}, other, 409);
  };
  refused("reviewer", "Bob");
  refused("row", 2);
  refused("note", "another note");
  refused("choices", {{{"label", 0}, {"answer", "no"}}});
  refused("choices", {{{"label", 0}, {"answer", "yes"}}, {{"label", 1}, {"answer", "no"}}});
  refused("choices", {{{"label", 0}, {"answer", "skip"}}});
  call(true, "/api/undo", {}, {{"reviewer", "Ann"}, {"nonce", "the-same-one"}}, 409);
  const json rule = {{"reviewer", "Ann"},  {"nonce", "bulk-number-one"},
                     {"action", "remove"}, {"threshold", 0.3},
                     {"rule_label", 0},    {"expected", 2}};
  call(true, "/api/bulk", {}, rule);
  json other = rule;
  call(true, "/api/bulk", {}, rule);
  other["threshold"] = 0.9;
  call(true, "/api/bulk", {}, other, 409);
  undo("Ann");
  call(true, "/api/bulk", {}, other, 409);
  EXPECT_EQ(read_reviewed(options().decisions, review_->material().data).cells.size(), 2U);
}

TEST_F(Reviewing, names_are_trimmed_and_blank_ones_refused) {
  restart();
  const auto body = [](const std::string& name, const std::string& nonce, int row) {
    return json{{"reviewer", name},
                {"nonce", nonce},
                {"row", row},
                {"choices", {{{"label", 0}, {"answer", "no"}}}}};
  };
  for (const std::string blank : {" ", "\t \n", "\u00a0", "\u3000 \u2003"})
    call(true, "/api/decide", {}, body(blank, "nonce-blank", 0), 400);
  call(true, "/api/decide", {}, body("Ann", "nonce-plain", 0));
  call(true, "/api/decide", {}, body("  Ann\t", "nonce-padded", 1));
  call(true, "/api/decide", {}, body("\u00a0Ann\u3000", "nonce-wide", 2));
  const Reviewed reviewed = read_reviewed(options().decisions, review_->material().data);
  ASSERT_EQ(reviewed.reviewers.size(), 1U);
  EXPECT_EQ(reviewed.reviewers[0].first, "Ann");
  EXPECT_EQ(reviewed.reviewers[0].second, 3U);
}

// Another program that holds the database, as a backup or a viewer may.
class Holder {
 public:
  explicit Holder(const std::string& path) : database_(path, Database::Access::Write) {
    database_.run("BEGIN IMMEDIATE");
  }
  void release() { database_.run("ROLLBACK"); }

 private:
  Database database_;
};

TEST_F(Reviewing, learning_goes_on_where_its_estimate_cannot_be_written) {
  ReviewOptions chosen = options();
  std::vector<std::string> warnings;
  chosen.warn = [&](const std::string& text) { warnings.push_back(text); };
  review_ = std::make_unique<Review>(small_material(), chosen);
  decide("Ann", next("Ann"), "no");
  {
    Holder holder(chosen.decisions);
    review_->learn_now();
    review_->learn_now();
    holder.release();
  }
  ASSERT_EQ(warnings.size(), 1U) << "once is enough";
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("estimate"));
  decide("Ann", next("Ann"), "no");
  review_->learn_now();
  const json progress = call(false, "/api/progress", {});
  EXPECT_EQ(progress["counts"]["decisions"], 2);
  EXPECT_EQ(progress["past"].size(), 2U) << "the one at the start and the last one";
}

TEST_F(Reviewing, nothing_is_acknowledged_once_the_file_is_gone_or_another) {
  for (const std::string way : {"deleted", "replaced", "log deleted"}) {
    ReviewOptions chosen = options();
    chosen.decisions = folder_ / (way + ".db");
    std::vector<std::string> warnings;
    chosen.warn = [&](const std::string& text) { warnings.push_back(text); };
    review_ = std::make_unique<Review>(small_material(), chosen);
    const json first = decide("Ann", next("Ann"), "no");
    const std::string moved = way == "log deleted" ? chosen.decisions + "-wal" : chosen.decisions;
    std::filesystem::rename(moved, folder_ / "aside");
    if (way == "replaced") write_file(chosen.decisions, "another file");
    const json body = {{"reviewer", "Ann"},
                       {"nonce", "while-it-is-gone"},
                       {"row", 3},
                       {"choices", {{{"label", 0}, {"answer", "no"}}}}};
    for (int time = 0; time < 2; ++time)
      EXPECT_THAT(call(true, "/api/decide", {}, body, 503)["error"].get<std::string>(),
                  ::testing::HasSubstr("not saved"))
          << way;
    call(true, "/api/undo", {}, {{"reviewer", "Ann"}, {"nonce", "undo-while-gone"}}, 503);
    call(true, "/api/bulk", {},
         {{"reviewer", "Ann"},
          {"nonce", "bulk-while-gone"},
          {"action", "remove"},
          {"threshold", 0.3},
          {"expected", 3}},
         503);
    EXPECT_EQ(read_reviewed(chosen.decisions + ".rescued", review_->material().data).looks, 1U)
        << way;
    ASSERT_FALSE(warnings.empty()) << way;
    EXPECT_THAT(warnings[0], ::testing::HasSubstr(chosen.decisions)) << way;
    std::filesystem::rename(folder_ / "aside", moved);
    call(true, "/api/decide", {}, body);
    EXPECT_EQ(read_reviewed(chosen.decisions, review_->material().data).looks, 2U) << way;
    review_.reset();
  }
}

TEST_F(Reviewing, nothing_is_acknowledged_once_the_file_is_empty) {
  restart();
  const json item = decide("Ann", next("Ann"), "no")["item"];
  std::filesystem::resize_file(options().decisions, 0);
  call(true, "/api/decide", {},
       {{"reviewer", "Ann"},
        {"nonce", "while-it-is-empty"},
        {"row", item["row"]},
        {"choices", {{{"label", item["label"]}, {"answer", "no"}}}}},
       503);
}

TEST_F(Reviewing, undo_brings_the_item_back_even_after_a_restart) {
  restart();
  const json item = next("Ann");
  decide("Ann", item, "no", "looks wrong to me");
  restart();
  const json undone = undo("Ann");
  EXPECT_EQ(undone["undone"]["kind"], "decide");
  EXPECT_EQ(undone["undone"]["note"], "looks wrong to me");
  EXPECT_EQ(undone["item"]["id"], item["id"]);
  EXPECT_TRUE(undone["item"]["answer"].is_null());
  EXPECT_TRUE(undo("Ann")["undone"].is_null());
}

TEST_F(Reviewing, undo_takes_back_only_what_the_same_reviewer_did) {
  restart();
  decide("Ann", next("Ann"), "no");
  const json item = next("Bob");
  decide("Bob", item, "no");
  EXPECT_EQ(undo("Ann")["item"]["id"], "a");
  EXPECT_TRUE(undo("Ann")["undone"].is_null());
  EXPECT_EQ(undo("Bob")["item"]["id"], item["id"]);
}

TEST_F(Reviewing, a_skipped_item_is_left_to_others) {
  restart();
  const json item = next("Ann");
  const json after = decide("Ann", item, "skip");
  EXPECT_NE(after["item"]["label"], item["label"]);
  EXPECT_EQ(after["counts"]["decisions"], 0);
  decide("Ann", after["item"], "yes");
  EXPECT_EQ(next("Bob")["label"], item["label"]);
}

TEST_F(Reviewing, two_reviewers_never_get_the_same_row) {
  restart();
  const json ann = next("Ann"), bob = next("Bob");
  EXPECT_NE(ann["row"], bob["row"]);
  EXPECT_EQ(next("Ann")["row"], ann["row"]) << "asking again changes nothing";
}

TEST_F(Reviewing, with_overlap_each_item_goes_to_two_and_their_agreement_is_told) {
  begin(small_material(), 2);
  const json ann = next("Ann");
  EXPECT_EQ(next("Bob")["row"], ann["row"]);
  EXPECT_NE(next("Cem")["row"], ann["row"]) << "two are enough";
  decide("Ann", ann, "no");
  const json bob = next("Bob");
  EXPECT_EQ(bob["row"], ann["row"]);
  decide("Bob", bob, "yes");
  const json progress = call(false, "/api/progress", {});
  EXPECT_EQ(progress["agreement"]["cells"], 1);
  EXPECT_EQ(progress["agreement"]["share"], 0);
}

TEST_F(Reviewing, a_rule_decides_many_and_is_undone_as_one_after_a_restart) {
  restart();
  const std::map<std::string, std::string> rule = {
      {"action", "remove"}, {"threshold", "0.3"}, {"rule_label", "0"}};
  const json preview = call(false, "/api/preview", rule);
  EXPECT_EQ(preview["count"], 3);
  EXPECT_EQ(preview["sample"].size(), 3U);
  json body = {{"reviewer", "Ann"},  {"nonce", "bulk-number-one"},
               {"action", "remove"}, {"threshold", 0.3},
               {"rule_label", 0},    {"expected", 2}};
  call(true, "/api/bulk", {}, body, 409);
  body["expected"] = 3;
  call(true, "/api/bulk", {}, body);
  EXPECT_EQ(call(false, "/api/preview", rule)["count"], 0);
  const Reviewed reviewed = read_reviewed(options().decisions, review_->material().data);
  EXPECT_EQ(reviewed.by_rule, 3U);
  EXPECT_THAT(reviewed.cells[0].rule, ::testing::HasSubstr("remove ticks of sun with at most 0.3"));
  restart();
  const json undone = undo("Ann");
  EXPECT_EQ(undone["undone"]["kind"], "bulk");
  EXPECT_EQ(undone["undone"]["cells"], 3);
  EXPECT_EQ(call(false, "/api/preview", rule)["count"], 3);
}

TEST_F(Reviewing, a_row_with_all_its_labels_is_one_line) {
  restart();
  call(true, "/api/decide", {},
       {{"reviewer", "Ann"},
        {"nonce", "row-of-labels"},
        {"row", 1},
        {"choices", {{{"label", 0}, {"answer", "no"}}, {{"label", 1}, {"answer", "yes"}}}}});
  const Reviewed reviewed = read_reviewed(options().decisions, review_->material().data);
  ASSERT_EQ(reviewed.cells.size(), 2U);
  EXPECT_FALSE(reviewed.cells[0].on);
  EXPECT_TRUE(reviewed.cells[1].on) << "a label that was not on the list";
  EXPECT_EQ(undo("Ann")["undone"]["cells"], 2);
}

TEST_F(Reviewing, the_view_filters_and_orders) {
  restart();
  EXPECT_EQ(next("Ann", {{"only_label", "1"}})["label"], 1);
  EXPECT_EQ(next("Ann", {{"order", "label"}})["label"], 0);
  EXPECT_EQ(next("Ann", {{"order", "gain"}})["id"], "d") << "one half is the least sure";
  EXPECT_TRUE(next("Ann", {{"kind", "missing"}}).is_null());
  const json list = call(false, "/api/list", {{"from", "7"}, {"most", "5"}});
  EXPECT_EQ(list["total"], 9);
  EXPECT_EQ(list["items"].size(), 2U);
}

TEST_F(Reviewing, words_are_marked_and_put_together_they_are_the_text) {
  begin(small_material(20));
  const json texts = next("Ann", {{"only_label", "1"}})["texts"];
  std::string all;
  bool for_it = false;
  for (const auto& piece : texts[0]["pieces"]) {
    all += piece[0].get<std::string>();
    for_it |= piece[0] == "sunny" && piece[1] > 0;
  }
  EXPECT_EQ(all, "a bright <b>sunny</b> day");
  EXPECT_TRUE(for_it) << texts;
}

TEST_F(Reviewing, nonsense_is_refused_and_changes_nothing) {
  restart();
  const json good = {{"reviewer", "Ann"},
                     {"nonce", "12345678"},
                     {"row", 0},
                     {"choices", {{{"label", 0}, {"answer", "no"}}}}};
  const auto refused = [&](const char* field, const json& value) {
    json body = good;
    body[field] = value;
    call(true, "/api/decide", {}, body, 400);
  };
  refused("reviewer", "");
  refused("reviewer", std::string(1000, 'x'));
  refused("nonce", "short");
  refused("row", 6);
  refused("row", -1);
  refused("row", "x");
  refused("choices", json::array());
  refused("choices", {{{"label", 2}, {"answer", "no"}}});
  refused("choices", {{{"label", 0}, {"answer", "maybe"}}});
  refused("choices", {{{"label", 0}, {"answer", "no"}}, {{"label", 0}, {"answer", "yes"}}});
  refused("note", std::string(5000, 'x'));
  refused("note", 7);
  EXPECT_EQ(answer(*review_, {true, "/api/decide", {}, "{"}).status, 400);
  EXPECT_EQ(answer(*review_, {true, "/api/decide", {}, "[1]"}).status, 400);
  EXPECT_EQ(answer(*review_, {true, "/api/decide", {}, std::string(60000, '[')}).status, 400);
  EXPECT_EQ(answer(*review_, {false, "/api/decide", {}, ""}).status, 404);
  EXPECT_EQ(answer(*review_, {false, "/media", {{"row", "0"}, {"column", "0"}}, ""}).status, 404);
  call(false, "/api/list", {{"order", "nonsense"}}, {}, 400);
  call(false, "/api/preview", {{"threshold", "nan"}}, {}, 400);
  EXPECT_TRUE(read_reviewed(options().decisions, review_->material().data).cells.empty());
}

// Decides up to `count` cells of the queue by the truth, and learns from them.
void decide_truly(Review& review, std::size_t count, const std::string& order = "suspicion") {
  static int nonce = 10000000;
  for (std::size_t k = 0; k < count; ++k) {
    const ReviewRequest next{false, "/api/next", {{"reviewer", "Ann"}, {"order", order}}, ""};
    const json item = json::parse(answer(review, next).body)["item"];
    if (item.is_null()) break;
    const bool right = review.material().data.truth->get(item["row"], item["label"]);
    const json body = {{"reviewer", "Ann"},
                       {"nonce", std::to_string(++nonce)},
                       {"row", item["row"]},
                       {"choices", {{{"label", item["label"]}, {"answer", right ? "yes" : "no"}}}}};
    ASSERT_EQ(answer(review, {true, "/api/decide", {}, body.dump()}).status, 200);
  }
  review.learn_now();
}

// The share of the labels that are on and wrong.
double share_wrong(const Review& review) {
  const Dataset& data = review.material().data;
  LabelMatrix now = data.candidates.clone();
  apply_decisions(read_reviewed(review.options().decisions, data), now);
  return static_cast<double>(count_outside(now, *data.truth)) / static_cast<double>(now.count());
}

TEST_F(Reviewing, the_guess_of_what_is_wrong_falls_with_the_truth_inside_its_range) {
  begin(crowd_material(300, 8));
  std::size_t held = 0, checks = 0;
  double first = 0, last = 0;
  for (int round = 0; round < 5; ++round) {
    const json claim = json::parse(review_->progress().text())["counts"]["error"]["claim"];
    const double real = share_wrong(*review_);
    EXPECT_EQ(claim["basis"], "guess");
    held += claim["low"] <= real && real <= claim["high"];
    ++checks;
    last = claim["value"];
    if (round == 0) first = last;
    decide_truly(*review_, 100);
  }
  EXPECT_GE(held, checks - 1);
  EXPECT_LT(last, 0.7 * first);
}

TEST_F(Reviewing, claims_nothing_where_the_errors_of_the_judge_are_not_known) {
  ReviewMaterial material = small_material();
  material.guess_from.reset();
  begin(std::move(material));
  const json error = call(false, "/api/progress", {})["counts"]["error"];
  EXPECT_TRUE(error["claim"].is_null());
  EXPECT_THAT(error["not_claimed"].get<std::string>(), ::testing::HasSubstr("audit"));
  const json preview = call(false, "/api/preview", {{"action", "remove"}, {"threshold", "0.3"}});
  EXPECT_FALSE(preview.contains("mistakes")) << "no promise without a basis";
}

TEST_F(Reviewing, learning_moves_the_cells_of_a_label_that_reviewers_find_wrong) {
  begin(small_material(20));
  const auto probability = [&] {
    return call(false, "/api/item",
                {{"reviewer", "Ann"}, {"row", "5"}, {"label", "0"}})["item"]["confidence"]
        .get<double>();
  };
  const double before = probability();
  for (int row = 10; row < 20; ++row) decide("Ann", {{"row", row}, {"label", 0}}, "no");
  review_->learn_now();
  EXPECT_LT(probability(), before);
}

TEST_F(Reviewing, says_when_enough_is_enough) {
  ReviewOptions chosen = options();
  chosen.stop_at = 0.2;
  review_ = std::make_unique<Review>(crowd_material(200, 6), chosen);
  json error = call(false, "/api/progress", {})["counts"]["error"];
  EXPECT_FALSE(error["enough"]);
  for (std::size_t decided = 0; !error["enough"].get<bool>() && decided < 4000; decided += 100) {
    decide_truly(*review_, 100);
    error = call(false, "/api/progress", {})["counts"]["error"];
    EXPECT_EQ(error["enough"].get<bool>(), error["claim"]["high"] == 0) << "a guess is not enough";
  }
  EXPECT_TRUE(error["enough"]) << error;
  EXPECT_EQ(share_wrong(*review_), 0);
}

TEST_F(Reviewing, the_chart_goes_on_after_a_restart) {
  restart();
  decide("Ann", next("Ann"), "no");
  review_->learn_now();
  const json before = call(false, "/api/progress", {})["past"];
  EXPECT_EQ(before.size(), 2U);
  restart();
  EXPECT_EQ(call(false, "/api/progress", {})["past"], before);
}

TEST(Export, writes_what_was_decided_as_csv_json_lines_and_for_label_studio) {
  const TempFolder folder;
  const Dataset data = small_material().data;
  {
    DecisionLog log(folder / "d.db", data);
    DecisionLine line;
    line.reviewer = "Ann, \"A\"";
    line.note = "=1+1";
    line.nonce = "n1";
    line.choices = {{{1, 0}, false, 0.25}};
    log.add(line);
  }
  const Reviewed reviewed = read_reviewed(folder / "d.db", data);
  const auto written = [&](auto&& write) {
    AtomicFile file(FileSystem::real(), folder / "out", IfExists::Replace);
    write(file);
    file.commit();
    return read_file(folder / "out");
  };
  const std::string csv =
      written([&](OutputStream& out) { write_decisions(reviewed, data, out, false); });
  EXPECT_THAT(csv, ::testing::HasSubstr("\nb,sun,0,1,0,0.25,\"Ann, \"\"A\"\"\","));
  const json line =
      json::parse(written([&](OutputStream& out) { write_decisions(reviewed, data, out, true); }));
  EXPECT_EQ(line["note"], "=1+1");
  const json tasks =
      json::parse(written([&](OutputStream& out) { write_label_studio(reviewed, data, out); }));
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0]["data"]["item"], "b");
  EXPECT_TRUE(tasks[0]["annotations"][0]["result"].empty());
  LabelMatrix labels = data.candidates.clone();
  EXPECT_EQ(apply_decisions(reviewed, labels), 1U);
  EXPECT_FALSE(labels.get(1, 0));
  ASSERT_EQ(gold_of(reviewed).size(), 1U);
  EXPECT_FALSE(gold_of(reviewed)[0].on);
}

TEST(Export, gives_label_studio_no_more_under_a_name_than_that_reviewer_decided) {
  const TempFolder folder;
  const Dataset data = small_material().data;  // row 0 and 2: both labels; row 1: sun
  {
    DecisionLog log(folder / "d.db", data);
    int nonce = 0;
    const auto say = [&](DecisionLine::Kind kind, const char* who, std::vector<Choice> choices) {
      DecisionLine line;
      line.kind = kind;
      line.reviewer = who;
      line.nonce = std::to_string(++nonce);
      line.choices = std::move(choices);
      log.add(line);
    };
    using Kind = DecisionLine::Kind;
    say(Kind::Decide, "Ann", {{{0, 0}, true, 0.5}});
    say(Kind::Decide, "Bob", {{{0, 0}, false, 0.5}});
    say(Kind::Decide, "Bob", {{{2, 1}, false, 0.5}});
    say(Kind::Bulk, "Bob", {{{1, 1}, true, 0.5}});
    say(Kind::Skip, "Ann", {{{3, 0}, true, 0.5}});
  }
  AtomicFile file(FileSystem::real(), folder / "out", IfExists::Replace);
  write_label_studio(read_reviewed(folder / "d.db", data), data, file);
  file.commit();
  const json tasks = json::parse(read_file(folder / "out"));
  const auto labels = [](const json& list, std::size_t which) {
    const json& result = list.at(which)["result"];
    return result.empty() ? json::array() : result[0]["value"]["choices"];
  };
  ASSERT_EQ(tasks.size(), 3U) << "a row that was only skipped is not there";
  const json& first = tasks[0];
  ASSERT_EQ(first["annotations"].size(), 2U);
  EXPECT_EQ(first["annotations"][0]["completed_by"]["email"], "Ann");
  EXPECT_EQ(labels(first["annotations"], 0), json({"sun"})) << "sea was ticked, not decided";
  EXPECT_EQ(first["annotations"][1]["completed_by"]["email"], "Bob");
  EXPECT_EQ(labels(first["annotations"], 1), json::array());
  EXPECT_EQ(labels(first["predictions"], 0), json({"sea"})) << "what nobody looked at";
  EXPECT_TRUE(tasks[1]["annotations"].empty()) << "a rule is nobody's annotation";
  EXPECT_EQ(labels(tasks[1]["predictions"], 0), json({"sun", "sea"}));
  EXPECT_EQ(tasks[2]["annotations"].size(), 1U);
  EXPECT_EQ(labels(tasks[2]["predictions"], 0), json({"sun"}));
}

}  // namespace
}  // namespace sieve::test
