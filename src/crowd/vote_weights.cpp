#include "crowd/fit_steps.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sieve {
namespace {

constexpr std::size_t kLeastCommonRows = 30;
// Pairs are compared where at most this many annotated a row; others of the row are left out.
constexpr std::size_t kMostOfRow = 24;
// Honest pairs of real crowds reach .71. Somebody who redraws a tenth of what they copy has .9 with
// the original, and .81 with another such copy: from kRamp above the cut on, a pair counts as one.
constexpr double kLowestCut = 0.75, kHighestCut = 0.95, kRamp = 0.05, kLeastApart = 0.1;
constexpr double kLeastUsual = 0.05;
constexpr std::size_t kLeastPartners = 5;
constexpr int kRounds = 3;

// Sums over the rows that two annotators share: of votes v - mean of the annotator for the label.
struct PairSums {
  double rows = 0, both = 0;          // v_a v_b
  double a_with_b = 0, b_with_a = 0;  // ticks of a times means of b, and the reverse
  double a_own = 0, b_own = 0;        // ticks of a times means of a
  double a_ticks = 0, b_ticks = 0;
  // Of the above, votes where either is unsure: they do not count.
  double unsure_ab = 0, unsure_aa = 0, unsure_bb = 0;
};

constexpr std::size_t kMostJoined = 2000;

using Pairs = std::unordered_map<std::uint64_t, PairSums>;

class Correlations {
 public:
  Correlations(const Votes& votes, std::size_t labels)
      : votes_(votes), mean_(votes.annotators().size(), labels) {
    std::vector<double> annotations(votes.annotators().size());
    MatrixD unsure(votes.unsure() > 0 ? annotations.size() : 0, labels);
    for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
      annotations[votes.annotator(annotation)] += 1;
      for (const std::uint32_t l : votes.unsure(annotation))
        unsure(votes.annotator(annotation), l) += 1;
      for (const std::uint32_t l : votes.ticked(annotation))
        mean_(votes.annotator(annotation), l) += 1;
    }
    for (std::size_t a = 0; a < annotations.size(); ++a)
      for (std::size_t l = 0; l < labels; ++l)
        mean_(a, l) /= std::max(annotations[a] - (unsure.rows() > 0 ? unsure(a, l) : 0), 1.0);
    for (std::size_t row = 0; row < votes.rows(); ++row) add_row(row);
  }

  // In the order of their numbers.
  std::vector<AlikePair> all() const {
    std::vector<AlikePair> out;
    for (const auto& [key, sums] : pairs_) {
      if (sums.rows < kLeastCommonRows) continue;
      const std::size_t a = key >> 32, b = key & 0xffffffff;
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t l = 0; l < mean_.cols(); ++l) {
        ab += mean_(a, l) * mean_(b, l);
        aa += mean_(a, l) * mean_(a, l);
        bb += mean_(b, l) * mean_(b, l);
      }
      const double joint =
          sums.both - sums.a_with_b - sums.b_with_a + sums.rows * ab - sums.unsure_ab;
      const double of_a = sums.a_ticks - 2 * sums.a_own + sums.rows * aa - sums.unsure_aa;
      const double of_b = sums.b_ticks - 2 * sums.b_own + sums.rows * bb - sums.unsure_bb;
      const double scale = of_a > 0 && of_b > 0 ? std::sqrt(of_a * of_b) : 0;
      out.push_back({a, b, static_cast<std::size_t>(sums.rows), scale > 0 ? joint / scale : 0, 0});
    }
    std::ranges::sort(out, [](const AlikePair& x, const AlikePair& y) {
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    return out;
  }

 private:
  void add_row(std::size_t row) {
    const std::size_t first = votes_.first_annotation(row);
    const std::size_t last = std::min(votes_.first_annotation(row + 1), first + kMostOfRow);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = i + 1; j < last; ++j) add_pair(i, j);
  }
  double times_means(std::span<const std::uint32_t> ticked, std::size_t annotator) const {
    double sum = 0;
    for (const std::uint32_t l : ticked) sum += mean_(annotator, l);
    return sum;
  }
  void add_pair(std::size_t i, std::size_t j) {
    if (votes_.annotator(i) > votes_.annotator(j)) std::swap(i, j);
    const std::size_t a = votes_.annotator(i), b = votes_.annotator(j);
    const auto of_a = votes_.ticked(i), of_b = votes_.ticked(j);
    PairSums& sums = pairs_[(std::uint64_t{a} << 32) | b];
    sums.rows += 1;
    std::size_t common = 0;
    for (const std::uint32_t l : of_a) common += std::ranges::binary_search(of_b, l) ? 1U : 0U;
    sums.both += static_cast<double>(common);
    sums.a_with_b += times_means(of_a, b);
    sums.b_with_a += times_means(of_b, a);
    sums.a_own += times_means(of_a, a);
    sums.b_own += times_means(of_b, b);
    sums.a_ticks += static_cast<double>(of_a.size());
    sums.b_ticks += static_cast<double>(of_b.size());
    add_unsure(i, j, sums);
  }
  void add_unsure(std::size_t i, std::size_t j, PairSums& sums) const {
    const auto centred = [&](std::size_t annotation, std::uint32_t l) {
      const bool tick = std::ranges::binary_search(votes_.ticked(annotation), l);
      return (tick ? 1.0 : 0.0) - mean_(votes_.annotator(annotation), l);
    };
    const auto take = [&](std::uint32_t l) {
      const double a = centred(i, l), b = centred(j, l);
      sums.unsure_ab += a * b;
      sums.unsure_aa += a * a;
      sums.unsure_bb += b * b;
    };
    for (const std::uint32_t l : votes_.unsure(i)) take(l);
    for (const std::uint32_t l : votes_.unsure(j))
      if (votes_.speaks_of(i, l)) take(l);
  }

