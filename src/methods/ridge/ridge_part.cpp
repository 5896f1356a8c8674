// A ridge regression on rows of one length.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "linalg/entries.h"
#include "linalg/ridge.h"
#include "methods/network/member.h"
#include "methods/network/noise_model.h"
#include "methods/ridge/ridge_model.h"
#include "methods/shared/decision.h"
#include "methods/shared/evidence_line.h"
#include "methods/shared/fit_support.h"
#include "methods/shared/targets.h"

namespace sieve {
namespace {

// Entries times labels, and features or rows times labels, beyond which the part is left out.
constexpr std::size_t kMostProducts = std::size_t{1} << 27, kMostNumbers = std::size_t{1} << 24;
constexpr double kPenalties[] = {2, 6, 20, 60};  // see fit_scaled_ridge()
constexpr std::size_t kRowsAtOnce = 256;

// One number per feature: 0 for one that all rows have.
std::vector<float> rarity_of(const Features& x) {
  std::vector<std::size_t> rows(x.cols());
  for_each_row(x, [&](std::size_t i) {
    for_each_entry(x, i, [&](std::size_t j, float value) { rows[j] += value != 0 ? 1 : 0; });
  });
  std::vector<float> rarity;
  const auto all = static_cast<double>(x.rows() + 1);
  for (const std::size_t have : rows)
    rarity.push_back(static_cast<float>(std::log(all / static_cast<double>(have + 1))));
  return rarity;
}

// Every feature by how rare it is, and then every row of length 1, or 0. In float64: a feature may
// be as large as a float can be.
Features unit_rows(const Features& x, std::span<const float> rarity) {
  CsrMatrix rows = x.to_sparse();
  std::vector<double> rare;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rare.clear();
    double squares = 0;
    for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
      rare.push_back(double{rows.values[e]} * double{rarity[rows.columns[e]]});
      squares += rare.back() * rare.back();
    }
    const double length = squares > 0 ? std::sqrt(squares) : 1;
    for (std::size_t e = 0; e < rare.size(); ++e)
      rows.values[rows.starts[i] + e] = static_cast<float>(rare[e] / length);
  }
  return Features(std::move(rows));
}

Matrix numbers_of(const Targets& targets) {
  Matrix numbers(targets.rows(), targets.labels());
  for (std::size_t i = 0; i < targets.rows(); ++i) targets.copy_row(i, numbers.row(i));
  return numbers;
}

// What is learnt from some rows: how far candidates are above their mean.
struct Regression {
  Regression(const Features& rows, const Matrix& targets, const Targets& counts,
             std::span<const std::size_t> learn, double penalty, ThreadPool& pool)
      : mean(targets.cols()) {
    double all = 0;
    for (const std::size_t i : learn) {
      const double weight = double{counts.weight(i)};
      all += weight;
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * double{targets(i, k)};
    }
    for (double& one : mean) one /= std::max(all, 1e-30);
    Matrix above(learn.size(), targets.cols());
    for (std::size_t p = 0; p < learn.size(); ++p)
      for (std::size_t k = 0; k < mean.size(); ++k)
        above(p, k) =
            counts.weight(learn[p]) * static_cast<float>(double{targets(learn[p], k)} - mean[k]);
    weights = fit_scaled_ridge(rows.subset(learn), above, penalty, pool);
  }

  // Of these rows, one after another.
  Matrix said_of(const Features& rows, std::span<const std::size_t> some, ThreadPool& pool) const {
    Matrix said(some.size(), mean.size());
    pool.for_blocks(some.size(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      std::vector<double> sums(mean.size());
      for (std::size_t p = first; p < last; ++p) {
        ridge_scores(weights, rows, some[p], sums);
        std::ranges::transform(sums, said.row(p).begin(),
                               [](double sum) { return static_cast<float>(sum); });
      }
    });
    return said;
  }

  std::vector<double> mean;
  MatrixD weights;
};

double squared_error(const Matrix& said, const Regression& by, const Matrix& targets,
                     std::span<const std::size_t> rows) {
  double error = 0;
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (std::size_t k = 0; k < said.cols(); ++k) {
      const double off = double{targets(rows[p], k)} - by.mean[k] - double{said(p, k)};
      error += off * off;
    }
  return error;
}

// The penalty that leaves the least squared error of the first fold, and what is said of that.
struct FirstFold {
  double penalty = 0;
  Matrix said;
};

FirstFold choose_penalty(const Features& rows, const Matrix& targets, const Targets& counts,
                         ThreadPool& pool) {
  const Split split = hold_out(targets.rows(), 0);
  FirstFold best;
  double least = std::numeric_limits<double>::infinity();
  for (const double penalty : kPenalties) {
    const Regression found(rows, targets, counts, split.train, penalty, pool);
    Matrix said = found.said_of(rows, split.test, pool);
    const double error = squared_error(said, found, targets, split.test);
    if (error < least) best = {penalty, std::move(said)}, least = error;
  }
  return best;
}

// Of every row, by the regression that held it out.
Matrix held_out_by(const FirstFold& first, const Features& rows, const Matrix& targets,
                   const Targets& counts, ThreadPool& pool, Progress& progress) {
  Matrix held_out(targets.rows(), targets.cols());
  for (std::size_t f = 0; f < kHeldOutFolds; ++f) {
    const Split split = hold_out(targets.rows(), f);
    const Matrix said = f == 0 ? first.said.clone()
                               : Regression(rows, targets, counts, split.train, first.penalty, pool)
                                     .said_of(rows, split.test, pool);
    for (std::size_t p = 0; p < split.test.size(); ++p)
      std::ranges::copy(said.row(p), held_out.row(split.test[p]).begin());
    progress.update(f + 1);
  }
  return held_out;
}

