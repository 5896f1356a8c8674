#include "experiment/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "experiment/results_file.h"
#include "experiment/task.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/options.h"

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

std::optional<Ranking> rank_methods(const std::vector<std::vector<MeanCell>>& cells,
                                    const std::vector<bool>& oracle, bool larger_is_better) {
  Ranking ranking;
  for (std::size_t m = 0; m < oracle.size(); ++m)
    if (!oracle[m] &&
        std::ranges::any_of(cells, [&](const auto& row) { return row[m].complete(); }))
      ranking.methods.push_back(m);
  std::vector<const std::vector<MeanCell>*> rows;
  for (const std::vector<MeanCell>& row : cells)
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

namespace {

// The last result of a task by its key.
using ResultsByKey = std::map<std::string, const Result*>;

// How much of a part of the plan is done.
struct Part {
  std::size_t planned = 0, done = 0, failed = 0;
  std::string reason;  // of the last failure

  void add(const Result* result) {
    ++planned;
    if (result == nullptr) return;
    ++(result->done() ? done : failed);
    if (!result->done()) reason = result->reason.substr(0, result->reason.find('\n'));
  }
  bool untouched() const { return done == 0 && failed == 0; }
};

std::string line_of(const std::string& name, const Part& part) {
  if (part.untouched()) return fmt::format("{}: none of {} tasks", name, part.planned);
  return fmt::format(
      "{}: {} of {} tasks{}", name, part.done, part.planned,
      part.failed == 0 ? "" : fmt::format(", {} failed: {}", part.failed, part.reason));
}

ResultsByKey results_by_key(const std::vector<Result>& results) {
  ResultsByKey by_key;
  for (const Result& result : results) by_key[result.task.key] = &result;
  return by_key;
}

// Null unless the task is done.
const Result* find_done(const ResultsByKey& results, const Task& task) {
  const auto found = results.find(task.key);
  return found != results.end() && found->second->done() ? found->second : nullptr;
}

// What is not done, in as few lines as possible: a data set of which nothing is done, a variant, or
// a method on a variant with the number of repeats done and the reason for a failure.
std::vector<std::string> missing_lines(const std::vector<Task>& tasks,
                                       const ResultsByKey& results) {
  std::map<std::string, Part> parts;  // by data set, variant, and method on a variant
  std::vector<std::string> cells;     // the latter in order
  for (const Task& task : tasks) {
    const auto found = results.find(task.key);
    const Result* result = found == results.end() ? nullptr : found->second;
    const std::string variant = task.data_set + "/" + task.noise;
    const std::string cell = variant + "/" + task.method;
    if (!parts.contains(cell)) cells.push_back(cell);
    for (const std::string& name : {task.data_set, variant, cell}) parts[name].add(result);
  }
  std::vector<std::string> lines;
  for (const std::string& cell : cells) {
    // The widest part of which nothing is done is listed once, and covers its smaller parts.
    std::string name = cell;
    for (std::size_t slash = cell.find('/'); slash != std::string::npos;
         slash = cell.find('/', slash + 1))
      if (parts[cell.substr(0, slash)].untouched()) {
        name = cell.substr(0, slash);
        break;
      }
    const Part& part = parts[name];
    if (part.done == part.planned) continue;
    const std::string line = line_of(name, part);
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return lines;
}

constexpr double kShown = 1000;  // means are shown, and called best, in three decimals

MetricInfo metric_named(const std::string& key) {
  std::vector<std::string> keys;
  for (const MetricInfo& metric : all_metrics()) {
    if (metric.key == key) return metric;
    keys.push_back(metric.key);
  }
  throw Error(Failure::Usage, "there is no measure '" + key + "'", {},
              did_you_mean(key, keys, fmt::format("they are: {}", fmt::join(keys, ", "))));
}

MeanCell make_cell(const std::vector<const Task*>& tasks, const ResultsByKey& results,
                   const std::string& measure) {
  MeanCell cell;
  cell.planned = tasks.size();
  for (const Task* task : tasks) {
    const Result* result = find_done(results, *task);
    const double value = result == nullptr ? kNaN : result->measure(measure);
    if (!std::isfinite(value)) continue;
    cell.values.push_back(value);
    cell.seeds.push_back(task->seed);
  }
  const auto count = static_cast<double>(cell.values.size());
  if (cell.values.size() < cell.planned || cell.planned == 0) return cell;
  cell.mean = std::accumulate(cell.values.begin(), cell.values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : cell.values) squares += (value - cell.mean) * (value - cell.mean);
  if (count > 1) cell.std = std::sqrt(squares / (count - 1));
  return cell;
}

// Ranks and the best of a row, over its complete cells but oracles.
void judge_row(std::vector<MeanCell>& row, const std::vector<bool>& oracle, bool larger_is_better) {
  const double sign = larger_is_better ? -1 : 1;
  std::vector<MeanCell*> rivals;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < row.size(); ++m) {
    if (!row[m].complete() || oracle[m]) continue;
    rivals.push_back(&row[m]);
    best = std::min(best, std::round(sign * row[m].mean * kShown));
  }
  for (MeanCell* cell : rivals) {
    cell->best = std::round(sign * cell->mean * kShown) == best;
    double before = 0, same = 0;
    for (const MeanCell* other : rivals) {
      before += sign * other->mean < sign * cell->mean ? 1 : 0;
      same += other->mean == cell->mean ? 1 : 0;
    }
    cell->rank = before + (same + 1) / 2;
  }
}

// The values of both cells at the seeds they share.
std::pair<std::vector<double>, std::vector<double>> matched(const MeanCell& a, const MeanCell& b) {
  std::pair<std::vector<double>, std::vector<double>> both;
  for (std::size_t i = 0; i < a.seeds.size(); ++i)
    for (std::size_t j = 0; j < b.seeds.size(); ++j)
      if (a.seeds[i] == b.seeds[j]) {
        both.first.push_back(a.values[i]);
        both.second.push_back(b.values[j]);
      }
  return both;
}

void count(Counts& counts, const TestResult& test, bool larger_is_better) {
  switch (verdict(test, kLevel, larger_is_better)) {
    case Verdict::Win:
      ++counts.wins;
      break;
    case Verdict::Tie:
      ++counts.ties;
      break;
    case Verdict::Loss:
      ++counts.losses;
      break;
  }
}

std::vector<Duel> make_duels(const Comparison& all, const MeasureTable& table) {
  const bool larger = table.metric.better == Direction::HigherIsBetter;
  std::vector<Duel> duels;
  for (std::size_t m = 0; m < all.methods.size(); ++m) {
    if (m == all.control) continue;
    Duel duel{m, {}, {}};
    for (std::size_t v = 0; v < all.variants.size(); ++v) {
      const MeanCell &control = table.cells[v][all.control], &other = table.cells[v][m];
      if (!control.complete() || !other.complete()) continue;
      const auto [ours, theirs] = matched(control, other);
      if (ours.size() < 2) continue;
      duel.repeats = duel.repeats == 0 ? ours.size() : std::min(duel.repeats, ours.size());
      count(duel.plain, paired_t_test(ours, theirs), larger);
      count(duel.corrected,
            corrected_t_test(ours, theirs, static_cast<double>(all.variants[v].test_rows),
                             static_cast<double>(all.variants[v].train_rows)),
            larger);
    }
    if (duel.repeats > 0) duels.push_back(duel);
  }
  return duels;
}

// All planned cells before it is known which are worth showing: variants x methods -> tasks.
struct Grid {
  std::vector<Variant> variants;
  std::vector<std::string> methods;
  std::map<std::pair<std::string, std::string>, std::vector<const Task*>> tasks;

  const std::vector<const Task*>& at(const Variant& variant, const std::string& method) const {
    static const std::vector<const Task*> none;
    const auto found = tasks.find({variant.data_set + "/" + variant.noise, method});
    return found == tasks.end() ? none : found->second;
  }
};

Grid make_grid(const std::vector<Task>& tasks) {
  Grid grid;
  for (const Task& task : tasks) {
    const auto same = [&](const Variant& variant) {
      return variant.data_set == task.data_set && variant.noise == task.noise;
    };
    if (std::ranges::none_of(grid.variants, same))
      grid.variants.push_back({.data_set = task.data_set, .noise = task.noise});
    if (std::ranges::find(grid.methods, task.method) == grid.methods.end())
      grid.methods.push_back(task.method);
    grid.tasks[{task.data_set + "/" + task.noise, task.method}].push_back(&task);
  }
  return grid;
}

// Leaves the variants and methods that have a cell whose tasks are all done.
void drop_unfinished(Grid& grid, const ResultsByKey& results) {
  const auto finished = [&](const Variant& variant, const std::string& method) {
    const auto& tasks = grid.at(variant, method);
    return !tasks.empty() && std::ranges::all_of(tasks, [&](const Task* task) {
      return find_done(results, *task) != nullptr;
    });
  };
  const std::vector<std::string> methods = grid.methods;
  std::erase_if(grid.variants, [&](const Variant& variant) {
    return std::ranges::none_of(
        methods, [&](const std::string& method) { return finished(variant, method); });
  });
  std::erase_if(grid.methods, [&](const std::string& method) {
    return std::ranges::none_of(grid.variants,
                                [&](const Variant& variant) { return finished(variant, method); });
  });
}

// Shape and number of candidates, as the results of the variant tell.
void describe(Variant& variant, const Grid& grid, const ResultsByKey& results) {
  double sum = 0;
  std::size_t known = 0;
  for (const std::string& method : grid.methods)
    for (const Task* task : grid.at(variant, method))
      if (const Result* result = find_done(results, *task)) {
        variant.train_rows = result->train_rows;
        variant.test_rows = result->test_rows;
        variant.features = result->features;
        variant.labels = result->labels;
        sum += result->candidates;
        ++known;
      }
  variant.candidates = sum / static_cast<double>(known);
}

Origin origin_of(const std::string& method, const Grid& grid, const ResultsByKey& results) {
  Origin origin;
  std::size_t known = 0;
  for (const Variant& variant : grid.variants)
    for (const Task* task : grid.at(variant, method)) {
      const Result* result = find_done(results, *task);
      if (result == nullptr) continue;
      const std::string day = result->finished.substr(0, result->finished.find('T'));
      origin.versions.insert(result->version);
      if (!result->processor.empty()) origin.processors.insert(result->processor);
      if (known == 0 || day < origin.first) origin.first = day;
      origin.last = std::max(origin.last, day);
      origin.fit_seconds += result->fit_seconds;
      ++known;
    }
  origin.fit_seconds /= static_cast<double>(std::max<std::size_t>(known, 1));
  return origin;
}

bool is_oracle(const Grid& grid, const std::string& method) {
  for (const auto& [cell, tasks] : grid.tasks)
    if (cell.second == method) {
      const MethodInfo* info = find_method(tasks.front()->learner);
      return info != nullptr && info->oracle;
    }
  return false;
}

std::size_t control_index(const Comparison& all, const std::string& wanted) {
  const std::vector<std::string>& methods = all.methods;
  if (wanted.empty()) {
    const auto first = std::ranges::find(all.oracle, false);
    return first == all.oracle.end() ? 0 : static_cast<std::size_t>(first - all.oracle.begin());
  }
  const auto found = std::ranges::find(methods, wanted);
  if (found == methods.end())
    throw Error(
        Failure::Usage, "no method '" + wanted + "' is complete on any data set", {},
        did_you_mean(wanted, methods, fmt::format("these are: {}", fmt::join(methods, ", "))));
  return static_cast<std::size_t>(found - methods.begin());
}

MeasureTable make_table(const MetricInfo& metric, const Comparison& all, const Grid& grid,
                        const ResultsByKey& results) {
  const bool larger = metric.better == Direction::HigherIsBetter;
  MeasureTable table{metric, {}, {}, {}};
  for (const Variant& variant : all.variants) {
    std::vector<MeanCell> row;
    for (const std::string& method : all.methods) {
      row.push_back(make_cell(grid.at(variant, method), results, metric.key));
      row.back().paper = paper_result(metric.key, variant.data_set, variant.noise, method);
    }
    judge_row(row, all.oracle, larger);
    table.cells.push_back(std::move(row));
  }
  table.duels = make_duels(all, table);
  table.ranking = rank_methods(table.cells, all.oracle, larger);
  return table;
}

}  // namespace

Comparison compare(const StoredResults& all_results, const CompareOptions& options) {
  Comparison all;
  const StoredResults stored = current_results(all_results, all.left_out);
  const std::vector<Task> tasks = select_tasks(stored.tasks, options.only);
  const ResultsByKey results = results_by_key(stored.results);
  Grid grid = make_grid(tasks);
  drop_unfinished(grid, results);
  if (grid.variants.empty())
    throw Error(Failure::Data, "there is nothing to compare: no method is done with all repeats",
                {},
                "finish the experiment, or choose seeds that are done: " + term("only", "seed-1"));

  all.plan = stored.plan;
  all.variants = grid.variants;
  all.methods = grid.methods;
  for (const std::string& method : all.methods) {
    all.oracle.push_back(is_oracle(grid, method));
    all.origins.push_back(origin_of(method, grid, results));
  }
  all.control = control_index(all, options.control);
  for (Variant& variant : all.variants) describe(variant, grid, results);
  for (const std::string& key : options.measures.empty() ? stored.plan.measures : options.measures)
    all.tables.push_back(make_table(metric_named(key), all, grid, results));
  if (all.tables.empty())
    throw Error(Failure::Data, "the plan in the store names no measure to compare by", {},
                "name some: " + term("measures", "hamming-loss,average-precision"));
  all.planned = tasks.size();
  for (const Task& task : tasks) {
    const auto found = results.find(task.key);
    if (found != results.end()) ++(found->second->done() ? all.done : all.failed);
  }
  all.missing = missing_lines(tasks, results);
  return all;
}

std::vector<Change> changes_since(const Comparison& before, const Comparison& now,
                                  std::size_t& compared) {
  std::map<std::vector<std::string>, double> earlier;  // means by measure, data, noise, method
  const auto for_each_cell = [](const Comparison& all, auto&& use) {
    for (const MeasureTable& table : all.tables)
      for (std::size_t v = 0; v < all.variants.size(); ++v)
        for (std::size_t m = 0; m < all.methods.size(); ++m)
          if (const MeanCell& cell = table.cells[v][m]; cell.complete())
            use(std::vector{table.metric.key, all.variants[v].data_set, all.variants[v].noise,
                            all.methods[m]},
                cell);
  };
  for_each_cell(before, [&](const auto& key, const MeanCell& cell) { earlier[key] = cell.mean; });
  std::vector<Change> changes;
  compared = 0;
  for_each_cell(now, [&](const auto& key, const MeanCell& cell) {
    const auto found = earlier.find(key);
    if (found == earlier.end()) return;
    ++compared;
    const double error = cell.std / std::sqrt(static_cast<double>(cell.values.size()));
    const double moved = std::abs(cell.mean - found->second);
    if (moved > error || (std::isnan(error) && moved > 0))
      changes.push_back({key[0], key[1], key[2], key[3], found->second, cell.mean, error});
  });
  return changes;
}

}  // namespace sieve
