// How often audits hold, and how wide they are, on crowds whose truth is known.
//
// usage: audit_bench [data folder] [draws=200] [first-seed=30] [crowd]
//
// With a crowd ("relex"), only those whose name begins so.
//
// Crowds: the built-in one (five seeds), the other simulated kinds of reference_crowds.h (the first
// seed), and with a folder of real data (LABELSIEVE_DATA) relex (cells that an expert decided),
// xray (adjudicated) and brighter (two annotations per text; the truth is the majority of at least
// three others). The audited cells are the candidates with a known truth; probabilities are those
// of the votes alone, or the same for all cells. For 60, 120 and 300 decisions it prints how often
// the fixed interval and the whole path of the sequence hold the real share of wrong candidates,
// their mean widths at the end, "even": the width of a normal interval with the strata and the even
// draws of the design, were the share in each stratum known, and "best": the width that no design
// by these probabilities can fall below; then the same of precision, recall, F1 and Hamming loss.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "labelsieve/claims.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"
#include "reference_crowds.h"

namespace {

using namespace sieve;

struct Crowd {
  std::string name{};
  std::size_t labels = 0;
  std::vector<AuditCell> cells{};   // candidates with a known truth
  std::vector<bool> wrong{};        // by the place of the cell, which is its id
  std::vector<AuditCell> others{};  // cells that are no candidates, with a known truth
  std::vector<bool> missing{};
};

double share_wrong(const Crowd& crowd) {
  return static_cast<double>(std::ranges::count(crowd.wrong, true)) /
         static_cast<double>(crowd.wrong.size());
}

// `known(row, label)` is 1 for a right label, 0 for a wrong one, -1 where nobody can say.
template <class Known>
Crowd crowd_of(std::string name, Dataset data, ThreadPool& pool, const Known& known) {
  Crowd crowd{.name = std::move(name), .labels = data.labels()};
  const Judged judged = judge(std::move(data), {.check_votes = false, .fit = {.threads = &pool}});
  for (std::size_t i = 0; i < judged.data.rows(); ++i)
    judged.data.candidates.for_each(i, [&](std::size_t l) {
      const int right = known(i, l);
      if (right < 0) return;
      crowd.cells.push_back(
          {crowd.cells.size(), static_cast<std::uint32_t>(l), 1.0 - judged.probabilities(i, l)});
      crowd.wrong.push_back(right == 0);
    });
  for (std::size_t i = 0; i < judged.data.rows(); ++i)
    for (std::size_t l = 0; l < crowd.labels; ++l) {
      const int right = judged.data.candidates.get(i, l) ? -1 : known(i, l);
      if (right < 0) continue;
      crowd.others.push_back({crowd.others.size(), static_cast<std::uint32_t>(l), 0.02});
      crowd.missing.push_back(right == 1);
    }
  return crowd;
}

Crowd audited(reference::Crowd crowd, ThreadPool& pool) {
  const std::size_t labels = crowd.data.labels();
  Dataset data = std::move(crowd.data);
  return crowd_of(crowd.name, std::move(data), pool,
                  [&](std::size_t i, std::size_t l) { return int{crowd.known[i * labels + l]}; });
}

struct Tally {
  double held = 0, width = 0, runs = 0;
  void add(const Interval& interval, double truth) {
    held += interval.low <= truth + 1e-12 && truth <= interval.high + 1e-12;
    width += interval.width();
    ++runs;
  }
  std::string text() const {
    return runs == 0 ? "-" : fmt::format("{:.2f} / {:.3f}", held / runs, width / runs);
  }
};

// The width of the normal interval with 30 strata of equal size by probability, and decisions
// spread over them as the truth makes best.
double best_width(const Crowd& crowd, std::span<const AuditCell> cells, std::size_t decisions) {
  constexpr std::size_t kGroups = 30;
  constexpr double kNineTenths = 1.6448536;
  std::vector<std::size_t> order(cells.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cells[i].probability; });
  const auto all = static_cast<double>(cells.size()), n = static_cast<double>(decisions);
  double deviation = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const std::size_t first = group * order.size() / kGroups,
                      last = (group + 1) * order.size() / kGroups;
    double wrong = 0;
    for (std::size_t k = first; k < last; ++k) wrong += crowd.wrong[cells[order[k]].id];
    const auto count = static_cast<double>(last - first);
    deviation += count / all * std::sqrt(wrong / count * (1 - wrong / count));
  }
  return 2 * kNineTenths * deviation * std::sqrt(std::max(0.0, 1 - n / all) / n);
}

// The same with the strata of the lane and as many decisions in each.
double even_width(const Crowd& crowd, std::span<const AuditCell> cells, std::size_t strata,
                  std::size_t decisions) {
  constexpr double kNineTenths = 1.6448536;
  const std::vector<std::uint32_t> place = audit_strata(cells, {.strata = strata});
  std::vector<double> size(strata), wrong(strata);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    size[place[k]] += 1;
    wrong[place[k]] += crowd.wrong[cells[k].id];
  }
  const auto all = static_cast<double>(cells.size()), n = static_cast<double>(decisions);
  double variance = 0;
  for (std::size_t h = 0; h < strata; ++h) {
    const double share = wrong[h] / size[h], weight = size[h] / all;
    variance += weight * weight * share * (1 - share) * static_cast<double>(strata) / n;
  }
  return 2 * kNineTenths * std::sqrt(variance * std::max(0.0, 1 - n / all));
}

