#include "methods/neighbours/neighbours_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/neighbours.h"

namespace sieve {
namespace {

constexpr int kRounds = 25;
constexpr double kOthers = 0.9;  // of what a row says after a round is its neighbours'
constexpr std::size_t kRowsAtOnce = 256;

}  // namespace

RowGraph::RowGraph(const Features& rows, ThreadPool& pool, Progress& progress) {
  const std::size_t count = rows.rows();
  const Neighbours near =
      nearest_neighbours(rows, rows, kNeighbours, Self::Excluded, pool, progress);
  const auto reach = [&](std::size_t i) { return near.distances(i).back() + kTiniest; };
  std::vector<std::vector<std::pair<std::uint32_t, double>>> ties(count);
  std::vector<double> sums(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t n = 0; n < near.count; ++n) {
      const std::uint32_t j = near.of(i)[n];
      const double d = near.distances(i)[n], strength = std::exp(-d * d / (reach(i) * reach(j)));
      ties[i].emplace_back(j, strength);
      ties[j].emplace_back(static_cast<std::uint32_t>(i), strength);
    }
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::sort(ties[i]);
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    ties[i].erase(std::unique(ties[i].begin(), ties[i].end(), same), ties[i].end());
    for (const auto& [j, strength] : ties[i]) sums[i] += strength;
    sums[i] = std::sqrt(sums[i] + kTiniest);
  }
  starts_.push_back(0);
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& [j, strength] : ties[i]) {
      to_.push_back(j);
      strength_.push_back(static_cast<float>(kOthers * strength / (sums[i] * sums[j])));
    }
    starts_.push_back(to_.size());
  }
}

Matrix RowGraph::spread(const Matrix& given, ThreadPool& pool) const {
  Matrix now = given.clone(), next(given.rows(), given.cols());
  for (int round = 0; round < kRounds; ++round) {
    pool.for_blocks(given.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto into = next.row(i);
        const auto own = given.row(i);
        for (std::size_t k = 0; k < into.size(); ++k)
          into[k] = static_cast<float>(1 - kOthers) * own[k];
        for (std::size_t t = starts_[i]; t < starts_[i + 1]; ++t) {
          const auto from = std::as_const(now).row(to_[t]);
          for (std::size_t k = 0; k < into.size(); ++k) into[k] += strength_[t] * from[k];
        }
      }
    });
    std::swap(now, next);
  }
  return now;
}

Matrix mean_of_neighbours(const Features& rows, const Features& points, const Matrix& said,
                          ThreadPool& pool) {
  Progress silent;
  const Neighbours near =
      nearest_neighbours(rows, points, RowGraph::kNeighbours, Self::Allowed, pool, silent);
  Matrix out(rows.rows(), said.cols());
  pool.for_blocks(rows.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> sums(said.cols());
    for (std::size_t i = first; i < last; ++i) {
      std::ranges::fill(sums, 0.0);
      const double reach = near.distances(i).back() + RowGraph::kTiniest;
      double all = 0;
      for (std::size_t n = 0; n < near.count; ++n) {
        const double part = near.distances(i)[n] / reach, weight = std::exp(-part * part);
        all += weight;
        const auto from = said.row(near.of(i)[n]);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += weight * double{from[k]};
      }
      for (std::size_t k = 0; k < sums.size(); ++k) out(i, k) = static_cast<float>(sums[k] / all);
    }
  });
  return out;
}

}  // namespace sieve
