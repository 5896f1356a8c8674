#include "methods/pml_gan/objective.h"

#include "nn/functions.h"
#include "nn/losses.h"

namespace sieve {
namespace {

template <class Real>
void weigh(View<Real> gradient, const Real* weights, BatchParts::Rows rows) {
  for (std::size_t i = rows.first; weights != nullptr && i < rows.last; ++i)
    for (std::size_t j = 0; j < gradient.cols; ++j) gradient(i, j) *= weights[i];
}

}  // namespace

template <class Real>
LabelTerms<Real>::LabelTerms(std::size_t rows, std::size_t labels)
    : confidence_(rows, labels),
      confidence_gradient_(rows, labels),
      probability_(rows, labels),
      target_(rows, labels) {}

template <class Real>
void LabelTerms<Real>::see(View<const Real> candidates, View<const Real> a) {
  rows_ = a.rows;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < a.cols; ++j)
      confidence_(i, j) = candidates(i, j) * sigmoid(-a(i, j));
}

// L_c    paper: Eq. 1. In the calibrated objective a candidate is taken as noise with a fixed
// probability: partly what the votes say, or else the posterior r(1-F) / (F + r(1-F)) of the noise
// model, whose logit is log r - f; partly D~(x).
template <class Real>
double LabelTerms<Real>::classify(const GanBatch<Real>& batch, const GanObjective& objective,
                                  const LabelLogits<Real>& logits, BatchParts::Rows rows) {
  const View<const Real> f = logits.f, a = logits.a;
  const Real share = static_cast<Real>(objective.noise_share);
  if (objective.calibrated)
    for (std::size_t i = rows.first; i < rows.last; ++i)
      for (std::size_t j = 0; j < f.cols; ++j) {
        probability_(i, j) = batch.right.rows > 0 ? 1 - batch.right(i, j)
                                                  : sigmoid(batch.log_noise_rates[j] - f(i, j));
        const Real noise = share * probability_(i, j) + (1 - share) * sigmoid(a(i, j));
        target_(i, j) = batch.candidates(i, j) * (1 - noise);
      }
  const View<const Real> target = (objective.calibrated ? target_ : confidence_).view(rows_);
  const double loss =
      cross_entropy<Real>(f.slice(rows.first, rows.last), target.slice(rows.first, rows.last),
                          mean_weight<Real>(objective.classification, batch.all_rows()),
                          logits.f_gradient.slice(rows.first, rows.last));
  weigh(logits.f_gradient, batch.weights, rows);
  return loss;
}

// L_d, which the paper does not have, and everything that reaches D~ through z = y * sigmoid(-a):
// dz/da = -y sigmoid(a) sigmoid(-a). Of L_c (Eq. 1), dL_c/dz = -f; of L_g (Eq. 3), what G passes
// back.
template <class Real>
double LabelTerms<Real>::disambiguate(const GanBatch<Real>& batch, const GanObjective& objective,
                                      const LabelLogits<Real>& logits,
                                      BatchParts::Rows rows) const {
  const View<const Real> f = logits.f, a = logits.a;
  const View<Real> gradient = logits.a_gradient;
  const Real weight = mean_weight<Real>(objective.disambiguation, batch.all_rows());
  const Real literal = mean_weight<Real>(objective.classification, batch.all_rows());
  double loss = 0;
  for (std::size_t i = rows.first; i < rows.last; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) {
      const Real y = batch.candidates(i, j), noise = sigmoid(a(i, j));
      Real through_z = objective.generation != 0 ? confidence_gradient_(i, j) : 0;
      if (!objective.calibrated) through_z -= literal * f(i, j);
      gradient(i, j) = -through_z * y * noise * sigmoid(-a(i, j));
      if (!objective.calibrated) continue;
      gradient(i, j) += weight * y * (noise - probability_(i, j));
      loss += static_cast<double>(weight * y * (softplus(a(i, j)) - probability_(i, j) * a(i, j)));
    }
  weigh(gradient, batch.weights, rows);
  return loss;
}

template class LabelTerms<float>;
template class LabelTerms<double>;

}  // namespace sieve
