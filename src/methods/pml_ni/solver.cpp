#include "methods/pml_ni/solver.h"

#include <algorithm>
#include <cmath>

#include "linalg/singular.h"

namespace sieve {
namespace {

constexpr double kFirstPenalty = 1e-4, kLastPenalty = 1e10, kGrowth = 1.1;
constexpr double kSmallGap = 1e-7;   // of ||W - U - V|| / ||W||
constexpr double kSmallStep = 1e-5;  // of penalty ||U - U before|| / ||W||

MatrixD minus(const MatrixD& a, const MatrixD& b) {
  MatrixD out = a.clone();
  add(out, -1, b);
  return out;
}

void soften(MatrixD& a, double threshold) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (double& value : a.row(i))
      value = std::copysign(std::max(std::abs(value) - threshold, 0.0), value);
}

}  // namespace

PmlNiSolution solve_pml_ni(const Resolvent& resolvent, const MatrixD& correlation,
                           const PmlNiSettings& settings, FitRun& run, const PmlNiWatch& watch) {
  const std::size_t rows = correlation.rows(), labels = correlation.cols();
  PmlNiSolution now{MatrixD(rows, labels), MatrixD(rows, labels)};
  MatrixD multiplier(rows, labels);
  double penalty = kFirstPenalty;
  run.begin("splitting labels from noise", settings.iterations);
  while (now.iterations < settings.iterations && !now.converged) {
    MatrixD right = correlation.clone();
    add(right, penalty, now.u);
    add(right, penalty, now.v);
    add(right, 1, multiplier);
    const MatrixD w = resolvent.apply(right, settings.lambda + penalty);

    MatrixD rest = w.clone();  // W - L / penalty, which U and V share
    add(rest, -1 / penalty, multiplier);
    const MatrixD before = std::move(now.u);
    const double shrink = settings.beta / penalty;
    now.u = map_singular_values(
        minus(rest, now.v), [&](double s) { return std::max(s - shrink, 0.0); }, run.pool());
    now.v = minus(rest, now.u);
    soften(now.v, settings.gamma / penalty);

    MatrixD gap = minus(now.u, w);
    add(gap, 1, now.v);
    const double norm = std::sqrt(squared_norm(w));
    const bool small_gap = std::sqrt(squared_norm(gap)) <= kSmallGap * norm;
    const bool small_step =
        penalty * std::sqrt(squared_norm(minus(now.u, before))) <= kSmallStep * norm;
    if (small_step) penalty = std::min(kGrowth * penalty, kLastPenalty);
    add(multiplier, penalty, gap);
    now.converged = small_gap && small_step;
    run.update(++now.iterations);
    if (watch) watch(now.u, now.v);
  }
  run.end();
  return now;
}

}  // namespace sieve
