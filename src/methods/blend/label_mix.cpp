#include "methods/blend/label_mix.h"

#include <algorithm>
#include <cmath>

#include "linalg/dense.h"
#include "methods/network/noise_model.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRows = 20000, kMostLabels = 128, kRowsAtOnce = 256;
// Log likelihood over all rows lost by an adjustment of 1, for log-odds of the usual spread.
constexpr double kPull = 100, kPullOfOffset = 10;
constexpr int kSteps = 30;
constexpr double kEnough = 1e-3;  // a step that gains less is the last

using Vector = std::vector<double>;

// The adjustment of one label: a logistic regression on inputs that are the log-odds of all labels
// (or its own) and 1, by steps of Newton's kind with the curvature found at the start. A step too
// far is taken again at half the size.
class OneLabel {
 public:
  // `times` are the rows that each stands for.
  OneLabel(const MatrixD& inputs, Vector own, std::vector<float> on, double rate,
           std::span<const double> times)
      : x_(inputs), own_(std::move(own)), on_(std::move(on)), rate_(rate), times_(times) {}

  Vector solve() const {
    const MatrixD inverse = inverse_curvature();
    Vector at(x_.cols());
    Value value = value_at(at);
    double size = 1;
    for (int step = 0; step < kSteps; ++step) {
      Vector next = at;
      for (std::size_t j = 0; j < at.size(); ++j)
        for (std::size_t l = 0; l < at.size(); ++l)
          next[j] -= size * inverse(j, l) * value.gradient[l];
      Value there = value_at(next);
      const double gain = value.loss - there.loss;
      if (gain > 0) {
        at = std::move(next);
        value = std::move(there);
      } else {
        size /= 2;
      }
      if (gain > 0 && gain < kEnough) break;
    }
    return at;
  }

 private:
  struct Value {
    double loss = 0;
    Vector gradient;
  };

  double pull(std::size_t j) const { return j + 1 == x_.cols() ? kPullOfOffset : kPull; }

  Value value_at(const Vector& a) const {
    Value value{0, Vector(a.size())};
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const auto x = x_.row(i);
      double f = own_[i];
      for (std::size_t j = 0; j < a.size(); ++j) f += a[j] * x[j];
      value.loss += times_[i] * cell_loss(static_cast<float>(rate_), static_cast<float>(f), on_[i]);
      const double right = sigmoid(f), candidate = right + (1 - right) * rate_;
      const double slope = times_[i] * (right - double{on_[i]} * right / candidate);
      for (std::size_t j = 0; j < a.size(); ++j) value.gradient[j] += slope * x[j];
    }
    for (std::size_t j = 0; j < a.size(); ++j) {
      value.loss += pull(j) * a[j] * a[j] / 2;
      value.gradient[j] += pull(j) * a[j];
    }
    return value;
  }

  // Of the expected curvature before any step, which is never negative.
  MatrixD inverse_curvature() const {
    const std::size_t inputs = x_.cols();
    MatrixD curvature(inputs, inputs);
    for (std::size_t i = 0; i < own_.size(); ++i) {
      const double right = sigmoid(own_[i]), candidate = right + (1 - right) * rate_;
      const double bend = times_[i] * (1 - rate_) * right * right * (1 - right) / candidate;
      const auto x = x_.row(i);
      for (std::size_t j = 0; j < inputs; ++j)
        for (std::size_t l = 0; l <= j; ++l) curvature(j, l) += bend * x[j] * x[l];
    }
    for (std::size_t j = 0; j < inputs; ++j) {
      for (std::size_t l = 0; l < j; ++l) curvature(l, j) = curvature(j, l);
      curvature(j, j) += pull(j);
    }
    return small_inverse(curvature);
  }

  const MatrixD& x_;
  Vector own_;
  std::vector<float> on_;
  double rate_;
  std::span<const double> times_;
};

// Log-odds of every stride-th row, around 0 and of spread 1 over all labels, and a column of ones.
struct Inputs {
  Inputs(const Matrix& log_odds, std::size_t stride_)
      : stride(stride_), x(log_odds.rows() / stride_, log_odds.cols() + 1), mean(log_odds.cols()) {
    const auto rows = static_cast<double>(x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] += double{log_odds(i * stride, k)} / rows;
    double squares = 0;
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t k = 0; k < mean.size(); ++k) {
        x(i, k) = double{log_odds(i * stride, k)} - mean[k];
        squares += x(i, k) * x(i, k);
      }
    spread = std::max(1e-3, std::sqrt(squares / (rows * static_cast<double>(mean.size()))));
    for (std::size_t i = 0; i < x.rows(); ++i) {
      for (std::size_t k = 0; k < mean.size(); ++k) x(i, k) /= spread;
      x(i, mean.size()) = 1;
    }
  }

  // The input of one label alone, and the ones.
  MatrixD only(std::size_t label) const {
    MatrixD out(x.rows(), 2);
    for (std::size_t i = 0; i < x.rows(); ++i) out(i, 0) = x(i, label), out(i, 1) = 1;
    return out;
  }

  std::size_t stride;
  MatrixD x;
  Vector mean;
  double spread = 1;
};

// To whole 4096ths, which hide the last bits of logarithms.
float rounded(double value) {
  return static_cast<float>(std::round(value * 4096) / 4096);
}

}  // namespace

LabelMix no_mix(std::size_t labels) {
  return {Matrix(labels, labels), std::vector<float>(labels)};
}

LabelMix learn_label_mix(const Matrix& log_odds, std::span<const float> rate,
                         const Targets& targets, ThreadPool& pool) {
  const std::size_t labels = log_odds.cols();
  const Inputs inputs(log_odds, (log_odds.rows() + kMostRows - 1) / kMostRows);
  const double times = static_cast<double>(log_odds.rows()) / static_cast<double>(inputs.x.rows());
  Vector counts;
  for (std::size_t i = 0; i < inputs.x.rows(); ++i)
    counts.push_back(times * double{targets.weight(i * inputs.stride)});
  LabelMix mix = no_mix(labels);
  pool.for_each(labels, [&](std::size_t k) {
    Vector own;
    std::vector<float> on;
    for (std::size_t i = 0; i < inputs.x.rows(); ++i) {
      own.push_back(double{log_odds(i * inputs.stride, k)});
      on.push_back(targets(i * inputs.stride, k));
    }
    const bool all = labels <= kMostLabels;
    const MatrixD alone = all ? MatrixD() : inputs.only(k);
    const Vector found =
        OneLabel(all ? inputs.x : alone, std::move(own), std::move(on), double{rate[k]}, counts)
            .solve();
    double offset = found.back();
    for (std::size_t j = 0; j + 1 < found.size(); ++j) {
      const std::size_t from = all ? j : k;
      mix.across(from, k) = rounded(found[j] / inputs.spread);
      offset -= double{mix.across(from, k)} * inputs.mean[from];
    }
    mix.offset[k] = rounded(offset);
  });
  return mix;
}

void apply(const LabelMix& mix, ThreadPool& pool, Matrix& log_odds) {
  pool.for_blocks(log_odds.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<float> out;
    for (std::size_t i = first; i < last; ++i) {
      const auto f = log_odds.row(i);
      out.assign(mix.offset.begin(), mix.offset.end());
      for (std::size_t j = 0; j < f.size(); ++j) {
        const auto from = mix.across.row(j);
        for (std::size_t k = 0; k < f.size(); ++k) out[k] += f[j] * from[k];
      }
      std::ranges::transform(out, f, f.begin(), std::plus{});
    }
  });
}

}  // namespace sieve
