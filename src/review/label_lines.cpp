#include "review/label_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "crowd/bernoulli_fit.h"
#include "crowd/log_odds.h"

namespace sieve {
namespace {

constexpr std::size_t kMostCompanions = 16;
// Of the weight of a companion. Chosen on xray, brighter (seed 20) and a simulated crowd (seed 1).
constexpr double kCompanionPrecision = 3;

// How likely each label of a row is, before any decision; 0 where nobody asks about it.
class RowProbabilities {
 public:
  RowProbabilities(const ReviewCells& cells, std::size_t labels)
      : cells_(cells), of_label_(labels, 0) {}

  void go_to(std::size_t row) {
    if (row == row_) return;
    if (row_ != ReviewCells::npos) fill(row_, [](const ReviewCell&) { return 0.0; });
    fill(row, [](const ReviewCell& cell) { return probability_of(double{cell.odds}); });
    row_ = row;
  }
  double operator[](std::size_t label) const { return of_label_[label]; }

 private:
  template <class Value>
  void fill(std::size_t row, Value&& value) {
    for (std::size_t i = cells_.first(row); i < cells_.first(row + 1); ++i)
      of_label_[cells_[i].at.label] = value(cells_[i]);
  }

  const ReviewCells& cells_;
  std::vector<double> of_label_;
  std::size_t row_ = ReviewCells::npos;
};

struct Answer {
  std::size_t cell = 0;
  double odds = 0;
  bool yes = false;
};

// Those of each label, in the order of the cells.
std::vector<std::vector<Answer>> answers_by_label(const ReviewCells& cells, std::size_t labels,
                                                  std::span<const DecidedCell> decided) {
  std::vector<std::vector<Answer>> by_label(labels);
  for (const DecidedCell& one : decided)
    for (std::size_t reviewer = 0; reviewer < one.outcome.looked; ++reviewer)
      by_label[cells[one.cell].at.label].push_back(
          {one.cell, double{cells[one.cell].odds}, reviewer < one.outcome.yes});
  for (auto& answers : by_label) std::ranges::stable_sort(answers, {}, &Answer::cell);
  return by_label;
}

// Offset, the logarithm of the temper, and weights; `beside` has the values of an answer that are
// weighted.
template <class Beside>
std::vector<double> fit_line(std::span<const Answer> answers, const NormalPrior& prior,
                             Beside&& beside) {
  const auto mean = [&](std::size_t item, std::span<const double> p, std::span<double> slope) {
    const std::span<const double> values = beside(item);
    const double tempered = std::exp(p[1]) * answers[item].odds;
    double odds = p[0] + tempered;
    for (std::size_t k = 0; k < values.size(); ++k) odds += p[2 + k] * values[k];
    const double seen = probability_of(odds);
    const double by_seen = (2 * kReviewerIsRight - 1) * seen * (1 - seen);
    slope[0] = by_seen;
    slope[1] = by_seen * tempered;
    for (std::size_t k = 0; k < values.size(); ++k) slope[2 + k] = by_seen * values[k];
    return BernoulliCase{kept_inside(kReviewerIsRight * seen + (1 - kReviewerIsRight) * (1 - seen)),
                         answers[item].yes};
  };
  return fit_bernoulli(answers.size(), mean, prior, prior.centre).parameters;
}

std::vector<double> fit_common(const std::vector<std::vector<Answer>>& by_label, Trust trust) {
  std::vector<Answer> all;
  for (const auto& answers : by_label) all.insert(all.end(), answers.begin(), answers.end());
  const NormalPrior any{{0, 0},
                        trust == Trust::Votes ? std::vector{4.0, 10.0} : std::vector{1.0, 4.0}};
  return fit_line(all, any, [](std::size_t) { return std::span<const double>(); });
}

// The labels that stand most in the rows of these answers.
std::vector<LabelLine::Companion> companions_of(std::uint32_t label,
                                                std::span<const Answer> answers,
                                                const ReviewCells& cells, std::size_t labels) {
  std::vector<double> mass(labels, 0);
  std::vector<std::uint32_t> found;
  for (const Answer& answer : answers) {
    const std::size_t row = cells[answer.cell].at.row;
    for (std::size_t i = cells.first(row); i < cells.first(row + 1); ++i) {
      const std::uint32_t other = cells[i].at.label;
      if (other == label) continue;
      if (mass[other] == 0) found.push_back(other);
      mass[other] += probability_of(double{cells[i].odds});
    }
  }
  std::ranges::sort(found, {}, [&](std::uint32_t other) { return std::pair(-mass[other], other); });
  found.resize(std::min(found.size(), kMostCompanions));
  std::vector<LabelLine::Companion> companions;
  for (const std::uint32_t other : found) companions.push_back({.label = other});
  return companions;
}

void find_usual(const ReviewCells& cells, std::vector<LabelLine>& lines) {
  RowProbabilities row(cells, lines.size());
  std::vector<double> count(lines.size(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    LabelLine& line = lines[cells[i].at.label];
    ++count[cells[i].at.label];
    if (line.companions.empty()) continue;
    row.go_to(cells[i].at.row);
    for (LabelLine::Companion& one : line.companions) one.usual += row[one.label];
  }
  for (std::size_t label = 0; label < lines.size(); ++label)
    for (LabelLine::Companion& one : lines[label].companions) one.usual /= count[label];
}

void fit_label(std::span<const Answer> answers, const std::vector<double>& common, Trust trust,
               RowProbabilities& row, const ReviewCells& cells, LabelLine& line) {
  const std::size_t width = line.companions.size();
  std::vector<double> values;
  for (const Answer& answer : answers) {
    row.go_to(cells[answer.cell].at.row);
    for (const LabelLine::Companion& one : line.companions)
      values.push_back(row[one.label] - one.usual);
  }
  const bool votes = trust == Trust::Votes;
  NormalPrior usual{common, {votes ? 10.0 : 3.0, votes ? 30.0 : 10.0}};
  usual.centre.resize(2 + width, 0);
  usual.precision.resize(2 + width, kCompanionPrecision);
  const std::vector<double> fitted = fit_line(answers, usual, [&](std::size_t item) {
    return std::span<const double>(values).subspan(item * width, width);
  });
  line.offset = fitted[0];
  line.temper = std::exp(fitted[1]);
  for (std::size_t k = 0; k < width; ++k) line.companions[k].weight = fitted[2 + k];
}

}  // namespace

std::vector<LabelLine> fit_label_lines(const ReviewCells& cells, std::size_t labels,
                                       std::span<const DecidedCell> decided, Trust trust) {
  const std::vector<std::vector<Answer>> by_label = answers_by_label(cells, labels, decided);
  const std::vector<double> common = fit_common(by_label, trust);
  std::vector<LabelLine> lines(labels, {.offset = common[0], .temper = std::exp(common[1])});
  for (std::size_t label = 0; label < labels; ++label)
    lines[label].companions =
        companions_of(static_cast<std::uint32_t>(label), by_label[label], cells, labels);
  find_usual(cells, lines);
  RowProbabilities row(cells, labels);
  for (std::size_t label = 0; label < labels; ++label)
    if (!by_label[label].empty())
      fit_label(by_label[label], common, trust, row, cells, lines[label]);
  return lines;
}

std::vector<float> probabilities_by(const ReviewCells& cells, const std::vector<LabelLine>& lines) {
  RowProbabilities row(cells, lines.size());
  std::vector<float> right(cells.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    const LabelLine& line = lines[cells[i].at.label];
    double odds = line.offset + line.temper * double{cells[i].odds};
    if (!line.companions.empty()) row.go_to(cells[i].at.row);
    for (const LabelLine::Companion& one : line.companions)
      odds += one.weight * (row[one.label] - one.usual);
    right[i] = static_cast<float>(kept_inside(probability_of(odds)));
  }
  return right;
}

}  // namespace sieve
