#include "crowd/agreement_rows.h"

#include <algorithm>

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

void AgreementRows::add_row(const Votes& votes, const LabelSets& sets, std::size_t row) {
  const auto annotations = static_cast<double>(votes.annotations(row));
  rows_.push_back({.annotations = annotations,
                   .first_label = label_entries_.size(),
                   .first_set = set_entries_.size()});
  std::vector<std::uint32_t> ticked, chosen;
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation) {
    chosen.push_back(sets.of(annotation));
    ticked.insert(ticked.end(), votes.ticked(annotation).begin(), votes.ticked(annotation).end());
  }
  std::ranges::sort(ticked);
  std::ranges::sort(chosen);
  for (auto at = ticked.begin(); at != ticked.end();) {
    const auto end = std::upper_bound(at, ticked.end(), *at);
    const auto ticks = static_cast<double>(end - at);
    LabelSums sums{.share = ticks / annotations};
    if (annotations > 1) {
      sums.count = ticks;
      sums.apart = 2 * ticks * (annotations - ticks) / (annotations - 1);
      sums.apart_share = sums.apart / annotations;
    }
    label_entries_.push_back({*at, sums});
    at = end;
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
  if (one.annotations < 2) return;
  const std::size_t end = row + 1 < rows() ? rows_[row + 1].first_set : set_entries_.size();
  double apart = 0, differ = 0;
  for (std::size_t a = one.first_set; a < end; ++a)
    for (std::size_t b = a + 1; b < end; ++b) {
      const double pairs = set_entries_[a].count * set_entries_[b].count;
      differ += pairs;
      apart +=
          pairs * masi_distance(sets.labels(set_entries_[a].set), sets.labels(set_entries_[b].set));
    }
  one.masi = 2 * apart / (one.annotations - 1);
  one.sets = 2 * differ / (one.annotations - 1);
}

AgreementSums AgreementRows::sums(std::span<const std::uint32_t> weight) const {
  AgreementSums all(labels_, sets_);
  for (std::size_t row = 0; row < rows(); ++row) {
    if (weight[row] == 0) continue;
    const Row& one = rows_[row];
    const double times = weight[row];
    const bool last = row + 1 == rows(), shared = one.annotations > 1;
    all.rows += times;
    if (shared) {
      all.shared += times;
      all.annotations += times * one.annotations;
      all.masi += times * one.masi, all.masi_share += times * one.masi / one.annotations;
      all.sets += times * one.sets, all.sets_share += times * one.sets / one.annotations;
    }
    const std::size_t labels_end = last ? label_entries_.size() : rows_[row + 1].first_label;
    for (std::size_t k = one.first_label; k < labels_end; ++k) {
      const LabelSums& entry = label_entries_[k].sums;
      LabelSums& sum = all.label[label_entries_[k].label];
      sum.count += times * entry.count, sum.share += times * entry.share;
      sum.apart += times * entry.apart, sum.apart_share += times * entry.apart_share;
    }
    const std::size_t sets_end = last ? set_entries_.size() : rows_[row + 1].first_set;
    for (std::size_t k = one.first_set; k < sets_end; ++k) {
      const double count = times * set_entries_[k].count;
      if (shared) all.set_count[set_entries_[k].set] += count;
      all.set_share[set_entries_[k].set] += count / one.annotations;
    }
  }
  return all;
}

}  // namespace sieve
