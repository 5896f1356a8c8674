#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "labelsieve/labels.h"

// What the tests and the benchmark of stratification share. Header-only: both include it.
namespace sieve::test {

using Folds = std::vector<std::vector<std::size_t>>;

constexpr std::array<std::string_view, 6> kLabelPatterns = {"even",   "skewed", "steep",
                                                            "topics", "nested", "dense"};

// Random labels of a named kind: equal frequencies, 1/rank, exponential, groups that occur
// together, each label inside the one before, half of all cells on.
inline LabelMatrix make_labels(std::string_view pattern, std::size_t rows, std::size_t labels,
                               std::uint64_t seed) {
  LabelMatrix out(rows, labels);
  for (std::size_t i = 0; i < rows; ++i) {
    Random random(seed, Purpose::Test, 0, i);
    const std::size_t topic = random.below(10);
    const double depth = random.uniform();
    for (std::size_t k = 0; k < labels; ++k) {
      const double place = static_cast<double>(k) / static_cast<double>(labels);
      bool on = false;
      if (pattern == "even") on = random.chance(0.03);
      if (pattern == "skewed") on = random.chance(0.9 / static_cast<double>(k + 1));
      if (pattern == "steep") on = random.chance(0.6 * std::exp(-6 * place));
      if (pattern == "topics")
        on = random.chance(k % 10 == topic ? 0.4 * std::exp(-3 * place) : 0.002);
      if (pattern == "nested") on = depth < 0.8 * std::exp(-7 * place);
      if (pattern == "dense") on = random.chance(0.1 + 0.8 * place);
      if (on) out.set(i, k);
    }
  }
  return out;
}

// Iterative stratification word for word: every round counts the remaining rows of all labels
// afresh and compares all folds for each row.
inline Folds stratify_textbook(const LabelMatrix& labels, std::size_t k, std::uint64_t seed) {
  Random random(seed, Purpose::Test);
  const std::size_t rows = labels.rows();
  std::vector<double> wants_rows(k, static_cast<double>(rows) / static_cast<double>(k));
  std::vector<std::vector<double>> wants;
  for (const std::size_t count : labels.label_counts())
    wants.emplace_back(k, static_cast<double>(count) / static_cast<double>(k));
  std::vector<bool> placed(rows);
  Folds folds(k);
  const auto place = [&](std::size_t row, const std::vector<double>& wanted) {
    std::size_t best = random.below(k);
    for (std::size_t f = 0; f < k; ++f)
      if (std::pair(wanted[f], wants_rows[f]) > std::pair(wanted[best], wants_rows[best])) best = f;
    folds[best].push_back(row);
    placed[row] = true;
    wants_rows[best] -= 1;
    labels.for_each(row, [&](std::size_t label) { wants[label][best] -= 1; });
  };
  while (true) {
    std::vector<std::size_t> left(labels.labels());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t label = 0; label < labels.labels(); ++label)
        left[label] += !placed[i] && labels.get(i, label);
    std::size_t rarest = labels.labels();
    for (std::size_t label = 0; label < left.size(); ++label)
      if (left[label] > 0 && (rarest == left.size() || left[label] < left[rarest])) rarest = label;
    if (rarest == left.size()) break;
    for (std::size_t i = 0; i < rows; ++i)
      if (!placed[i] && labels.get(i, rarest)) place(i, wants[rarest]);
  }
  for (std::size_t i = 0; i < rows; ++i)
    if (!placed[i]) place(i, wants_rows);
  return folds;
}

// How far the folds are from the whole, over labels with 100 rows or more.
struct StratifyQuality {
  double absolute = 0;   // largest |share in a fold - share in all|
  double relative = 0;   // largest of that over the share in all
  double avoidable = 0;  // the same where the count is a whole row or more from its ideal: a
                         // smaller deviation is due to rows not being divisible
  std::size_t smallest = 0, largest = 0;  // rows of a fold
};

inline StratifyQuality measure(const LabelMatrix& labels, const Folds& folds) {
  StratifyQuality quality;
  quality.smallest = labels.rows();
  const std::vector<std::size_t> totals = labels.label_counts();
  const double rows = static_cast<double>(labels.rows());
  for (const auto& fold : folds) {
    quality.smallest = std::min(quality.smallest, fold.size());
    quality.largest = std::max(quality.largest, fold.size());
    const std::vector<std::size_t> counts = labels.select_rows(fold).label_counts();
    for (std::size_t k = 0; k < totals.size(); ++k) {
      if (totals[k] < 100) continue;
      const double all = static_cast<double>(totals[k]) / rows,
                   count = static_cast<double>(counts[k]);
      const double ideal = static_cast<double>(totals[k]) / static_cast<double>(folds.size());
      const double off = std::abs(count / static_cast<double>(fold.size()) - all);
      quality.absolute = std::max(quality.absolute, off);
      quality.relative = std::max(quality.relative, off / all);
      if (std::abs(count - ideal) >= 1) quality.avoidable = std::max(quality.avoidable, off / all);
    }
  }
  return quality;
}

}  // namespace sieve::test
