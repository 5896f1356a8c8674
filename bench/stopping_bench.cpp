// Whether what the review page claims holds while people decide, and whether --stop-at stops in
// time.
//
// usage: stopping_bench [data folder] [rows=400] [first-seed=100] [stops]
//
// With "stops", only the second part.
//
// A reviewer who knows the truth decides the most suspicious labels first; the order is learnt anew
// after every 20 decisions. First: the claim after 0, 60, 120, 300 and 1,000 decisions against the
// truth, on the built-in crowd (seeds 1 to 5) and, with a folder of data, on relex; as a guess, and
// with an audit of 120 decisions made before. Then 50 reviews of small crowds (seeds 100 to 149)
// that end when the upper end of the claim is at most 2 %, by guesses, by an audit before, or by
// random draws (StopLane) between the suspicious ones once the page proposes them: how often more
// was wrong. `rows` and `first-seed` are those of these crowds.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "labelsieve/claims.h"
#include "labelsieve/error.h"
#include "labelsieve/review.h"
#include "reference_crowds.h"
#include "review/cell_probabilities.h"
#include "review/cells.h"
#include "review/error_left.h"
#include "review/stop_lane.h"

namespace {

using namespace sieve;

constexpr std::size_t kBatch = 20;

// Ticks with a known truth, as they are reviewed.
struct Subject {
  std::string name{};
  std::size_t labels = 0;
  ReviewCells cells{};
  std::vector<bool> wrong{};  // by cell
};

Subject subject_of(reference::Crowd crowd, ThreadPool& pool) {
  Subject out{.name = crowd.name, .labels = crowd.data.labels()};
  Dataset data = std::move(crowd.data);
  const Judged judged = judge(std::move(data), for_review({.fit = {.threads = &pool}}));
  std::vector<ReviewCell> cells;
  for (std::uint32_t i = 0; i < judged.data.rows(); ++i)
    judged.probabilities.for_each(i, [&](std::size_t l, float right) {
      const int known = crowd.known[i * out.labels + l];
      if (known < 0) return;
      const double p = std::clamp(static_cast<double>(right), 1e-6, 1 - 1e-6);
      cells.push_back(
          {{i, static_cast<std::uint32_t>(l)}, true, static_cast<float>(std::log(p / (1 - p)))});
      out.wrong.push_back(known == 0);
    });
  out.cells = ReviewCells(std::move(cells), judged.data.rows());
  return out;
}

// An audit of `decisions` ticks, before the review.
AuditClaimLine audit(const Subject& subject, std::size_t decisions, std::uint64_t seed,
                     std::vector<bool>& decided) {
  std::vector<AuditCell> cells;
  for (std::size_t i = 0; i < subject.cells.size(); ++i)
    cells.push_back({i, subject.cells[i].at.label,
                     reference::logistic(-static_cast<double>(subject.cells[i].odds))});
  AuditLane lane(cells, subject.labels,
                 {.seed = seed, .strata = usual_strata(cells.size()), .planned = decisions});
  for (std::size_t t = 0; t < std::min(decisions, cells.size()); ++t) {
    const std::uint64_t cell = lane.next()->cell;
    decided[cell] = true;
    lane.answer(subject.wrong[cell]);
  }
  const Interval range = sequence_interval(lane, 0.9);
  return {.decisions = lane.draws(),
          .cells = cells.size(),
          .share = lane.value(),
          .low = range.low,
          .high = range.high};
}

class Reviewing {
 public:
  Reviewing(const Subject& subject, std::size_t audited, std::uint64_t seed)
      : subject_(subject), done_(subject.cells.size()), rank_(subject.cells.size(), 1) {
    if (audited > 0) audit_ = audit(subject, audited, seed, done_);
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i]) add(i);
    learn_again();
  }
  std::size_t decisions() const { return decided_.size(); }
  bool finished() const { return decided_.size() == done_.size(); }
  // Random draws in turn with suspicious labels, as soon as the page proposes it.
  void decide_until_enough(double stop_at) {
    StopLane lane(subject_.cells, subject_.labels, stop_at, 0.9);
    while (!finished() && !lane.enough(left_.labels_on)) {
      decide_some(&lane);
      if (left_.pending_wrong > stop_at * static_cast<double>(left_.labels_on)) continue;
      lane.begin(ledger(), 0);
      for (std::size_t k = 0; k < kBatch && !lane.enough(left_.labels_on); ++k)
        if (const auto drawn = lane.next())
          decide(subject_.cells.find(drawn->at), &lane, drawn->mark);
      learn_again();
    }
  }
  Claim claim() const {
    return audit_.decisions > 0 ? audited_left(left_, audit_)
                                : *guess_left(left_, GuessFrom::Votes);
  }
  double real() const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < done_.size(); ++i) wrong += !done_[i] && subject_.wrong[i];
    return left_.labels_on == 0 ? 0
                                : static_cast<double>(wrong) / static_cast<double>(left_.labels_on);
  }
  void decide_some(StopLane* lane = nullptr) {
    const auto& order = probabilities_.orders[static_cast<std::size_t>(Order::Suspicion)];
    std::size_t now = 0;
    for (std::size_t k = 0; k < order.size() && now < kBatch; ++k) {
      if (done_[order[k]]) continue;
      decide(order[k], lane);
      ++now;
    }
    learn_again();
  }

 private:
  DecisionLine line_of(std::size_t cell) const {
    return {.choices = {{subject_.cells[cell].at, !subject_.wrong[cell], 0}}};
  }
  void decide(std::size_t cell, StopLane* lane,
              std::optional<DecisionLine::Audited> drawn = std::nullopt) {
    done_[cell] = true;
    add(cell);
    DecisionLine line = line_of(cell);
    line.audited = std::move(drawn);
    if (lane != nullptr) lane->take(line);
  }
  Ledger ledger() const {
    Ledger all;
    DecisionLine line;
    for (const DecidedCell& one : decided_) {
      line = line_of(one.cell);
      line.id = one.cell + 1;
      all.apply(line);
    }
    return all;
  }
  void add(std::size_t cell) {
    Outcome outcome;
    outcome.looked = 1;
    outcome.on = !subject_.wrong[cell];
    outcome.yes = outcome.on;
    decided_.push_back({cell, outcome});
  }
  void learn_again() {
    probabilities_ = learn(subject_.cells, subject_.labels, decided_, Trust::Votes, rank_);
    left_ = error_left(subject_.cells, probabilities_, decided_);
  }

  const Subject& subject_;
  std::vector<bool> done_;
  std::vector<float> rank_;
  AuditClaimLine audit_{};
  std::vector<DecidedCell> decided_{};
  CellProbabilities probabilities_{};
  ErrorLeft left_{};
};

