#include "labelsieve/crowd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/random.h"
#include "base/require.h"
#include "crowd/agreement_rows.h"
#include "crowd/label_sets.h"

namespace sieve {
namespace {

constexpr double kTail = 0.05;             // outside the interval, on either side
constexpr std::size_t kLeastRows = 5;      // on which an interval can stand
constexpr std::size_t kMostLabels = 4096;  // with intervals
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Every figure is 1 - observed / chance: how far apart annotations are, and how far by chance.
struct Ratio {
  double observed = 0, chance = 1;
  bool defined() const { return chance > 0; }
  double value() const { return defined() ? 1 - observed / chance : kMissing; }
};
constexpr std::size_t kKinds = 4;  // alpha, kappa, ac1, pairwise
using Ratios = std::array<Ratio, kKinds>;

// Sums of a question whose answers are categories.
struct Answers {
  double apart, apart_share;  // as in LabelSums
  double squared_counts;      // sum over categories of count * (count - 1)
  double squared_shares;      // sum over categories of the mean share, squared
  double categories;
};

// What answers stand on: rows, those with two or more answers, and the answers in these.
struct Ground {
  double rows, shared, annotations;
};

Ratios ratios_of(const Answers& q, const Ground& ground) {
  if (ground.shared <= 0) return {Ratio{0, 0}, Ratio{0, 0}, Ratio{0, 0}, Ratio{0, 0}};
  const double n = ground.annotations, apart = q.apart_share / ground.shared;
  const double differ = 1 - q.squared_shares;
  return {Ratio{q.apart / n, 1 - q.squared_counts / (n * (n - 1))}, Ratio{apart, differ},
          Ratio{apart, 1 - differ / (q.categories - 1)}, Ratio{apart, 1}};
}

Ratios label_ratios(const LabelSums& label, const AgreementSums& sums) {
  const Ground ground{sums.rows - label.lost_rows, sums.shared - label.lost_shared,
                      sums.annotations - label.lost_annotations};
  const double n = ground.annotations, on = label.count, off = n - label.count;
  Ratios found = ratios_of({label.apart, label.apart_share, 0, 0, 2}, ground);
  if (ground.shared <= 0) return found;
  const double share = label.share / ground.rows;
  // Written so that a label that nobody or everybody ticked gives exactly 0.
  const double differ = 2 * share * (1 - share);
  found[0].chance = 2 * on * off / (n * (n - 1));
  found[1].chance = differ;
  found[2].chance = 1 - differ;
  return found;
}

Ratios set_ratios(const AgreementSums& sums) {
  Answers q{sums.sets, sums.sets_share, 0, 0,
            static_cast<double>(std::max<std::size_t>(2, sums.set_count.size()))};
  for (const double count : sums.set_count) q.squared_counts += count * (count - 1);
  for (const double share : sums.set_share)
    if (sums.set_rows > 0) q.squared_shares += (share / sums.set_rows) * (share / sums.set_rows);
  return ratios_of(q, {sums.set_rows, sums.set_shared, sums.set_annotations});
}

// All ratios of one drawing of rows.
struct AllRatios {
  Ratio masi_alpha, masi_similarity;
  Ratios sets;
  std::vector<Ratios> labels;
};

AllRatios all_ratios(const AgreementSums& sums, const ExpectedDistance& expected) {
  AllRatios all;
  all.masi_alpha = all.masi_similarity = {0, 0};
  if (sums.set_shared > 0) {
    all.masi_alpha = {sums.masi / sums.set_annotations,
                      expected.of(sums.set_count, sums.set_annotations)};
    all.masi_similarity = {sums.masi_share / sums.set_shared, 1};
  }
  all.sets = set_ratios(sums);
  for (const LabelSums& label : sums.label) all.labels.push_back(label_ratios(label, sums));
  return all;
}

double mean_value(std::span<const Ratios> labels, std::size_t kind) {
  double sum = 0;
  std::size_t defined = 0;
  for (const Ratios& label : labels)
    if (label[kind].defined()) sum += label[kind].value(), ++defined;
  return defined == 0 ? kMissing : sum / static_cast<double>(defined);
}

// ---- resamples -------------------------------------------------------------------------------

// Where figures stand in a resample: two of MASI, the sets, the mean of labels, then labels.
constexpr std::size_t kOfSets = 2, kOfMean = kOfSets + kKinds, kOfLabels = kOfMean + kKinds;

std::vector<double> values_of(const AllRatios& all, std::span<const std::size_t> labels) {
  std::vector<double> values = {all.masi_alpha.value(), all.masi_similarity.value()};
  for (const Ratio& ratio : all.sets) values.push_back(ratio.value());
  for (std::size_t kind = 0; kind < kKinds; ++kind) values.push_back(mean_value(all.labels, kind));
  for (const std::size_t label : labels)
    for (const Ratio& ratio : all.labels[label]) values.push_back(ratio.value());
  return values;
}

std::vector<std::uint32_t> drawn_rows(std::size_t rows, std::uint64_t seed, std::size_t resample) {
  std::vector<std::uint32_t> times(rows);
  Random random(seed, Purpose::Bootstrap, resample);
  for (std::size_t k = 0; k < rows; ++k) ++times[random.below(rows)];
  return times;
}

using Resamples = std::vector<std::vector<double>>;  // values_of() each

Resamples resample(const AgreementRows& rows, const ExpectedDistance& expected,
                   std::span<const std::size_t> labels, ThreadPool& pool,
                   const AgreementOptions& options) {
  Resamples found(options.resamples);
  pool.for_each(found.size(), [&](std::size_t k) {
    const AgreementSums sums = rows.sums(drawn_rows(rows.rows(), options.seed, k));
    if (sums.shared > 0) found[k] = values_of(all_ratios(sums, expected), labels);
  });
  std::erase_if(found, [](const auto& values) { return values.empty(); });
  return found;
}

double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

// ---- figures ---------------------------------------------------------------------------------

// Rows that a figure with chance agreement stands on, and in which way they may be too few.
struct Basis {
  std::size_t shared = 0;   // rows
  std::size_t with = 0;     // of these, where somebody gave the answer
  std::size_t without = 0;  // where somebody did not
  std::string undefined{};  // why there is no chance agreement
};

std::string too_few(const Basis& basis, bool by_chance) {
  if (basis.shared < kLeastRows)
    return fmt::format(
        "only {} two annotations: too few for an interval",
        basis.shared == 1 ? "one row has" : fmt::format("{} rows have", basis.shared));
  if (by_chance && std::min(basis.with, basis.without) < kLeastRows)
    return "all but a few annotations are the same: too few differ for an interval";
  return {};
}

class Figures {
 public:
  Figures(Resamples resamples, std::size_t asked) : all_(std::move(resamples)), asked_(asked) {}

