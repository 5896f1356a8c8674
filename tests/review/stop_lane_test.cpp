#include "review/stop_lane.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "review/api.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;

// Ticks of which some are wrong, decided by a reviewer who knows.
class Population {
 public:
  Population(std::size_t ticks, double wrong, std::uint64_t seed) {
    std::vector<ReviewCell> cells;
    for (std::uint32_t row = 0; row < ticks; ++row) {
      cells.push_back({{row, 0}, true, 0});
      wrong_.push_back(Random(seed, Purpose::Test, 90, row).chance(wrong));
    }
    cells_ = ReviewCells(std::move(cells), ticks);
    on_ = ticks;
    left_ = static_cast<std::size_t>(std::ranges::count(wrong_, true));
  }
  const ReviewCells& cells() const { return cells_; }
  std::size_t on() const { return on_; }
  double share() const { return static_cast<double>(left_) / static_cast<double>(on_); }
  bool is_wrong(Cell at) const { return wrong_[at.row]; }

  DecisionLine decide(Cell at, std::optional<DecisionLine::Audited> drawn = {}) {
    on_ -= wrong_[at.row];
    left_ -= wrong_[at.row];
    return {.id = ++lines_, .choices = {{at, !wrong_[at.row], 0.5}}, .audited = std::move(drawn)};
  }
  DecisionLine answer(StopLane& lane) {
    const StopLane::Drawn drawn = *lane.next();
    return decide(drawn.at, drawn.mark);
  }

 private:
  ReviewCells cells_;
  std::vector<bool> wrong_;
  std::size_t on_ = 0, left_ = 0;
  std::uint64_t lines_ = 0;
};

// Whether it stops within so many draws; after each, some other cells are decided, wrong ones
// first, as a suspicious reviewer does.
bool stops(Population& all, double stop_at, std::size_t draws, std::size_t fixes) {
  StopLane lane(all.cells(), 1, stop_at, 0.9);
  lane.begin({}, 0);
  std::vector<bool> decided(all.cells().size());
  std::uint32_t place = 0;
  for (std::size_t k = 0; k < draws; ++k) {
    if (lane.enough(all.on())) return true;
    const Cell drawn = lane.next()->at;
    decided[drawn.row] = true;
    lane.take(all.answer(lane));
    for (std::size_t fixed = 0; fixed < fixes && place < decided.size(); ++place) {
      if (decided[place] || (place % 3 != 0 && !all.is_wrong({place, 0}))) continue;
      decided[place] = true;
      lane.take(all.decide({place, 0}));
      ++fixed;
    }
  }
  return lane.enough(all.on());
}

TEST(StopLane, says_enough_too_early_one_time_in_ten_at_most) {
  constexpr std::size_t kRuns = 200;
  for (const std::size_t fixes : {0U, 1U}) {
    std::size_t exceeded = 0;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
      Population all(3000, 0.025, seed);
      exceeded += stops(all, 0.02, 400, fixes) && all.share() > 0.02;
    }
    EXPECT_LE(exceeded, 33U) << fixes;  // three standard errors above 20
  }
}

TEST(StopLane, stops_long_before_all_is_decided) {
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Population all(3000, 0.004, seed);
    stopped += stops(all, 0.02, 300, 0);
  }
  EXPECT_GE(stopped, 35U) << "one wrong label among the draws costs some hundred more";
}

TEST(StopLane, is_exact_once_all_is_decided) {
  Population all(40, 0.3, 1);
  StopLane lane(all.cells(), 1, 0.1, 0.9);
  EXPECT_FALSE(lane.enough(40)) << "nothing is known before it begins";
  lane.begin({}, 0);
  for (int k = 0; k < 40; ++k) {
    if (all.share() > 0.1) {
      EXPECT_FALSE(lane.enough(all.on())) << k;
    }
    lane.take(all.answer(lane));
  }
  EXPECT_FALSE(lane.next());
  EXPECT_TRUE(lane.enough(all.on()));
  EXPECT_EQ(lane.claim(all.on())->high, 0);
}

