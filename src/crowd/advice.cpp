#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "crowd/crowd_members.h"
#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// Keeps the first `most` in the given order.
template <class Item, class Before>
void keep_first(std::vector<Item>& items, std::size_t most, Before&& before) {
  std::ranges::stable_sort(items, before);
  if (items.size() > most) items.resize(most);
}

// Calls visit(row, annotation, probabilities) for each annotation of an annotator.
template <class Visit>
void for_each_annotation(const CrowdModel& model, const CrowdView& view, std::size_t annotator,
                         Visit&& visit) {
  CrowdRow at(model, view);
  std::vector<float> probabilities(view.labels);
  for (std::size_t row = 0; row < view.rows(); ++row)
    for (std::size_t annotation = view.votes->first_annotation(row);
         annotation < view.votes->first_annotation(row + 1); ++annotation) {
      if (view.votes->annotator(annotation) != annotator) continue;
      model.probabilities(at, row, probabilities);
      visit(row, annotation, probabilities);
    }
}

// By how much one more vote of an average annotator is expected to lower the chance of a wrong
// decision on a label that is right with this probability.
double gain_of(double right, const CrowdRow::OneMore& more) {
  const auto risk = [](double p) { return std::min(p, 1 - p); };
  const double odds = log_odds_of(right), now = log_odds_of(more.now);
  const double after =
      more.tick * risk(probability_of(odds + log_odds_of(more.if_ticked) - now)) +
      (1 - more.tick) * risk(probability_of(odds + log_odds_of(more.if_passed) - now));
  return std::max(0.0, risk(right) - after);
}

}  // namespace

std::vector<CellProbability> worst_ticks(const CrowdModel& model, const CrowdView& view,
                                         std::size_t annotator, std::size_t most) {
  std::vector<CellProbability> ticks;
  for_each_annotation(model, view, annotator,
                      [&](std::size_t row, std::size_t annotation, const auto& probabilities) {
                        for (const std::uint32_t l : view.votes->ticked(annotation))
                          ticks.push_back({row, l, probabilities[l]});
                      });
  keep_first(ticks, most, [](const CellProbability& a, const CellProbability& b) {
    return a.probability < b.probability;
  });
  return ticks;
}

std::vector<Confusion> confusions(const CrowdModel& model, const CrowdView& view,
                                  std::size_t annotator, std::size_t most) {
  MatrixD times(view.labels, view.labels);
  const auto passed = [&](std::size_t annotation, std::uint32_t l) {
    return view.votes->speaks_of(annotation, l) &&
           !std::ranges::binary_search(view.votes->ticked(annotation), l);
  };
  for_each_annotation(model, view, annotator,
                      [&](std::size_t, std::size_t annotation, const auto& probabilities) {
                        for (const std::uint32_t m : view.votes->ticked(annotation))
                          for (std::size_t l = 0; l < view.labels; ++l)
                            if (passed(annotation, static_cast<std::uint32_t>(l)))
                              times(l, m) += static_cast<double>(probabilities[l]) *
                                             (1 - static_cast<double>(probabilities[m]));
                      });
  std::vector<Confusion> pairs;
  for (std::size_t l = 0; l < view.labels; ++l)
    for (std::size_t m = 0; m < view.labels; ++m)
      if (times(l, m) > 0) pairs.push_back({l, m, times(l, m)});
  keep_first(pairs, most, [](const Confusion& a, const Confusion& b) { return a.times > b.times; });
  return pairs;
}

std::vector<Question> ask_next(const CrowdModel& model, const CrowdView& view, AskFor what,
                               std::size_t budget, ThreadPool& pool) {
  constexpr std::size_t kBlock = 512;
  const auto before = [](const Question& a, const Question& b) { return a.gain > b.gain; };
  std::vector<std::vector<Question>> found((view.rows() + kBlock - 1) / kBlock);
  pool.for_blocks(view.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    CrowdRow at(model, view);
    std::vector<float> probabilities(view.labels);
    std::vector<Question>& questions = found[first / kBlock];
    for (std::size_t row = first; row < last; ++row) {
      model.probabilities(at, row, probabilities);
      Question best{row, 0, 0};
      double all = 0;
      for (std::size_t l = 0; l < view.labels; ++l) {
        const Question cell{row, l, gain_of(static_cast<double>(probabilities[l]), at.one_more(l))};
        all += cell.gain;
        if (cell.gain > best.gain) best = cell;
        if (what == AskFor::Cells && cell.gain > 0) questions.push_back(cell);
      }
      best.gain = all;
      if (what == AskFor::Rows && all > 0) questions.push_back(best);
    }
    keep_first(questions, budget, before);
  });
  std::vector<Question> all;
  for (const auto& questions : found) all.insert(all.end(), questions.begin(), questions.end());
  keep_first(all, budget, before);
  return all;
}

namespace {

// Half of the largest expected F1 that keeping the first few of these cells gives.
double half_of_best_f1(std::vector<float> cells) {
  std::ranges::sort(cells, std::greater<>());
  double right = 0, kept = 0, best = 0, found = 0;
  for (const float cell : cells) right += static_cast<double>(cell);
  for (const float cell : cells) {
    found += static_cast<double>(cell);
    kept += 1;
    best = std::max(best, 2 * found / (kept + right));
  }
  return best / 2;
}

}  // namespace

double keeping_threshold(const Matrix& probabilities, CleanFor what) {
  if (what == CleanFor::Hamming) return 0.5;
  std::vector<float> cells;
  for (std::size_t row = 0; row < probabilities.rows(); ++row)
    cells.insert(cells.end(), probabilities.row(row).begin(), probabilities.row(row).end());
  return half_of_best_f1(std::move(cells));
}

double keeping_threshold(const CandidateScores& probabilities, const LabelMatrix& candidates,
                         CleanFor what) {
  if (what == CleanFor::Hamming) return 0.5;
  std::vector<float> cells;
  for (std::size_t row = 0; row < candidates.rows(); ++row)
    candidates.for_each(row, [&](std::size_t l) { cells.push_back(probabilities(row, l)); });
  return half_of_best_f1(std::move(cells));
}

namespace {

// Rows with this number of annotations, those of each annotator (the first of a row) in turn.
void add_in_turn(const Votes& votes, std::size_t annotations, std::size_t budget,
                 std::vector<Question>& asked) {
  std::vector<std::vector<std::size_t>> rows_of(votes.annotators().size());
  for (std::size_t row = 0; row < votes.rows(); ++row)
    if (votes.annotations(row) == annotations)
      rows_of[votes.annotator(votes.first_annotation(row))].push_back(row);
  bool any = true;
  for (std::size_t turn = 0; any; ++turn) {
    any = false;
    for (const std::vector<std::size_t>& rows : rows_of) {
      if (turn >= rows.size()) continue;
      if (asked.size() == budget) return;
      asked.push_back({rows[turn], 0, std::numeric_limits<double>::quiet_NaN()});
      any = true;
    }
  }
}

}  // namespace

std::vector<Question> ask_for_overlap(const Votes& votes, std::size_t budget) {
  std::vector<Question> asked;
  for (const std::size_t annotations : {std::size_t{1}, std::size_t{2}})
    add_in_turn(votes, annotations, budget, asked);
  return asked;
}

}  // namespace sieve