void print_checkpoints(const std::vector<Subject>& subjects) {
  constexpr std::size_t kCheckpoints[] = {0, 60, 120, 300, 1000};
  for (const std::size_t audited : {0U, 120U}) {
    std::size_t held = 0, all = 0;
    fmt::print(
        "\n{}\n\n| crowd | decisions | really wrong | claim | holds |\n|---|---|---|---|---|\n",
        audited == 0 ? "Guesses" : "After an audit of 120 decisions");
    for (const Subject& subject : subjects) {
      Reviewing review(subject, audited, 1);
      for (const std::size_t checkpoint : kCheckpoints) {
        if (checkpoint > subject.cells.size()) break;
        while (review.decisions() < checkpoint + audited && !review.finished())
          review.decide_some();
        const Claim claim = review.claim();
        const bool holds =
            claim.low <= review.real() + 1e-12 && review.real() <= claim.high + 1e-12;
        held += holds;
        ++all;
        fmt::print("| {} | {} | {:.1f} % | {} | {} |\n", subject.name, checkpoint,
                   100 * review.real(), claim_text(claim), holds ? "yes" : "no");
      }
    }
    fmt::print("\nheld: {} of {}\n", held, all);
  }
}

enum class StopBy { Guess, Audit, Draws };

void print_stops(std::size_t rows, std::uint64_t first_seed, ThreadPool& pool) {
  for (const StopBy by : {StopBy::Guess, StopBy::Audit, StopBy::Draws}) {
    std::size_t exceeded = 0, stopped_early = 0;
    double share = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + 50; ++seed) {
      reference::Crowd crowd{
          "", make_synthetic({.rows = rows, .labels = 8, .noise = 1.5, .seed = seed, .votes = true},
                             pool)};
      for (std::size_t i = 0; i < crowd.data.rows(); ++i)
        for (std::size_t l = 0; l < crowd.data.labels(); ++l)
          crowd.known.push_back(crowd.data.truth->get(i, l));
      const Subject subject = subject_of(std::move(crowd), pool);
      Reviewing review(subject, by == StopBy::Audit ? 120 : 0, seed);
      if (by == StopBy::Draws)
        review.decide_until_enough(0.02);
      else
        while (review.claim().high > 0.02 && !review.finished()) review.decide_some();
      exceeded += review.real() > 0.02;
      stopped_early += !review.finished();
      share += static_cast<double>(review.decisions()) / static_cast<double>(subject.cells.size());
    }
    static constexpr const char* kBy[] = {"by guesses", "after an audit of 120",
                                          "by draws among the undecided"};
    fmt::print(
        "\n--stop-at 0.02, {}: exceeded in {} of 50, {} ended before all was decided, {:.0f} % "
        "decided on average\n",
        kBy[static_cast<std::size_t>(by)], exceeded, stopped_early, 2 * share);
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    ThreadPool pool(2);
    const std::size_t rows = count > 2 ? std::stoul(words[2]) : 400;
    const std::uint64_t first_seed = count > 3 ? std::stoul(words[3]) : 100;
    std::vector<Subject> subjects;
    for (std::uint64_t seed = 1; seed <= 5 && count < 5; ++seed) {
      subjects.push_back(
          subject_of(reference::simulated(reference::Kind::BuiltIn, seed, pool), pool));
      subjects.back().name += fmt::format(", seed {}", seed);
    }
    if (count > 1 && count < 5) subjects.push_back(subject_of(reference::relex(words[1]), pool));
    if (!subjects.empty()) print_checkpoints(subjects);
    print_stops(rows, first_seed, pool);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
