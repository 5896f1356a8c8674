#include "crowd/fit_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crowd/strength.h"

namespace sieve {
namespace {

constexpr std::size_t kMostAnnotations = 4'000'000;
constexpr std::size_t kMostKnots = 4096;
constexpr float kLeastStep = 1e-4F;  // of log-odds: cells that are ranked apart stay apart

// What the members say of the ticked cells of a label.
struct Cells {
  std::vector<float> odds, strength, others, mixed, plain;
  void add(const Cells& other) {
    odds.insert(odds.end(), other.odds.begin(), other.odds.end());
    strength.insert(strength.end(), other.strength.begin(), other.strength.end());
    others.insert(others.end(), other.others.begin(), other.others.end());
    mixed.insert(mixed.end(), other.mixed.begin(), other.mixed.end());
    plain.insert(plain.end(), other.plain.begin(), other.plain.end());
  }
};

std::vector<Cells> ticked_cells(const CrowdMembers& members, const Votes& votes, ThreadPool& pool) {
  const std::size_t stride = votes.annotations() / kMostAnnotations + 1;
  const Parts parts(votes.rows(), 0);
  std::vector<std::vector<Cells>> partial(parts.count);
  pool.for_each(parts.count, [&](std::size_t part) {
    std::vector<Cells> cells(members.labels);
    CrowdRow at(members, votes);
    for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
      if (votes.annotations(row) == 0 || row % stride != 0) continue;
      at.go_to(row);
      for (std::size_t l = 0; l < members.labels; ++l) {
        if (at.ticks()[l] == 0) continue;
        cells[l].odds.push_back(static_cast<float>(at.coins_odds(l)));
        cells[l].strength.push_back(static_cast<float>(at.mean_strength(l)));
        cells[l].others.push_back(static_cast<float>(at.others(l)));
        cells[l].mixed.push_back(static_cast<float>(at.mixed_odds(l)));
        cells[l].plain.push_back(static_cast<float>(at.plain_odds(l)));
      }
    }
    partial[part] = std::move(cells);
  });
  for (std::size_t part = 1; part < parts.count; ++part)
    for (std::size_t l = 0; l < members.labels; ++l) partial[0][l].add(partial[part][l]);
  return std::move(partial[0]);
}

// Mean and spread.
std::array<double, 2> scale_of(const std::vector<float>& values) {
  if (values.empty()) return {0, 1};
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(values.size());
  for (const float value : values) sum += double{value};
  const double mean = sum / count;
  for (const float value : values) squares += (double{value} - mean) * (double{value} - mean);
  return {mean, std::max(std::sqrt(squares / count), 1e-3)};
}

// The j-th smallest of both, between them: of strengths, a covariate makes a little too sure.
std::vector<float> between(std::vector<float> a, std::vector<float> b, double of_a) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = static_cast<float>(of_a * double{a[k]} + (1 - of_a) * double{b[k]});
  return a;
}

// `log_odds` are ascending.
RankCurve curve_of(std::vector<float> rank, const std::vector<float>& log_odds) {
  std::ranges::sort(rank);
  RankCurve all;
  for (std::size_t k = 0; k < rank.size();) {  // cells of the same rank share what they get
    const std::size_t first = k;
    double sum = 0;
    for (; k < rank.size() && rank[k] == rank[first]; ++k) sum += double{log_odds[k]};
    const auto value = static_cast<float>(sum / static_cast<double>(k - first));
    all.rank.push_back(rank[first]);
    all.log_odds.push_back(
        all.log_odds.empty() ? value : std::max(value, all.log_odds.back() + kLeastStep));
  }
  if (all.rank.size() <= kMostKnots) return all;
  RankCurve some;
  for (std::size_t k = 0; k < kMostKnots; ++k) {
    const std::size_t at = k * (all.rank.size() - 1) / (kMostKnots - 1);
    some.rank.push_back(all.rank[at]);
    some.log_odds.push_back(all.log_odds[at]);
  }
  return some;
}

}  // namespace

void set_rank_curves(CrowdMembers& members, const Votes& votes, ThreadPool& pool) {
  const std::vector<Cells> cells = ticked_cells(members, votes, pool);
  members.odds_scale.resize(members.labels);
  members.strength_scale.resize(members.labels);
  members.curves.resize(members.labels);
  pool.for_each(members.labels, [&](std::size_t l) {
    members.odds_scale[l] = scale_of(cells[l].odds);
    members.strength_scale[l] = scale_of(cells[l].strength);
    std::vector<float> rank(cells[l].odds.size());
    for (std::size_t k = 0; k < rank.size(); ++k)
      rank[k] = static_cast<float>(members.rank(
          l, double{cells[l].odds[k]}, double{cells[l].strength[k]}, double{cells[l].others[k]}));
    members.curves[l] = curve_of(std::move(rank), between(cells[l].mixed, cells[l].plain,
                                                          0.5 + 0.5 * members.right_is_class));
  });
}

}  // namespace sieve
