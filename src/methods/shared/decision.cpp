#include "methods/shared/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "linalg/dense.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

// "feature 3 is 3e+38", of the largest in the row.
std::string largest_feature(const Features& x, std::size_t row) {
  std::size_t feature = 0;
  float largest = 0;
  for_each_entry(x, row, [&](std::size_t j, float value) {
    if (std::abs(value) > std::abs(largest)) feature = j, largest = value;
  });
  return fmt::format("feature {} is {:g}", feature + 1, largest);
}

}  // namespace

NotFinite::NotFinite(std::size_t row, std::string reason, const std::string& id)
    : Error(Failure::Data,
            fmt::format("row {}{} (counting from 1): {}", row + 1,
                        id.empty() ? "" : " '" + id + "'", reason),
            {}, "check the units of its features, or leave the row out"),
      row_(row),
      reason_(std::move(reason)) {}

// Without a way out of the loop, which is quicker for all but those that are not.
bool all_finite(std::span<const float> values) {
  bool finite = true;
  for (const float value : values) finite &= std::abs(value) <= std::numeric_limits<float>::max();
  return finite;
}

Matrix finite_scores(Matrix scores, const Features& x) {
  for (std::size_t i = 0; i < scores.rows(); ++i)
    if (!all_finite(scores.row(i)))
      throw NotFinite(i, "the model has no finite scores for it; " + largest_feature(x, i));
  return scores;
}

namespace {

constexpr double kPenalty = 1e-9;  // of the largest square: scores may be dependent

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Failure::Model, "the " + what + " of the model does not fit its labels");
}

// A finite tensor of `size` numbers.
const std::vector<float>& checked(const ModelState& state, const char* name, std::size_t size) {
  const std::vector<float>& values = state.tensor(name).values;
  if (values.size() != size ||
      !std::ranges::all_of(values, [](float v) { return std::isfinite(v); }))
    refuse(name);
  return values;
}

double regressed_cut(std::span<const float> scores, const std::vector<float>& weights) {
  double cut = weights.back();
  for (std::size_t k = 0; k < scores.size(); ++k) cut += double{scores[k]} * double{weights[k]};
  return cut;
}

void decide_top(std::span<const float> scores, std::size_t top, std::size_t row, LabelMatrix& out) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(top, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](std::size_t k) { return std::pair(-scores[k], k); });
  for (std::size_t r = 0; r < count; ++r) out.set(row, order[r]);
}

double best_cut(std::span<const float> scores, const LabelMatrix& right, std::size_t row) {
  std::vector<std::pair<float, bool>> sorted;
  for (std::size_t k = 0; k < scores.size(); ++k) sorted.emplace_back(scores[k], right.get(row, k));
  std::ranges::sort(sorted, {}, &std::pair<float, bool>::first);
  // Below all scores every label is on; each cut further up turns one more off.
  auto wrong = static_cast<std::ptrdiff_t>(sorted.size() - right.count(row)), fewest = wrong;
  std::size_t best = 0;
  for (std::size_t c = 1; c <= sorted.size(); ++c) {
    wrong += sorted[c - 1].second ? 1 : -1;
    if (wrong < fewest) fewest = wrong, best = c;
  }
  if (best == 0) return double{sorted.front().first} - 0.1;
  if (best == sorted.size()) return double{sorted.back().first} + 0.1;
  return (double{sorted[best - 1].first} + double{sorted[best].first}) / 2;
}

}  // namespace

LabelMatrix Decision::decide(const Matrix& scores) const {
  if (rule == Rule::Constant) return decide_by_threshold(scores, threshold);
  LabelMatrix out(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::span<const float> row = scores.row(i);
    if (rule == Rule::Top) {
      decide_top(row, top, i, out);
      continue;
    }
    const auto [low, high] = std::ranges::minmax(row);
    if (rule == Rule::RowMinMax && low == high) continue;
    const double cut = rule == Rule::Regressed
                           ? regressed_cut(row, weights)
                           : double{low} + threshold * (double{high} - double{low});
    for (std::size_t k = 0; k < row.size(); ++k)
      if (double{row[k]} >= cut) out.set(i, k);
  }
  return out;
}

