#include "methods/pml_gan/label_terms.h"

#include "nn/functions.h"
#include "nn/losses.h"

namespace sieve {

template <class Real>
LabelTerms<Real>::LabelTerms(std::size_t rows, std::size_t labels)
    : confidence_(rows, labels),
      confidence_gradient_(rows, labels),
      belief_(rows, labels),
      target_(rows, labels) {}

template <class Real>
void LabelTerms<Real>::see(View<const Real> candidates, View<const Real> a) {
  rows_ = a.rows;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < a.cols; ++j)
      confidence_(i, j) = candidates(i, j) * sigmoid(-a(i, j));
}

// L_c. In the calibrated objective a candidate is taken as noise with a fixed probability: partly
// the posterior r(1-F) / (F + r(1-F)) of the noise model, whose logit is log r - f, partly D~(x).
template <class Real>
double LabelTerms<Real>::classify(const GanBatch<Real>& batch, const GanObjective& objective,
                                  View<const Real> f, View<const Real> a, View<Real> gradient) {
  const Real share = static_cast<Real>(objective.noise_share);
  if (objective.calibrated)
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < f.cols; ++j) {
        belief_(i, j) = sigmoid(batch.log_noise_rates[j] - f(i, j));
        const Real noise = share * belief_(i, j) + (1 - share) * sigmoid(a(i, j));
        target_(i, j) = batch.candidates(i, j) * (1 - noise);
      }
  return cross_entropy<Real>(f, (objective.calibrated ? target_ : confidence_).view(rows_),
                             mean_weight<Real>(objective.classification, rows_), gradient);
}

// L_d, and everything that reaches D~ through z = y * sigmoid(-a): dz/da = -y sigmoid(a)
// sigmoid(-a).
template <class Real>
double LabelTerms<Real>::disambiguate(const GanBatch<Real>& batch, const GanObjective& objective,
                                      View<const Real> f, View<const Real> a,
                                      View<Real> gradient) const {
  const Real weight = mean_weight<Real>(objective.disambiguation, rows_);
  const Real literal = mean_weight<Real>(objective.classification, rows_);
  double loss = 0;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) {
      const Real y = batch.candidates(i, j), noise = sigmoid(a(i, j));
      Real through_z = objective.generation != 0 ? confidence_gradient_(i, j) : 0;
      if (!objective.calibrated) through_z -= literal * f(i, j);
      gradient(i, j) = -through_z * y * noise * sigmoid(-a(i, j));
      if (!objective.calibrated) continue;
      gradient(i, j) += weight * y * (noise - belief_(i, j));
      loss += static_cast<double>(weight * y * (softplus(a(i, j)) - belief_(i, j) * a(i, j)));
    }
  return loss;
}

template class LabelTerms<float>;
template class LabelTerms<double>;

}  // namespace sieve
