#pragma once

#include <cmath>
#include <vector>

#include "methods/pml_gan/wide_gan.h"
#include "support/gradient_check.h"

namespace sieve::test {

// A small problem with several tiles of features, the last one ragged, and several blocks of rows.
template <class Real>
struct WideProblem {
  static constexpr std::size_t kRows = 9, kFeatures = 600, kLabels = 4;

  explicit WideProblem(std::size_t prior_rows, double dropout = 0, std::size_t hidden_layers = 2,
                       std::size_t kept_bytes = kKeptBytes)
      : specs(networks(dropout, hidden_layers)),
        gan(specs, kRows, prior_rows, 1, kept_bytes),
        prior(random_panel<Real>(prior_rows, kLabels, 2)) {
    Random random(9, Purpose::Test);
    sparse.cols = kFeatures;
    sparse.starts.push_back(0);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kFeatures; ++j)
        if (random.chance(0.05)) {
          sparse.columns.push_back(static_cast<std::uint32_t>(j));
          sparse.values.push_back(static_cast<float>(random.uniform(0.5, 2)));
          dense(i, j) = static_cast<Real>(sparse.values[sparse.values.size() - 1]);
        }
      sparse.starts.push_back(sparse.values.size());
      order.push_back(i);
      for (std::size_t k = 0; k < kLabels; ++k) y(i, k) = random.chance(0.6) ? Real(1) : Real(0);
    }
    for (Real& c : mean) c = static_cast<Real>(random.uniform(0, 0.2));
    for (Real& c : centre) c = static_cast<Real>(random.uniform(-0.5, 0.5));
    for (Real& r : log_rates) r = static_cast<Real>(std::log(random.uniform(0.1, 0.9)));
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kFeatures; ++j) scaled(i, j) = dense(i, j) - mean[j] + centre[j];
  }

  static PerNetwork<MlpSpec> networks(double dropout, std::size_t hidden_layers) {
    const LayerSpec hidden{7, Activation::LeakyRelu, false, dropout}, plain{19};
    const LayerSpec norm{21, Activation::LeakyRelu, true};
    MlpSpec labeller{kFeatures, {}};
    for (std::size_t l = 0; l < hidden_layers; ++l) labeller.layers.push_back(hidden);
    labeller.layers.push_back({kLabels, Activation::Identity});
    return {labeller,
            labeller,
            {kLabels, {plain, norm, norm, {kFeatures, Activation::Tanh}}},
            {kFeatures, {plain, plain, {1, Activation::Identity}}}};
  }

  GanBatch<Real> batch(bool as_sparse = true) const {
    GanBatch<Real> shown{{.centre = mean.data()},
                         scaled.view(kRows),
                         y.view(kRows),
                         centre.data(),
                         log_rates.data()};
    if (as_sparse)
      shown.features.sparse = &sparse, shown.features.sparse_rows = order;
    else
      shown.features.dense = dense.view(kRows);
    return shown;
  }

  GanLosses generator_turn(const AdamOptions& adam, const GanObjective& objective,
                           std::uint64_t step = 3, bool as_sparse = true) {
    gan.see_labels(pool, batch(as_sparse), {true, 5, step});
    return gan.generator_turn(pool, adam, batch(as_sparse), prior.view(prior.rows()), objective);
  }
  double discriminator_turn(const AdamOptions& adam, bool as_sparse = true) {
    return gan.discriminator_turn(pool, adam, batch(as_sparse), prior.view(prior.rows()));
  }

  PerNetwork<MlpSpec> specs;
  ThreadPool pool{2};
  WideGan<Real> gan;
  CsrMatrix sparse;
  Panel<Real> dense{kRows, kFeatures}, scaled{kRows, kFeatures}, y{kRows, kLabels}, prior;
  std::vector<std::size_t> order;
  std::vector<Real> mean = std::vector<Real>(kFeatures), centre = std::vector<Real>(kFeatures),
                    log_rates = std::vector<Real>(kLabels);
};

}  // namespace sieve::test