void measure(const Crowd& crowd, std::size_t decisions, std::size_t draws, bool informed) {
  std::vector<AuditCell> cells = crowd.cells;
  if (!informed)
    for (AuditCell& cell : cells) cell.probability = 0.3;
  Tally fixed, path, labels;
  std::vector<double> real(crowd.labels), count(crowd.labels);
  for (const AuditCell& cell : cells) {
    real[cell.label] += crowd.wrong[cell.id];
    count[cell.label] += 1;
  }
  const double truth = share_wrong(crowd);
  for (std::size_t run = 0; run < draws; ++run) {
    const std::size_t strata = informed ? usual_strata(cells.size()) : 1;
    AuditLane lane(cells, crowd.labels,
                   {.seed = 3000 + run, .strata = strata, .planned = decisions});
    for (std::size_t t = 0; t < std::min(decisions, cells.size()); ++t)
      lane.answer(crowd.wrong[lane.next()->cell]);
    if (const auto found = fixed_interval(lane, 0.9)) fixed.add(found->interval, truth);
    path.add(sequence_interval(lane, 0.9), truth);  // never widens: it holds if all before did
    const std::vector<LabelShare> shares = label_shares(lane, 0.9);
    for (std::size_t l = 0; l < shares.size(); ++l)
      if (shares[l].basis != LabelBasis::Refused)
        labels.add(shares[l].estimate.interval, real[l] / count[l]);
  }
  fmt::print("| {} | {} | {:.3f} | {} | {} | {} | {:.3f} | {:.3f} | {} | {} |\n", crowd.name,
             crowd.cells.size(), truth, informed ? "votes" : "none", decisions, fixed.text(),
             even_width(crowd, cells, informed ? usual_strata(cells.size()) : 1, decisions),
             best_width(crowd, cells, decisions), path.text(), labels.text());
}

// Precision, recall, F1 and Hamming loss of the candidates, half of the decisions for each side.
void measure_labels(const Crowd& crowd, std::size_t decisions, std::size_t draws) {
  const std::size_t half = decisions / 2, exported = crowd.cells.size(),
                    others = crowd.others.size();
  const double missing =
      static_cast<double>(std::ranges::count(crowd.missing, true)) / static_cast<double>(others);
  std::vector<Tally> fixed(kLabelMeasures.size()), always(kLabelMeasures.size());
  for (std::size_t run = 0; run < draws; ++run) {
    const std::uint64_t seed = 3000 + run;
    AuditLane one(crowd.cells, crowd.labels,
                  {.seed = seed, .strata = usual_strata(exported), .planned = half});
    AuditLane two(crowd.others, crowd.labels,
                  {.seed = seed, .lane = 1, .strata = 1, .planned = half});
    for (std::size_t t = 0; t < half; ++t) {
      one.answer(crowd.wrong[one.next()->cell]);
      two.answer(crowd.missing[two.next()->cell]);
    }
    const auto wrong = fixed_interval(one, 0.9), right = fixed_interval(two, 0.9);
    const TwoLanes any_time{exported,
                            others,
                            {one.value(), sequence_interval(one, 0.95)},
                            {two.value(), sequence_interval(two, 0.95)}};
    for (std::size_t m = 0; m < fixed.size(); ++m) {
      const double truth = measure_at(kLabelMeasures[m], static_cast<double>(exported),
                                      static_cast<double>(others), share_wrong(crowd), missing);
      if (wrong && right)
        fixed[m].add(fixed_measure(kLabelMeasures[m], {exported,
                                                       others,
                                                       {wrong->value, wrong->interval},
                                                       {right->value, right->interval}})
                         .interval,
                     truth);
      always[m].add(sequence_measure(kLabelMeasures[m], any_time).interval, truth);
    }
  }
  for (const auto* tallies : {&fixed, &always}) {
    fmt::print("| {} | {} | {} |", crowd.name, decisions, tallies == &fixed ? "fixed" : "any time");
    for (const Tally& tally : *tallies) fmt::print(" {} |", tally.text());
    fmt::print("\n");
  }
}

void run(int count, char** words) {
  const std::string folder = count > 1 ? words[1] : "";
  const std::size_t draws = count > 2 ? std::stoul(words[2]) : 200;
  const std::size_t first = count > 3 ? std::stoul(words[3]) : 30;
  const std::string only = count > 4 ? words[4] : "";
  ThreadPool pool(2);
  std::vector<Crowd> crowds;
  const auto add = [&](reference::Kind kind, std::size_t seed) {
    if (!reference::to_string(kind).starts_with(only.substr(0, only.find(',')))) return;
    crowds.push_back(audited(reference::simulated(kind, seed, pool), pool));
    crowds.back().name += fmt::format(", seed {}", seed);
  };
  for (std::size_t seed = first; seed < first + 5; ++seed) add(reference::Kind::BuiltIn, seed);
  for (const reference::Kind kind : reference::kKinds)
    if (kind != reference::Kind::BuiltIn) add(kind, first);
  if (!folder.empty()) {
    crowds.push_back(audited(reference::relex(folder), pool));
    crowds.push_back(audited(reference::xray(folder), pool));
    crowds.push_back(audited(reference::brighter(folder, first), pool));
  }
  fmt::print(
      "| crowd | candidates | wrong | probabilities | decisions | fixed: held / width | even | "
      "best | any time: path held / width | labels: held / width |\n|---|---|---|---|---|---|---|"
      "---|---|---|\n");
  std::erase_if(crowds, [&](const Crowd& crowd) { return !crowd.name.starts_with(only); });
  for (const Crowd& crowd : crowds)
    for (const std::size_t decisions : {60U, 120U, 300U})
      for (const bool informed : {true, false}) measure(crowd, decisions, draws, informed);
  fmt::print(
      "\n| crowd | decisions | interval | precision | recall | F1 | Hamming loss |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const Crowd& crowd : crowds)
    for (const std::size_t decisions : {60U, 120U, 300U}) measure_labels(crowd, decisions, draws);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(count, words);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