  AgreementFigure figure(const Ratio& ratio, const Basis& basis, bool by_chance,
                         std::size_t place) const {
    AgreementFigure figure;
    if (!ratio.defined()) {
      figure.why = basis.undefined;
      return figure;
    }
    figure.value = ratio.value();
    if (asked_ == 0) return figure;
    figure.why = too_few(basis, by_chance);
    if (!figure.why.empty()) return figure;
    if (ratio.observed == 0)
      set_unanimous(figure, ratio, basis.shared);
    else
      set_interval(figure, place);
    return figure;
  }

  AgreementFigures figures(const Ratios& ratios, const Basis& basis, std::size_t place) const {
    return {figure(ratios[0], basis, true, place), figure(ratios[1], basis, true, place + 1),
            figure(ratios[2], basis, false, place + 2), figure(ratios[3], basis, false, place + 3)};
  }

  void set_interval(AgreementFigure& figure, std::size_t place) const {
    std::vector<double> values;
    for (const std::vector<double>& one : all_)
      if (place < one.size() && !std::isnan(one[place])) values.push_back(one[place]);
    if (2 * values.size() < asked_) {
      figure.why = "too few resamples have this figure for an interval";
      return;
    }
    std::ranges::sort(values);
    figure.low = std::min(*figure.value, quantile(values, kTail));
    figure.high = std::max(*figure.value, quantile(values, 1 - kTail));
  }

 private:
  // All resamples of rows without a disagreement are the same. What can be said is how often a row
  // with one would not have come up: p^rows = kTail.
  static void set_unanimous(AgreementFigure& figure, const Ratio& ratio, std::size_t rows) {
    const double agreeing = std::pow(kTail, 1 / static_cast<double>(rows));
    figure.low = std::max(-1.0, 1 - (1 - agreeing) / ratio.chance);
    figure.high = 1;
  }

