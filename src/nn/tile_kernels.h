#pragma once

#include "nn/panel.h"

// The elementwise work on a tile that holds one feature a row and one row of the batch a column.
namespace sieve {

// x = tanh(sums + shift), one shift a feature.
template <class Real>
void tanh_features(View<const Real> sums, const Real* shift, View<Real> x);

// gradient = gradient * (1 - x^2), for x = tanh(...); its sum over the batch is added to `sums`.
template <class Real>
void backward_tanh_features(View<const Real> x, View<Real> gradient, Real* sums);

}  // namespace sieve