void Decision::write(ModelState& state) const {
  state.choices.decision = rule;
  std::vector<float> values = weights;
  if (rule == Rule::Top) values = {static_cast<float>(top)};
  if (rule == Rule::Constant || rule == Rule::RowMinMax) values = {static_cast<float>(threshold)};
  state.tensors.push_back({"decision", {values.size()}, std::move(values)});
}

Decision Decision::read(const ModelState& state) {
  if (!state.choices.decision) throw Error(Failure::Model, "the model has no known decision rule");
  Decision out;
  out.rule = *state.choices.decision;
  const std::size_t labels = state.label_names.size();
  if (labels == 0) throw Error(Failure::Model, "the model has no labels");
  const auto& values = checked(state, "decision", out.rule == Rule::Regressed ? labels + 1 : 1);
  if (out.rule == Rule::Regressed) {
    out.weights = values;
  } else if (out.rule == Rule::Top) {
    if (values[0] < 0 || values[0] > static_cast<float>(labels)) refuse("decision");
    out.top = static_cast<std::size_t>(values[0]);
  } else {
    out.threshold = double{values[0]};
  }
  return out;
}

Decision Decision::read_or(const ModelState& state, const Decision& usual) {
  return state.choices.decision ? read(state) : usual;
}

Decision regress_threshold(const Matrix& scores, const LabelMatrix& right, ThreadPool& pool) {
  MatrixD inputs(scores.rows(), scores.cols() + 1), cuts(scores.rows(), 1);
  pool.for_blocks(scores.rows(), 1024, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::ranges::copy(scores.row(i), inputs.row(i).begin());
      inputs(i, scores.cols()) = 1;
      cuts(i, 0) = best_cut(scores.row(i), right, i);
    }
  });
  MatrixD square = transposed_times(inputs, inputs, pool);
  double largest = 0;
  for (std::size_t j = 0; j < square.rows(); ++j) largest = std::max(largest, square(j, j));
  for (std::size_t j = 0; j < square.rows(); ++j) square(j, j) += kPenalty * largest;
  const MatrixD solution = solve_positive(square, transposed_times(inputs, cuts, pool));
  Decision out;
  out.rule = Decision::Rule::Regressed;
  for (std::size_t j = 0; j < solution.rows(); ++j)
    out.weights.push_back(static_cast<float>(solution(j, 0)));
  return out;
}

float CandidateConfidence::probability(float evidence) const {
  return static_cast<float>(1 / (1 + std::exp(-slope * (double{evidence} - centre))));
}

Matrix CandidateConfidence::of(Matrix evidence, const LabelMatrix& candidates) const {
  for (std::size_t i = 0; i < evidence.rows(); ++i)
    for (std::size_t k = 0; k < evidence.cols(); ++k)
      evidence(i, k) = candidates.get(i, k) ? probability(evidence(i, k)) : 0.0F;
  return evidence;
}

Matrix CandidateConfidence::of_all(Matrix evidence) const {
  for (std::size_t i = 0; i < evidence.rows(); ++i)
    for (float& value : evidence.row(i)) value = probability(value);
  return evidence;
}

void CandidateConfidence::write(ModelState& state) const {
  state.tensors.push_back(
      {"confidence", {2}, {static_cast<float>(centre), static_cast<float>(slope)}});
}

CandidateConfidence CandidateConfidence::read(const ModelState& state) {
  const auto& values = checked(state, "confidence", 2);
  return {double{values[0]}, double{values[1]}};
}

Matrix Model::probabilities(const Features& x, ThreadPool& pool) const {
  return probabilities(scores(x, pool));
}

Matrix Model::probabilities(Matrix scores) const {
  Matrix out = on_unit_scale(std::move(scores));
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (float& value : out.row(i))
      value = std::clamp(value, kLeastProbability, 1 - kLeastProbability);
  return out;
}

}  // namespace sieve