  Resamples all_;
  std::size_t asked_;
};

const AgreementFigure& of_kind(const AgreementFigures& figures, std::size_t kind) {
  const std::array<const AgreementFigure*, kKinds> all = {&figures.alpha, &figures.kappa,
                                                          &figures.ac1, &figures.pairwise};
  return *all[kind];
}

// The mean of labels: it has an interval if any label has one. Where nothing disagrees, that is the
// mean of their intervals.
AgreementFigure mean_figure(std::span<const Ratios> ratios,
                            std::span<const AgreementFigures> labels, std::size_t kind,
                            const Figures& maker) {
  AgreementFigure mean;
  const double value = mean_value(ratios, kind);
  if (std::isnan(value)) {
    mean.why = labels.empty() ? "there are no labels" : "no label has this figure";
    return mean;
  }
  mean.value = value;
  bool unanimous = true;
  double low = 0;
  std::size_t with_interval = 0;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    unanimous = unanimous && (!ratios[k][kind].defined() || ratios[k][kind].observed == 0);
    if (const auto& one = of_kind(labels[k], kind); one.low) low += *one.low, ++with_interval;
  }
  if (with_interval == 0) {
    for (std::size_t k = 0; k < labels.size() && mean.why.empty(); ++k)
      if (of_kind(labels[k], kind).value) mean.why = of_kind(labels[k], kind).why;
  } else if (unanimous) {
    mean.low = low / static_cast<double>(with_interval);
    mean.high = 1;
  } else {
    maker.set_interval(mean, kOfMean + kind);
  }
  return mean;
}

// ---- what the rows are like ------------------------------------------------------------------

void check_labels(const Votes& votes, std::size_t labels) {
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    require(votes.ticked(annotation).empty() || votes.ticked(annotation).back() < labels,
            fmt::format("a ticked label has the number {}, but there are {} labels",
                        votes.ticked(annotation).empty() ? 0 : votes.ticked(annotation).back(),
                        labels));
}

void count(Agreement& found, const Votes& votes) {
  const Overlap overlap = overlap_of(votes);
  found.rows = overlap.rows;
  found.annotators = overlap.annotators;
  found.annotations = votes.annotations();
  found.shared_rows = overlap.rows - overlap.single;
  if (found.rows == 0)
    found.why = "nobody annotated a row";
  else if (found.annotators == 1)
    found.why = "there is one annotator, with nobody to agree with";
  else if (found.shared_rows == 0)
    found.why = "no row has two annotations";
}

// Of every label: shared rows where somebody ticked it, and where somebody did not.
std::vector<Basis> label_bases(const Votes& votes, std::size_t labels, std::size_t shared) {
  std::vector<Basis> bases(labels, {.shared = shared, .without = shared});
  std::vector<std::size_t> ticks(labels), said(labels);
  std::vector<std::uint32_t> named;
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    const std::size_t annotations = votes.annotations(row);
    if (annotations < 2) continue;
    const std::size_t first = votes.first_annotation(row);
    named.clear();
    for (std::size_t annotation = first; annotation < first + annotations; ++annotation)
      for (const auto all : {votes.ticked(annotation), votes.unsure(annotation)})
        for (const std::uint32_t label : all) {
          if (said[label] == 0) named.push_back(label), said[label] = annotations + 1;
        }
    for (std::size_t annotation = first; annotation < first + annotations; ++annotation) {
      for (const std::uint32_t label : votes.ticked(annotation)) ++ticks[label];
      for (const std::uint32_t label : votes.unsure(annotation)) --said[label];
    }
    for (const std::uint32_t label : named) {
      Basis& basis = bases[label];
      const std::size_t votes_here = said[label] - 1;
      const bool counts = votes_here > 1;
      basis.shared -= !counts;
      basis.with += counts && ticks[label] > 0;
      basis.without -= !counts || ticks[label] == votes_here;
      ticks[label] = said[label] = 0;
    }
  }
  for (Basis& basis : bases)
    basis.undefined = basis.shared == 0 ? "no row has two votes on it"
                      : basis.with == 0 ? "nobody ticked it where rows have two annotations"
                                        : "everybody ticked it where rows have two annotations";
  return bases;
}

