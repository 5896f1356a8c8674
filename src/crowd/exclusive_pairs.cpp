#include "labelsieve/crowd.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace sieve {
namespace {

constexpr std::size_t kMostLabels = 256, kOften = 3, kManyAnnotators = 3;
constexpr double kLeastExpected = 10, kMostP = 1e-4, kAnyByChance = 0.01;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// How often labels are used, and how much the annotations of a row repeat each other.
struct LabelUse {
  std::size_t annotations = 0;
  double per_row = 1;  // annotations of its row that an annotation with the label finds, itself too
};

std::vector<LabelUse> count_use(const Votes& votes) {
  std::vector<LabelUse> use;
  std::vector<std::size_t> here;
  std::vector<double> squares;
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    std::vector<std::uint32_t> ticked;
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation)) {
        if (label >= use.size())
          use.resize(label + 1), here.resize(label + 1), squares.resize(label + 1);
        ++use[label].annotations;
        if (here[label]++ == 0) ticked.push_back(label);
      }
    for (const std::uint32_t label : ticked) {
      squares[label] += static_cast<double>(here[label]) * static_cast<double>(here[label]);
      here[label] = 0;
    }
  }
  for (std::size_t k = 0; k < use.size(); ++k)
    if (use[k].annotations > 0)
      use[k].per_row = squares[k] / static_cast<double>(use[k].annotations);
  return use;
}

// The labels that are tried, ascending.
std::vector<std::uint32_t> most_used(const std::vector<LabelUse>& use) {
  std::vector<std::uint32_t> labels(use.size());
  std::iota(labels.begin(), labels.end(), std::uint32_t{0});
  std::erase_if(labels, [&](std::uint32_t k) {
    return use[k].annotations < static_cast<std::size_t>(kLeastExpected);
  });
  std::ranges::stable_sort(labels, std::greater{},
                           [&](std::uint32_t k) { return use[k].annotations; });
  if (labels.size() > kMostLabels) labels.resize(kMostLabels);
  std::ranges::sort(labels);
  return labels;
}

// Log of the chance that `a` and `b` of `all` things, drawn separately, have none in common.
double log_apart(double all, double a, double b) {
  return std::lgamma(all - a + 1) - std::lgamma(all - a - b + 1) - std::lgamma(all + 1) +
         std::lgamma(all - b + 1);
}

// What is known of pairs, by the places of their labels among those tried.
class Pairs {
 public:
  explicit Pairs(std::size_t labels) : labels_(labels), all_(labels * labels) {}

  struct Known {
    bool combined = false;
    std::size_t annotators = 0;
    double expected = 0, log_p = 0;
  };
  Known& at(std::size_t a, std::size_t b) { return all_[a * labels_ + b]; }

  void add_annotation(const std::vector<std::uint32_t>& places) {
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = a + 1; b < places.size(); ++b) at(places[a], places[b]).combined = true;
  }

  // An annotator with this number of annotations, who used label k used[k] times.
  void add_annotator(std::size_t annotations, const std::vector<std::size_t>& used) {
    const auto all = static_cast<double>(annotations);
    for (std::size_t a = 0; a < used.size(); ++a) {
      if (used[a] == 0) continue;
      for (std::size_t b = a + 1; b < used.size(); ++b) {
        Known& pair = at(a, b);
        if (used[b] == 0 || pair.combined) continue;
        const auto one = static_cast<double>(used[a]), other = static_cast<double>(used[b]);
        pair.annotators += used[a] >= kOften && used[b] >= kOften;
        pair.expected += one * other / all;
        pair.log_p += log_apart(all, one, other);
      }
    }
  }

 private:
  std::size_t labels_;
  std::vector<Known> all_;
};

std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& labels) {
  std::vector<std::uint32_t> places(labels.empty() ? 0 : labels.back() + 1, kNone);
  for (std::size_t k = 0; k < labels.size(); ++k) places[labels[k]] = static_cast<std::uint32_t>(k);
  return places;
}

// Annotations by annotator, each annotator's together.
std::vector<std::size_t> by_annotator(const Votes& votes) {
  std::vector<std::size_t> annotations(votes.annotations());
  std::iota(annotations.begin(), annotations.end(), std::size_t{0});
  std::ranges::stable_sort(annotations, {},
                           [&](std::size_t annotation) { return votes.annotator(annotation); });
  return annotations;
}

Pairs count_pairs(const Votes& votes, const std::vector<std::uint32_t>& labels,
                  std::size_t& annotators) {
  const std::vector<std::uint32_t> place = places_of(labels);
  const auto tried = [&](std::size_t annotation) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t label : votes.ticked(annotation))
      if (label < place.size() && place[label] != kNone) found.push_back(place[label]);
    return found;
  };
  Pairs pairs(labels.size());
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    pairs.add_annotation(tried(annotation));
  const std::vector<std::size_t> order = by_annotator(votes);
  for (std::size_t k = 0; k < order.size(); ++annotators) {
    const std::size_t first = k;
    std::vector<std::size_t> used(labels.size());
    for (; k < order.size() && votes.annotator(order[k]) == votes.annotator(order[first]); ++k)
      for (const std::uint32_t one : tried(order[k])) ++used[one];
    pairs.add_annotator(k - first, used);
  }
  return pairs;
}

}  // namespace

std::vector<ExclusivePair> exclusive_pairs(const Votes& votes) {
  std::size_t most = 0;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    most = std::max(most, votes.ticked(annotation).size());
  if (most < 2) return {};
  const std::vector<LabelUse> use = count_use(votes);
  const std::vector<std::uint32_t> labels = most_used(use);
  std::size_t annotators = 0, tried = 0;
  Pairs pairs = count_pairs(votes, labels, annotators);
  std::vector<ExclusivePair> found;
  for (std::size_t a = 0; a < labels.size(); ++a)
    for (std::size_t b = a + 1; b < labels.size(); ++b) {
      const Pairs::Known& pair = pairs.at(a, b);
      ++tried;
      if (pair.combined || pair.expected < kLeastExpected ||
          pair.annotators < std::min(kManyAnnotators, annotators))
        continue;
      const LabelUse &one = use[labels[a]], &other = use[labels[b]];
      // Meetings repeat each other on a row only where the ticks of both labels do.
      const double p = std::exp(pair.log_p / std::min(one.per_row, other.per_row));
      if (p < kMostP)
        found.push_back({labels[a], labels[b], one.annotations, other.annotations, pair.annotators,
                         pair.expected, p});
    }
  std::erase_if(found, [&](const ExclusivePair& pair) {
    return pair.p * static_cast<double>(tried) > kAnyByChance;
  });
  std::ranges::stable_sort(found, {}, &ExclusivePair::p);
  return found;
}

std::size_t keep_apart(std::span<const ExclusivePair> pairs, const CandidateScores& probability,
                       LabelMatrix& labels) {
  std::size_t removed = 0;
  for (std::size_t row = 0; row < labels.rows() && !pairs.empty(); ++row)
    for (const ExclusivePair& pair : pairs) {
      if (!labels.get(row, pair.first) || !labels.get(row, pair.second)) continue;
      labels.set(
          row,
          probability(row, pair.first) < probability(row, pair.second) ? pair.first : pair.second,
          false);
      ++removed;
    }
  return removed;
}

}  // namespace sieve