  const Votes& votes_;
  MatrixD mean_;
  Pairs pairs_;
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// How alike an annotator usually is to others; with few others, as alike as all pairs are.
std::vector<double> usual_of(const std::vector<AlikePair>& pairs, const std::vector<bool>& copies,
                             std::size_t annotators) {
  std::vector<std::vector<double>> with(annotators);
  std::vector<double> all;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (copies[k]) continue;
    all.push_back(pairs[k].correlation);
    with[pairs[k].a].push_back(pairs[k].correlation);
    with[pairs[k].b].push_back(pairs[k].correlation);
  }
  std::vector<double> out(annotators, median_of(std::move(all)));
  for (std::size_t a = 0; a < annotators; ++a) {
    if (with[a].size() >= kLeastPartners) out[a] = median_of(std::move(with[a]));
    out[a] = std::max(out[a], kLeastUsual);
  }
  return out;
}

// Above this correlation a pair is no longer two annotators: what the rates of both allow, and as
// much beyond it as other pairs are off. Where most pairs agree nearly always, the labels are easy
// and nobody stands out.
std::vector<double> cuts_of(const std::vector<AlikePair>& pairs, const std::vector<bool>& copies,
                            std::size_t annotators) {
  const std::vector<double> usual = usual_of(pairs, copies, annotators);
  std::vector<double> allowed, scale, apart;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    allowed.push_back(usual[pairs[k].a] * usual[pairs[k].b]);
    if (!copies[k]) scale.push_back(allowed[k] / std::max(pairs[k].correlation, kLeastUsual));
  }
  // Independent witnesses correlate by the product of how far each goes by the truth.
  const double common = median_of(std::move(scale));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    allowed[k] = std::min(allowed[k] / common, 1.0);
    if (!copies[k]) apart.push_back(std::abs(pairs[k].correlation - allowed[k]));
  }
  const double beyond = 3 * 1.48 * median_of(std::move(apart));
  for (double& cut : allowed)
    cut = std::max(std::clamp(cut + beyond, kLowestCut, kHighestCut), cut + kLeastApart);
  return allowed;
}

std::vector<AlikePair> find_alike(const Votes& votes, std::size_t labels) {
  std::vector<AlikePair> pairs = Correlations(votes, labels).all();
  std::vector<bool> copies(pairs.size());
  std::vector<double> cuts;
  // Copies make each other look usual: they are left out once they are known.
  for (int round = 0; round < kRounds && !pairs.empty(); ++round) {
    cuts = cuts_of(pairs, copies, votes.annotators().size());
    for (std::size_t k = 0; k < pairs.size(); ++k) copies[k] = pairs[k].correlation > cuts[k];
    if (std::ranges::count(copies, true) == std::ssize(copies)) break;
  }
  std::vector<AlikePair> out;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!copies[k]) continue;
    out.push_back(pairs[k]);
    out.back().discount = std::clamp((pairs[k].correlation - cuts[k]) / kRamp, 0.0, 1.0);
  }
  return out;
}

}  // namespace

namespace {

// Two copies of the same original are copies of each other, even if chance set them apart a little.
void join_copies(std::unordered_map<std::uint64_t, double>& discount,
                 const std::vector<AlikePair>& alike) {
  const auto raise = [&](std::size_t a, std::size_t b, double to) {
    if (a == b) return;
    double& now = discount[(std::uint64_t{std::min(a, b)} << 32) | std::max(a, b)];
    now = std::max(now, to);
  };
  for (const AlikePair& x : alike)
    for (const AlikePair& y : alike) {
      const double both = std::min(x.discount, y.discount);
      if (x.a == y.a) raise(x.b, y.b, both);
      if (x.a == y.b) raise(x.b, y.a, both);
      if (x.b == y.a) raise(x.a, y.b, both);
      if (x.b == y.b) raise(x.a, y.a, both);
    }
}

}  // namespace

VoteWeights weigh_votes(const Votes& votes, std::size_t labels, const CrowdOptions& options) {
  VoteWeights out;
  if (options.find_copies) out.alike = find_alike(votes, labels);
  const std::span<const std::uint32_t> groups =
      options.groups.empty() ? votes.groups() : std::span(options.groups);
  if (out.alike.empty() && groups.empty()) return out;
  std::unordered_map<std::uint64_t, double> discount;
  for (const AlikePair& pair : out.alike)
    discount[(std::uint64_t{pair.a} << 32) | pair.b] = pair.discount;
  if (out.alike.size() <= kMostJoined) join_copies(discount, out.alike);
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    if (!groups.empty() && groups[a] != kNoGroup && groups[a] == groups[b]) return 1.0;
    const auto found = discount.find((std::uint64_t{std::min(a, b)} << 32) | std::max(a, b));
    return found == discount.end() ? 0.0 : found->second;
  };
  out.weights.assign(votes.annotations(), 1.0F);
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t i = votes.first_annotation(row); i < votes.first_annotation(row + 1); ++i) {
      double others = 0;
      for (std::size_t j = votes.first_annotation(row); j < votes.first_annotation(row + 1); ++j)
        if (j != i) others += between(votes.annotator(i), votes.annotator(j));
      out.weights[i] = static_cast<float>(1 / (1 + others));
    }
  std::ranges::stable_sort(out.alike, [](const AlikePair& x, const AlikePair& y) {
    return x.correlation > y.correlation;
  });
  return out;
}

}  // namespace sieve
