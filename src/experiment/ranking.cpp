#include "experiment/ranking.h"

#include <algorithm>
#include <numeric>

namespace sieve {

std::vector<std::vector<std::size_t>> indistinct_groups(const std::vector<double>& mean_ranks,
                                                        double difference) {
  std::vector<std::size_t> order(mean_ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return mean_ranks[m]; });
  std::vector<std::vector<std::size_t>> groups;
  std::size_t covered = 0;  // where the last group ends: a group must reach beyond it
  for (std::size_t first = 0; first < order.size(); ++first) {
    std::size_t last = first;
    while (last < order.size() && mean_ranks[order[last]] - mean_ranks[order[first]] < difference)
      ++last;
    if (last - first < 2 || last <= covered) continue;
    groups.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(first),
                        order.begin() + static_cast<std::ptrdiff_t>(last));
    covered = last;
  }
  return groups;
}

std::optional<Ranking> rank_methods(const std::vector<std::vector<Cell>>& cells,
                                    const std::vector<bool>& oracle, bool larger_is_better) {
  Ranking ranking;
  for (std::size_t m = 0; m < oracle.size(); ++m)
    if (!oracle[m] &&
        std::ranges::any_of(cells, [&](const auto& row) { return row[m].complete(); }))
      ranking.methods.push_back(m);
  std::vector<const std::vector<Cell>*> rows;
  for (const std::vector<Cell>& row : cells)
    if (std::ranges::all_of(ranking.methods, [&](std::size_t m) { return row[m].complete(); }))
      rows.push_back(&row);
  const std::size_t methods = ranking.methods.size();
  if (rows.size() < 2 || methods < 2) return std::nullopt;

  MatrixD means(rows.size(), methods);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t m = 0; m < methods; ++m) means(i, m) = (*rows[i])[ranking.methods[m]].mean;
  ranking.friedman = friedman_test(means, larger_is_better);
  ranking.critical_difference = nemenyi_difference(methods, rows.size(), kLevel);
  ranking.groups = indistinct_groups(ranking.friedman.mean_ranks, ranking.critical_difference);
  for (std::vector<std::size_t>& group : ranking.groups)
    for (std::size_t& member : group) member = ranking.methods[member];
  return ranking;
}

}  // namespace sieve
