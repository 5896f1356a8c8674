#include "crowd/agreement_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "labelsieve/crowd.h"

namespace sieve {

AgreementRows::AgreementRows(const Votes& votes, const LabelSets& sets, std::size_t labels,
                             ThreadPool& pool)
    : labels_(labels), sets_(sets.size()) {
  for (std::size_t row = 0; row < votes.rows(); ++row)
    if (votes.annotations(row) > 0) add_row(votes, sets, row);
  pool.for_blocks(rows(), 256, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) measure_row(sets, row);
  });
}

namespace {

LabelSums sums_of_label(double annotations, double ticks, double unsure) {
  const double said = annotations - unsure;
  LabelSums sums;
  if (said > 0) sums.share = ticks / said;
  if (said > 1) {
    sums.count = ticks;
    sums.apart = 2 * ticks * (said - ticks) / (said - 1);
    sums.apart_share = sums.apart / said;
  }
  sums.lost_rows = said > 0 ? 0 : 1;
  sums.lost_shared = annotations > 1 && said <= 1 ? 1 : 0;
  if (annotations > 1) sums.lost_annotations = said > 1 ? unsure : annotations;
  return sums;
}

}  // namespace

void AgreementRows::add_row(const Votes& votes, const LabelSets& sets, std::size_t row) {
  const auto annotations = static_cast<double>(votes.annotations(row));
  rows_.push_back({.annotations = annotations,
                   .first_label = label_entries_.size(),
                   .first_set = set_entries_.size()});
  std::vector<std::uint32_t> ticked, unsure, named, chosen;
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation) {
    if (votes.unsure(annotation).empty()) chosen.push_back(sets.of(annotation));
    ticked.insert(ticked.end(), votes.ticked(annotation).begin(), votes.ticked(annotation).end());
    unsure.insert(unsure.end(), votes.unsure(annotation).begin(), votes.unsure(annotation).end());
  }
  rows_.back().complete = static_cast<double>(chosen.size());
  std::ranges::sort(ticked);
  std::ranges::sort(unsure);
  std::ranges::sort(chosen);
  std::ranges::set_union(ticked, unsure, std::back_inserter(named));
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (const std::uint32_t label : named) {
    const auto count = [&](const std::vector<std::uint32_t>& sorted) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), label);
      return static_cast<double>(last - first);
    };
    label_entries_.push_back({label, sums_of_label(annotations, count(ticked), count(unsure))});
  }
  for (auto at = chosen.begin(); at != chosen.end();) {
    const auto end = std::upper_bound(at, chosen.end(), *at);
    set_entries_.push_back({*at, static_cast<double>(end - at)});
    at = end;
  }
}

// Equal sets are taken together, so that many annotations of a row cost little.
void AgreementRows::measure_row(const LabelSets& sets, std::size_t row) {
  Row& one = rows_[row];
  if (one.complete < 2) return;
  const std::size_t end = row + 1 < rows() ? rows_[row + 1].first_set : set_entries_.size();
  double apart = 0, differ = 0;
  for (std::size_t a = one.first_set; a < end; ++a)
    for (std::size_t b = a + 1; b < end; ++b) {
      const double pairs = set_entries_[a].count * set_entries_[b].count;
      differ += pairs;
      apart +=
          pairs * masi_distance(sets.labels(set_entries_[a].set), sets.labels(set_entries_[b].set));
    }
  one.masi = 2 * apart / (one.complete - 1);
  one.sets = 2 * differ / (one.complete - 1);
}