TEST(StopLane, cannot_tell_counts_as_wrong) {
  Population all(1000, 0, 1);
  StopLane sure(all.cells(), 1, 0.02, 0.9), unsure(all.cells(), 1, 0.02, 0.9);
  sure.begin({}, 0);
  unsure.begin({}, 0);
  for (int k = 0; k < 150; ++k) {
    DecisionLine line = all.answer(sure);
    sure.take(line);
    if (k % 10 == 0) line.kind = DecisionLine::Kind::Skip;
    unsure.take(line);
  }
  EXPECT_TRUE(sure.enough(all.on()));
  EXPECT_FALSE(unsure.enough(all.on()));
}

class Stopping : public ::testing::Test {
 protected:
  Stopping() { restart(); }
  void restart() {
    review_.reset();
    ReviewOptions options;
    options.decisions = folder_ / "decisions.db";
    options.background_learning = false;
    options.stop_at = 0.3;
    review_ = std::make_unique<Review>(crowd_material(100, 6), options);
  }
  json call(bool post, const std::string& path, std::map<std::string, std::string> query,
            const json& body = {}) {
    const ReviewReply reply =
        answer(*review_, {post, path, std::move(query), body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
    return json::parse(reply.body);
  }
  json next(const char* lane) {
    return call(false, "/api/next", {{"reviewer", "Ann"}, {"lane", lane}});
  }
  json decide_truly(const json& item, const char* lane) {
    const bool right = review_->material().data.truth->get(item["row"], item["label"]);
    return call(true, "/api/decide", {},
                {{"reviewer", "Ann"},
                 {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)},
                 {"lane", lane},
                 {"row", item["row"]},
                 {"choices", {{{"label", item["label"]}, {"answer", right ? "yes" : "no"}}}}});
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  int nonces_ = 0;
};

TEST_F(Stopping, draws_are_blind_and_end_a_review_before_all_is_decided) {
  json reply = next("review");
  EXPECT_TRUE(reply["item"].contains("confidence"));
  for (int round = 0; round < 60 && !reply["counts"]["error"]["enough"].get<bool>(); ++round) {
    for (int k = 0; k < 10; ++k) reply = decide_truly(next("review")["item"], "review");
    review_->learn_now();
    reply = next("review");
    if (!reply["counts"]["error"]["draw"].get<bool>()) continue;
    for (int k = 0; k < 10 && !reply["counts"]["error"]["enough"].get<bool>(); ++k) {
      const json item = next("audit")["item"];
      EXPECT_FALSE(item.contains("confidence"));
      EXPECT_FALSE(item.contains("people"));
      reply = decide_truly(item, "audit");
    }
  }
  const json error = reply["counts"]["error"];
  EXPECT_TRUE(error["enough"]);
  EXPECT_EQ(error["claim"]["basis"], "audit");
  EXPECT_LT(reply["counts"]["decided"], reply["counts"]["cells"]);
  const Dataset& data = review_->material().data;
  LabelMatrix now = data.candidates.clone();
  apply_decisions(read_reviewed(review_->options().decisions, data), now);
  EXPECT_LE(static_cast<double>(count_outside(now, *data.truth)) / static_cast<double>(now.count()),
            0.3);
}

TEST_F(Stopping, draws_go_on_after_a_restart_and_can_be_undone) {
  for (int k = 0; k < 5; ++k) decide_truly(next("review")["item"], "review");
  json reply;
  for (int k = 0; k < 5; ++k) reply = decide_truly(next("audit")["item"], "audit");
  decide_truly(next("review")["item"], "review");
  const json before = next("audit");
  EXPECT_EQ(before["counts"]["audit"]["answered"], 5);
  restart();
  const json after = next("audit");
  EXPECT_EQ(after["item"], before["item"]);
  EXPECT_EQ(after["counts"]["audit"], before["counts"]["audit"]);
  for (int k = 0; k < 2; ++k)
    call(true, "/api/undo", {},
         {{"reviewer", "Ann"}, {"nonce", "undo-" + std::to_string(1000 + k)}});
  EXPECT_EQ(next("audit")["counts"]["audit"]["answered"], 4);
  const Decisions log = read_decision_log(review_->options().decisions, review_->material().data);
  EXPECT_EQ(log.lines[5].audited->lane, "left");
  EXPECT_EQ(log.lines[5].audited->shown, "row and label");
  EXPECT_THROW(read_audit(review_->options().decisions, review_->material().data), Error);
}

}  // namespace
}  // namespace sieve::test
