#include "review/stop_lane.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "claims/claim_json.h"

namespace sieve {
namespace {

constexpr const char* kLane = "left";
constexpr std::string_view kName = "left.v1.";  // and the last line before its first draw
constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kLaneNumber = 254;  // that no audit has

}  // namespace

StopLane::StopLane(const ReviewCells& cells, std::size_t labels, double stop_at, double level)
    : cells_(cells), labels_(labels), stop_at_(stop_at), level_(level) {}

void StopLane::begin(const Ledger& ledger, std::uint64_t last_line) {
  if (begun()) return;
  std::vector<AuditCell> population;
  std::size_t on = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Outcome outcome = ledger.outcome(cells_[i].at);
    if (!(outcome.decided() ? outcome.on : cells_[i].ticked)) continue;
    ++on;
    if (outcome.looked == 0) population.push_back({i, cells_[i].at.label, stop_at_ / 2});
  }
  if (population.empty()) return;
  open_.assign(cells_.size(), false);
  for (const AuditCell& cell : population) open_[cell.id] = true;
  left_ = population.size();
  // As many as it takes if not one of them is wrong.
  const auto share = static_cast<double>(on) / static_cast<double>(population.size());
  const double planned = std::log(1 / (1 - level_)) / std::max(1e-4, stop_at_ * share);
  lane_.emplace(population, labels_,
                LaneDesign{.seed = kSeed,
                           .lane = kLaneNumber,
                           .strata = 1,
                           .planned = static_cast<std::size_t>(std::clamp(planned, 30.0, 1e5))});
  sequence_.emplace(level_, lane_->design().planned);
  name_ = std::string(kName) + std::to_string(last_line);
}

std::optional<StopLane::Drawn> StopLane::next() {
  const std::optional<Draw> draw = begun() ? lane_->next() : std::nullopt;
  if (!draw) return std::nullopt;
  return Drawn{cells_[draw->cell].at,
               {.audit = name_,
                .lane = kLane,
                .draw = draw->number,
                .probability = draw->probability,
                .shown = kShownBlind}};
}

void StopLane::read(const Decisions& decisions, const Ledger& ledger) {
  lane_.reset();
  unsure_ = removed_ = added_ = 0;
  std::uint64_t begun_after = 0;
  const auto first = std::ranges::find_if(decisions.lines, [](const DecisionLine& line) {
    return line.audited && line.audited->lane == kLane && line.audited->audit.starts_with(kName);
  });
  if (first == decisions.lines.end()) return;
  const std::string_view number = std::string_view(first->audited->audit).substr(kName.size());
  std::from_chars(number.data(), number.data() + number.size(), begun_after);
  Ledger before;
  for (const DecisionLine& line : decisions.lines)
    if (line.id <= begun_after) before.apply(line);
  begin(before, begun_after);
  for (const DecisionLine& line : decisions.lines)
    if (line.id > begun_after && ledger.line(line.id) != nullptr) take(line);
}

void StopLane::answer(bool wrong) {
  close(lane_->next()->cell);
  lane_->answer(wrong);
  sequence_->add(lane_->steps().back());
}

void StopLane::fix(Cell at, bool wrong) {
  if (!is_open(at)) return;
  close(cells_.find(at));
  lane_->fix(cells_.find(at), wrong);
  sequence_->add(lane_->steps().back());
}

bool StopLane::is_open(Cell at) const {
  const std::size_t cell = cells_.find(at);
  return cell != ReviewCells::npos && open_[cell];
}

void StopLane::close(std::size_t cell) {
  open_[cell] = false;
  --left_;
}

void StopLane::take(const DecisionLine& line) {
  if (!begun() || line.choices.empty() || line.kind == DecisionLine::Kind::Undo) return;
  const bool skip = line.kind == DecisionLine::Kind::Skip;
  if (line.kind == DecisionLine::Kind::Bulk) {
    for (const Choice& choice : line.choices)
      if (choice.on)
        added_ += !is_open(choice.at);
      else
        removed_ += is_open(choice.at);
    return;
  }
  const std::optional<Drawn> drawn =
      line.audited && line.audited->audit == name_ ? next() : std::nullopt;
  if (drawn && drawn->at == line.choices.front().at) {
    unsure_ += skip;
    answer(skip || !line.choices.front().on);
  } else if (!skip) {
    for (const Choice& choice : line.choices) fix(choice.at, !choice.on);
  }
}

std::optional<Claim> StopLane::claim(std::size_t on) const {
  if (!begun() || lane_->draws() == 0) return std::nullopt;
  const auto cells = static_cast<double>(lane_->cells());
  const auto removed = static_cast<double>(removed_), added = static_cast<double>(added_);
  const double all = std::max(1.0, static_cast<double>(on));
  const Interval share = sequence_->interval();
  const double most = std::min(1.0, (static_cast<double>(left_ + unsure_) + added) / all);
  Claim claim{.level = level_, .decisions = lane_->draws(), .about = "left"};
  claim.low = std::clamp((share.low * cells - found() - removed) / all, 0.0, most);
  claim.high = std::clamp((share.high * cells - found() + added) / all, claim.low, most);
  claim.value = std::clamp((lane_->value() * cells - found()) / all, claim.low, claim.high);
  return claim;
}

// One-sided, so that it takes fewer draws than the claim.
bool StopLane::enough(std::size_t on) const {
  if (!begun()) return false;
  const double wrong = stop_at_ * static_cast<double>(on) - static_cast<double>(added_) + found();
  return wrong >= 0 &&
         sequence_->at_most(wrong / static_cast<double>(lane_->cells())) == Acceptance::Yes;
}

Json StopLane::render_state(std::size_t on) const {
  const std::optional<Claim> now = claim(on);
  const std::size_t draws = begun() ? lane_->draws() : 0;
  return Json::object({{"about", "left"},
                       {"answered", draws},
                       {"asked", begun() ? draws + left_ : cells_.size()},
                       {"pass", 1},
                       {"again", 0},
                       {"twice", 0},
                       {"conflicts", 0},
                       {"settled", 0},
                       {"labels", on},
                       {"claim", now ? json_of(*now) : Json()},
                       {"path", Json::array(std::vector<Json>())}});
}

}  // namespace sieve