AgreementSums AgreementRows::sums(std::span<const std::uint32_t> weight) const {
  AgreementSums all(labels_, sets_);
  for (std::size_t row = 0; row < rows(); ++row) {
    if (weight[row] == 0) continue;
    const Row& one = rows_[row];
    const double times = weight[row];
    const bool last = row + 1 == rows(), shared = one.annotations > 1,
               shares_sets = one.complete > 1;
    all.rows += times;
    if (shared) {
      all.shared += times;
      all.annotations += times * one.annotations;
    }
    if (one.complete > 0) all.set_rows += times;
    if (shares_sets) {
      all.set_shared += times;
      all.set_annotations += times * one.complete;
      all.masi += times * one.masi, all.masi_share += times * one.masi / one.complete;
      all.sets += times * one.sets, all.sets_share += times * one.sets / one.complete;
    }
    const std::size_t labels_end = last ? label_entries_.size() : rows_[row + 1].first_label;
    for (std::size_t k = one.first_label; k < labels_end; ++k) {
      const LabelSums& entry = label_entries_[k].sums;
      LabelSums& sum = all.label[label_entries_[k].label];
      sum.count += times * entry.count, sum.share += times * entry.share;
      sum.apart += times * entry.apart, sum.apart_share += times * entry.apart_share;
      sum.lost_rows += times * entry.lost_rows, sum.lost_shared += times * entry.lost_shared;
      sum.lost_annotations += times * entry.lost_annotations;
    }
    const std::size_t sets_end = last ? set_entries_.size() : rows_[row + 1].first_set;
    for (std::size_t k = one.first_set; k < sets_end; ++k) {
      const double count = times * set_entries_[k].count;
      if (shares_sets) all.set_count[set_entries_[k].set] += count;
      all.set_share[set_entries_[k].set] += count / one.complete;
    }
  }
  return all;
}

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Meetings {
  std::size_t rows = 0;
  double similarity = 0;
};

// Wilson's interval for a share. The mean of numbers in [0, 1] varies at most as much as a share,
// and unlike resamples of a few rows the interval is never narrow for want of rows.
Estimate mean_estimate(double mean, std::size_t rows) {
  constexpr double kNormal = 1.6448536269514722;  // 90 %
  const auto n = static_cast<double>(rows);
  const double z2 = kNormal * kNormal, share = std::clamp(mean, 0.0, 1.0);
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half =
      kNormal / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {share, std::clamp(middle - half, 0.0, share), std::clamp(middle + half, share, 1.0)};
}

}  // namespace

std::vector<std::uint32_t> busiest_annotators(const Votes& votes, std::size_t most) {
  std::vector<std::size_t> annotations(votes.annotators().size());
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    ++annotations[votes.annotator(annotation)];
  std::vector<std::uint32_t> order(annotations.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::erase_if(order, [&](std::uint32_t a) { return annotations[a] == 0; });
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t a) { return annotations[a]; });
  if (order.size() > most) order.resize(most);
  return order;
}

std::vector<PairAgreement> agreement_in_pairs(const Votes& votes, const LabelSets& sets,
                                              std::span<const std::uint32_t> annotators) {
  std::vector<std::uint32_t> known(annotators.begin(), annotators.end());
  std::ranges::sort(known);
  const std::size_t size = known.size();
  std::vector<std::uint32_t> place(votes.annotators().size(), kNone);
  for (std::size_t k = 0; k < size; ++k) place[known[k]] = static_cast<std::uint32_t>(k);

  std::vector<Meetings> met(size * size);
  std::vector<std::size_t> here;  // annotations of a row; annotators ascend
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    here.clear();
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      if (place[votes.annotator(annotation)] != kNone && votes.unsure(annotation).empty())
        here.push_back(annotation);
    for (std::size_t a = 0; a < here.size(); ++a)
      for (std::size_t b = a + 1; b < here.size(); ++b) {
        Meetings& pair =
            met[place[votes.annotator(here[a])] * size + place[votes.annotator(here[b])]];
        ++pair.rows;
        pair.similarity += sets.of(here[a]) == sets.of(here[b])
                               ? 1
                               : 1 - masi_distance(votes.ticked(here[a]), votes.ticked(here[b]));
      }
  }
  std::vector<PairAgreement> pairs;
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = a + 1; b < size; ++b)
      if (const Meetings& pair = met[a * size + b]; pair.rows > 0)
        pairs.push_back(
            {known[a], known[b], pair.rows,
             mean_estimate(pair.similarity / static_cast<double>(pair.rows), pair.rows)});
  return pairs;
}

std::vector<std::size_t> ordered_pairs(std::span<const PairAgreement> pairs, std::size_t most,
                                       const std::function<double(const Estimate&)>& key) {
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return key(pairs[k].similarity); });
  if (order.size() > most) order.resize(most);
  return order;
}

}  // namespace sieve
