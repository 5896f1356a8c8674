#include "crowd/pair_agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sieve {
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
