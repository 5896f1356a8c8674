#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/random.h"
#include "base/require.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr std::uint64_t kDrawSteps = 256;  // lanes below it have keys, lanes above it draw
constexpr double kModelWeight = 2;         // decisions that the model's word counts as
constexpr double kLabelWeight = 8;         // ... before a label's own surprises count
constexpr double kLeastVariance = 1e-12;

std::uint64_t key_of(const LaneDesign& design, std::uint64_t cell) {
  return Random(design.seed, Purpose::Audit, design.lane, cell).bits();
}

// {0, ..., bound-1}; without the rejection that would make a draw depend on more than one number.
std::size_t number_below(std::uint64_t bits, std::size_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(bits) * bound) >> 64);
}

// Neyman's weight of a cell; floored, so that a wrong model costs little.
double uncertainty(double probability) {
  const double c = std::clamp(probability, 0.1, 0.9);
  return std::sqrt(c * (1 - c));
}

double as_double(std::size_t count) {
  return static_cast<double>(count);
}

}  // namespace

std::size_t usual_strata(std::size_t cells) {
  return cells < 200 ? 1 : 5;
}

std::vector<std::uint32_t> audit_strata(std::span<const AuditCell> cells,
                                        const LaneDesign& design) {
  std::vector<std::uint32_t> stratum(cells.size(), 0);
  if (design.strata <= 1) return stratum;
  struct Sorted {
    double probability;
    std::uint64_t key, id;
    std::size_t at;
  };
  std::vector<Sorted> sorted;
  sorted.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    sorted.push_back({cells[i].probability, key_of(design, cells[i].id), cells[i].id, i});
  std::ranges::sort(sorted, [](const Sorted& a, const Sorted& b) {
    return std::tie(a.probability, a.key, a.id) < std::tie(b.probability, b.key, b.id);
  });
  double total = 0;
  for (const Sorted& cell : sorted) total += uncertainty(cell.probability);
  const double strata = as_double(design.strata);
  double running = 0;
  for (const Sorted& cell : sorted) {
    const double weight = uncertainty(cell.probability);
    running += weight;
    const double place = std::floor(strata * (running - weight / 2) / total);
    stratum[cell.at] = static_cast<std::uint32_t>(std::min(strata - 1, place));
  }
  return stratum;
}

AuditLane::AuditLane(std::span<const AuditCell> cells, std::size_t labels, const LaneDesign& design)
    : design_(design),
      strata_(std::max<std::size_t>(design.strata, 1)),
      label_sums_(labels),
      past_(labels),
      most_(cells.size()) {
  require(!cells.empty(), "there is no cell to audit");
  const std::vector<std::uint32_t> places = audit_strata(cells, design);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    add(strata_[places[i]], cells[i]);
    strata_[places[i]].queue.push_back({key_of(design, cells[i].id), cells[i].id, cells[i].label});
  }
  for (Stratum& stratum : strata_) std::sort(stratum.queue.begin(), stratum.queue.end());
  finish();
}

AuditLane::AuditLane(const VisitCells& visit_all, std::size_t labels, const LaneDesign& design,
                     std::size_t most)
    : design_(design),
      strata_(1),
      label_sums_(labels),
      past_(labels),
      most_(most),
      keeps_all_(false) {
  design_.strata = 1;
  std::vector<Queued>& heap = strata_[0].queue;  // the largest key first
  visit_all([&](const AuditCell& cell) {
    add(strata_[0], cell);
    const Queued queued{key_of(design, cell.id), cell.id, cell.label};
    if (heap.size() == most && (most == 0 || heap.front() < queued)) return;
    heap.push_back(queued);
    std::push_heap(heap.begin(), heap.end());
    if (heap.size() <= most) return;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  });
  require(cells_ > 0, "there is no cell to audit");
  std::sort(heap.begin(), heap.end());
  finish();
}

void AuditLane::add(Stratum& stratum, const AuditCell& cell) {
  stratum.of_label.resize(label_sums_.size());
  ++stratum.of_label[cell.label];
  ++stratum.cells;
  ++cells_;
  stratum.model += cell.probability;
  label_sums_[cell.label] += cell.probability;
}

void AuditLane::finish() {
  for (Stratum& stratum : strata_) {
    stratum.of_label.resize(label_sums_.size());
    stratum.left = stratum.cells;
    stratum.left_of_label = stratum.of_label;
    stratum.ones_of_label.resize(label_sums_.size());
    stratum.draws_of_label.resize(label_sums_.size());
    if (stratum.cells > 0) stratum.model /= as_double(stratum.cells);
  }
}

std::vector<double> AuditLane::stratum_models() const {
  std::vector<double> models;
  for (const Stratum& stratum : strata_) models.push_back(stratum.model);
  return models;
}

std::vector<StratumCount> AuditLane::counts() const {
  std::vector<StratumCount> counts;
  for (const Stratum& stratum : strata_)
    counts.push_back({stratum.ones, stratum.draws, stratum.cells});
  return counts;
}

std::vector<StratumCount> AuditLane::counts(std::uint32_t label) const {
  std::vector<StratumCount> counts;
  for (const Stratum& stratum : strata_)
    if (stratum.of_label[label] > 0)
      counts.push_back(
          {stratum.ones_of_label[label], stratum.draws_of_label[label], stratum.of_label[label]});
  return counts;
}

std::size_t AuditLane::label_cells(std::uint32_t label) const {
  std::size_t cells = 0;
  for (const Stratum& stratum : strata_) cells += stratum.of_label[label];
  return cells;
}