std::vector<std::size_t> all_rows(std::size_t rows) {
  std::vector<std::size_t> all(rows);
  for (std::size_t i = 0; i < rows; ++i) all[i] = i;
  return all;
}

// The line becomes part of the weights.
std::vector<Tensor> tensors_of(const Regression& found, const EvidenceLine& line,
                               const std::vector<float>& rarity) {
  Matrix weights(rarity.size(), found.mean.size());
  std::vector<float> offset = line.offset;
  for (std::size_t k = 0; k < offset.size(); ++k) {
    for (std::size_t j = 0; j < weights.rows(); ++j)
      weights(j, k) = static_cast<float>(double{line.slope} * found.weights(j, k));
    offset[k] += static_cast<float>(double{line.slope} * found.weights(weights.rows(), k));
  }
  return {{"rarity", {rarity.size()}, rarity},
          tensor_of("weights", weights),
          {"offset", {offset.size()}, offset}};
}

bool suits(const TrainingData& data) {
  const Features& x = data.features;
  return x.is_sparse() && data.rows() >= kHeldOutFolds &&
         std::max(x.cols() + 1, x.rows()) <= kMostNumbers / data.labels() &&
         x.nonzeros() <= kMostProducts / data.labels();
}

const std::vector<float>& numbers(const ModelState& state, const char* name,
                                  std::vector<std::size_t> shape) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape != shape || !all_finite(tensor.values))
    throw Error(Failure::Model, "'" + std::string(name) + "' of the model does not fit it");
  return tensor.values;
}

}  // namespace

std::unique_ptr<RidgeModel> fit_ridge_part(const TrainingData& data, std::span<const float> rates,
                                           ThreadPool& pool, Progress& progress) {
  if (!suits(data)) return nullptr;
  const Targets counts(data);
  const std::vector<float> rarity = rarity_of(data.features);
  const Features rows = unit_rows(data.features, rarity);
  const Matrix targets = numbers_of(counts);
  progress.begin("ridge regression", kHeldOutFolds + 1);
  const FirstFold first = choose_penalty(rows, targets, counts, pool);
  Matrix held_out = held_out_by(first, rows, targets, counts, pool, progress);
  const std::vector<std::size_t> all = all_rows(data.rows());
  const EvidenceLine line =
      fit_evidence_line(held_out, counts, all, label_frequencies(counts), rates);
  line.make_probabilities(held_out);
  const Regression found(rows, targets, counts, all, first.penalty, pool);
  progress.end();

  ModelState state = described_state("ridge", {}, data, {.on_epoch = {}});
  state.tensors = tensors_of(found, line, rarity);
  state.tensors.push_back({"noise_rate", {rates.size()}, {rates.begin(), rates.end()}});
  return std::make_unique<RidgeModel>(std::move(state), std::move(held_out));
}

RidgeModel::RidgeModel(ModelState state, Matrix held_out_scores)
    : state_(std::move(state)), held_out_(std::move(held_out_scores)) {
  const std::size_t labels = state_.label_names.size();
  numbers(state_, "rarity", {state_.features});
  numbers(state_, "weights", {state_.features, labels});
  numbers(state_, "offset", {labels});
  if (!std::ranges::all_of(numbers(state_, "noise_rate", {labels}),
                           [](float r) { return r >= 0 && r < 1; }))
    throw Error(Failure::Model, "the rates of noise of the model do not fit it");
}

Matrix RidgeModel::scores(const Features& x, ThreadPool& pool) const {
  require_features(x, state_.features);
  const std::vector<float>&rarity = state_.tensor("rarity").values,
        &weights = state_.tensor("weights").values, &offset = state_.tensor("offset").values;
  Matrix out(x.rows(), offset.size());
  pool.for_blocks(x.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> sums(offset.size());
    for (std::size_t i = first; i < last; ++i) {
      std::ranges::fill(sums, 0.0);
      double squares = 0;
      for_each_entry(x, i, [&](std::size_t j, float value) {
        const double rare = double{value} * double{rarity[j]};
        if (rare == 0) return;
        squares += rare * rare;
        for (std::size_t k = 0; k < sums.size(); ++k)
          sums[k] += rare * double{weights[j * sums.size() + k]};
      });
      const double length = squares > 0 ? std::sqrt(squares) : 1;
      for (std::size_t k = 0; k < sums.size(); ++k)
        out(i, k) = static_cast<float>(1 / (1 + std::exp(-(double{offset[k]} + sums[k] / length))));
    }
  });
  return finite_scores(std::move(out), x);
}

LabelMatrix RidgeModel::decide(const Matrix& scores) const {
  return Decision{}.decide(scores);
}

Matrix RidgeModel::candidate_probabilities(const TrainingData& data, ThreadPool& pool) const {
  return confidence_of(scores(data.features, pool), state_.tensor("noise_rate").values,
                       data.candidates);
}

Matrix RidgeModel::held_out_probabilities(const LabelMatrix& candidates) const {
  return confidence_of(held_out_.clone(), state_.tensor("noise_rate").values, candidates);
}

MethodInfo ridge_method() {
  MethodInfo info{.name = "ridge", .title = "Ridge regression", .summary = "", .options = {}};
  info.load = [](ModelState state) -> std::unique_ptr<Model> {
    return std::make_unique<RidgeModel>(std::move(state));
  };
  return info;
}

}  // namespace sieve