// The same for label sets: rows where somebody gave another than the most frequent one.
Basis set_basis(const Votes& votes, const LabelSets& sets, std::span<const double> counts) {
  const auto common = static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
  Basis basis{.undefined = "all annotations of shared rows have the same labels"};
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    std::size_t complete = 0;
    bool other = false;
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation) {
      if (!votes.unsure(annotation).empty()) continue;
      ++complete;
      other = other || sets.of(annotation) != common;
    }
    if (complete < 2) continue;
    ++basis.shared, ++basis.with;
    basis.without += other;
  }
  if (basis.shared == 0) basis.undefined = "no row has two annotations without an unsure vote";
  return basis;
}

// Those with intervals: all, or the most frequent ones.
std::vector<std::size_t> labels_with_intervals(std::span<const Basis> bases) {
  std::vector<std::size_t> order(bases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMostLabels) return order;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return bases[k].with; });
  order.resize(kMostLabels);
  std::ranges::sort(order);
  return order;
}

void set_labels(Agreement& found, std::span<const Ratios> ratios, std::span<const Basis> bases,
                std::span<const std::size_t> with_intervals, const Figures& maker) {
  const Figures without(Resamples{}, 0);
  std::size_t next = 0;
  for (std::size_t label = 0; label < ratios.size(); ++label) {
    const bool chosen = next < with_intervals.size() && with_intervals[next] == label;
    found.labels.push_back(
        (chosen ? maker : without).figures(ratios[label], bases[label], kOfLabels + kKinds * next));
    found.labels_ticked.push_back(bases[label].with);
    next += chosen;
  }
}

void set_figures(Agreement& found, const Votes& votes, std::size_t labels, const LabelSets& sets,
                 ThreadPool& pool, const AgreementOptions& options) {
  const AgreementRows rows(votes, sets, labels, pool);
  const AgreementSums sums = rows.sums(std::vector<std::uint32_t>(rows.rows(), 1));
  const ExpectedDistance expected(sets, sums.set_count, options.seed, pool);
  const AllRatios ratios = all_ratios(sums, expected);
  const std::vector<Basis> bases = label_bases(votes, labels, found.shared_rows);
  const Basis of_sets = set_basis(votes, sets, sums.set_count);
  const std::vector<std::size_t> chosen = labels_with_intervals(bases);
  const Figures maker(resample(rows, expected, chosen, pool, options), options.resamples);

  found.masi_alpha = maker.figure(ratios.masi_alpha, of_sets, true, 0);
  found.masi_similarity = maker.figure(ratios.masi_similarity, of_sets, false, 1);
  found.sets = maker.figures(ratios.sets, of_sets, kOfSets);
  set_labels(found, ratios.labels, bases, chosen, maker);
  found.labels_mean = {mean_figure(ratios.labels, found.labels, 0, maker),
                       mean_figure(ratios.labels, found.labels, 1, maker),
                       mean_figure(ratios.labels, found.labels, 2, maker),
                       mean_figure(ratios.labels, found.labels, 3, maker)};
}

}  // namespace

Agreement measure_agreement(const Votes& votes, std::size_t labels, ThreadPool& pool,
                            const AgreementOptions& options) {
  check_labels(votes, labels);
  Agreement found;
  count(found, votes);
  const LabelSets sets(votes);
  found.label_sets = sets.size();
  if (!found.why.empty()) {
    found.labels.resize(labels);
    found.labels_ticked.resize(labels);
    return found;
  }
  set_figures(found, votes, labels, sets, pool, options);
  found.compared = busiest_annotators(votes, options.annotators);
  found.pairs = agreement_in_pairs(votes, sets, found.compared);
  return found;
}

std::vector<std::size_t> least_agreeing(const Agreement& agreement, std::size_t most) {
  return ordered_pairs(agreement.pairs, most, [](const Estimate& e) { return e.high; });
}

std::vector<std::size_t> most_agreeing(const Agreement& agreement, std::size_t most) {
  return ordered_pairs(agreement.pairs, most, [](const Estimate& e) { return -e.low; });
}

}  // namespace sieve