double AuditLane::label_model(std::uint32_t label) const {
  const std::size_t cells = label_cells(label);
  return cells == 0 ? 0 : label_sums_[label] / as_double(cells);
}

std::optional<Draw> AuditLane::next() {
  if (drawn_) return drawn_;
  if (decided_ == cells_ || (!keeps_all_ && draws_ == most_)) return std::nullopt;
  std::vector<std::uint32_t> left;
  for (std::uint32_t h = 0; h < strata_.size(); ++h)
    if (strata_[h].left > 0) left.push_back(h);
  const std::uint64_t bits =
      Random(design_.seed, Purpose::Audit, kDrawSteps + design_.lane, draws_ + 1).bits();
  const std::uint32_t h = left[number_below(bits, left.size())];
  Stratum& stratum = strata_[h];
  while (gone_.contains(stratum.queue[stratum.first].id)) ++stratum.first;
  const Queued& cell = stratum.queue[stratum.first];
  drawn_ = Draw{draws_ + 1, cell.id, cell.label, h,
                1 / (as_double(left.size()) * as_double(stratum.left))};
  return drawn_;
}

// The share of ones in a stratum as it is expected before the next draw.
double AuditLane::expected(const Stratum& stratum) const {
  return (kModelWeight * stratum.model + as_double(stratum.ones)) /
         (kModelWeight + as_double(stratum.draws));
}

double AuditLane::expected(const Stratum& stratum, std::size_t label) const {
  const Past& past = past_[label];
  return std::clamp(expected(stratum) + past.surprise / (kLabelWeight + past.draws), 0.0, 1.0);
}

AuditStep AuditLane::step_for(const Draw& draw, bool one) const {
  const auto of_strata = as_double(static_cast<std::size_t>(
      std::ranges::count_if(strata_, [](const Stratum& each) { return each.left > 0; })));
  const double all = as_double(cells_);
  AuditStep step;
  double base = as_double(ones_), down = 0, up = 0;
  for (const Stratum& stratum : strata_) {
    if (stratum.left == 0) continue;
    const double scale = as_double(stratum.left) * of_strata / all;
    for (std::size_t l = 0; l < past_.size(); ++l) {
      if (stratum.left_of_label[l] == 0) continue;
      const double m = expected(stratum, l);
      base += stratum.left_of_label[l] * m;
      down = std::max(down, m * scale);
      up = std::max(up, (1 - m) * scale);
    }
    const double e = (0.5 + kModelWeight * stratum.model + as_double(stratum.ones)) /
                     (1 + kModelWeight + as_double(stratum.draws));
    step.variance += scale * scale * e * (1 - e) / of_strata;
  }
  base /= all;
  const Stratum& stratum = strata_[draw.stratum];
  step.x = base + (one - expected(stratum, draw.label)) * as_double(stratum.left) * of_strata / all;
  step.low = base - down;
  step.high = base + up;
  step.variance = std::max(step.variance, kLeastVariance);
  return step;
}

void AuditLane::know(AuditStep& step) const {
  step.known_low = as_double(ones_) / as_double(cells_);
  step.known_high = 1 - as_double(decided_ - ones_) / as_double(cells_);
  step.value = value();
}

void AuditLane::answer(bool one) {
  const std::optional<Draw> draw = next();
  require(draw.has_value(), "every cell of this audit is decided already");
  AuditStep step = step_for(*draw, one);
  Stratum& stratum = strata_[draw->stratum];
  Past& past = past_[draw->label];
  past.surprise += one - expected(stratum);
  past.draws += 1;
  ++stratum.first;
  --stratum.left;
  --stratum.left_of_label[draw->label];
  ++stratum.draws;
  ++stratum.draws_of_label[draw->label];
  stratum.ones += one;
  stratum.ones_of_label[draw->label] += one;
  if (!places_.empty()) gone_.insert(draw->cell);
  drawn_.reset();
  ++draws_;
  ++decided_;
  ones_ += one;
  sum_x_ += step.x;
  know(step);
  steps_.push_back(step);
}

void AuditLane::fix(std::uint64_t cell, bool one) {
  require(keeps_all_, "this lane does not hold all its cells");
  if (places_.empty())
    for (std::uint32_t h = 0; h < strata_.size(); ++h)
      for (std::size_t i = 0; i < strata_[h].queue.size(); ++i) {
        places_[strata_[h].queue[i].id] = {h, strata_[h].queue[i].label};
        if (i < strata_[h].first) gone_.insert(strata_[h].queue[i].id);
      }
  const auto place = places_.find(cell);
  require(place != places_.end(), "there is no such cell in this lane");
  if (!gone_.insert(cell).second) return;
  Stratum& stratum = strata_[place->second.stratum];
  --stratum.left;
  --stratum.left_of_label[place->second.label];
  if (drawn_) drawn_.reset();  // drawn anew: the chances have changed
  ++decided_;
  ++fixes_;
  ones_ += one;
  AuditStep step{.drawn = false};
  know(step);
  steps_.push_back(step);
}

double AuditLane::value() const {
  if (decided_ == cells_) return as_double(ones_) / as_double(cells_);
  if (fixes_ > 0) return draws_ == 0 ? 0.5 : sum_x_ / as_double(draws_);
  double value = 0;
  for (const Stratum& stratum : strata_) {
    const double p = stratum.draws == 0 ? 0.5 : as_double(stratum.ones) / as_double(stratum.draws);
    value += p * as_double(stratum.cells) / as_double(cells_);
  }
  return value;
}

}  // namespace sieve
