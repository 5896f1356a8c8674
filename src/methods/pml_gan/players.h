#pragma once

#include <memory>
#include <optional>

#include "methods/pml_gan/objective.h"
#include "nn/lazy_rows.h"

namespace sieve {

// One value for each of the four networks of PML-GAN.
template <class T>
struct PerNetwork {
  T predictor, disambiguator, generator, discriminator;  // paper: F, D~, G, D
};

// What the four networks begin with; each has a random stream of its own.
template <class Real>
PerNetwork<Array<Real>> initial_parameters(const PerNetwork<MlpSpec>& specs, std::uint64_t seed);

// The four networks of PML-GAN with their parameters and optimisers: what plays an iteration of
// Algorithm 1. Call order: see_labels, generator_turn, then discriminator_turn any number of times.
template <class Real>
class GanPlayers {
 public:
  explicit GanPlayers(PerNetwork<Array<Real>> parameters);
  virtual ~GanPlayers() = default;

  virtual const Mlp<Real>& predictor() const = 0;
  virtual const Mlp<Real>& disambiguator() const = 0;
  virtual const LayerPlace& generated() const = 0;  // the generator's last layer
  PerNetwork<Array<Real>>& parameters() { return parameters_; }
  const PerNetwork<Array<Real>>& parameters() const { return parameters_; }
  PerNetwork<AdamState<Real>>& optimisers() { return optimisers_; }

  // Before the first turn, with the parameters as they should begin: from here on an average of
  // those of F is kept. With `lazily` the first layers of F and D~ are moved as LazyRows does it;
  // batches are sparse and in one part then, and turns have to be given this Adam. (D learns from
  // rows that G makes, too, and they have all features.)
  void start(AveragePace pace, const AdamOptions* lazily);
  const Array<Real>& average() const { return average_; }
  Array<Real>& average() { return average_; }
  void settle(ThreadPool& pool);
  // Those of F and D~, if there are any.
  std::optional<LazyRows<Real>>& predictor_rows() { return predictor_rows_; }
  std::optional<LazyRows<Real>>& disambiguator_rows() { return disambiguator_rows_; }

  // Whether GanBatch::scaled is looked at. If not, the generator should make what the networks
  // see, with the centre of the batch added; that is the same.
  virtual bool needs_scaled() const = 0;

  virtual void see_labels(ThreadPool& pool, const GanBatch<Real>& batch, const Mode& mode) = 0;
  virtual View<const Real> confidence() const = 0;
  // Moves F, D~ and G.
  virtual GanLosses generator_turn(ThreadPool& pool, const AdamOptions& adam,
                                   const GanBatch<Real>& batch, View<const Real> prior,
                                   const GanObjective& objective) = 0;
  // Moves D; returns mean -log D(x) + mean -log(1 - D(G(prior))).
  virtual double discriminator_turn(ThreadPool& pool, const AdamOptions& adam,
                                    const GanBatch<Real>& batch, View<const Real> prior) = 0;
  // Logits of D in the last discriminator_turn.
  virtual View<const Real> real_logits() const = 0;
  virtual View<const Real> fake_logits() const = 0;

 protected:
  using Rows = std::optional<LazyRows<Real>>;
  using Buffers = typename LazyRows<Real>::Buffers;
  Buffers predictor_buffers();
  Buffers disambiguator_buffers();
  void mark_touched(ThreadPool& pool, const Input<Real>& batch);

  PerNetwork<Array<Real>> parameters_;
  PerNetwork<AdamState<Real>> optimisers_;
  Array<Real> average_;  // of F; empty before start
  AveragePace pace_;
  Rows predictor_rows_, disambiguator_rows_;
};

// From this many features on, they are worked on a tile at a time.
constexpr std::size_t kWideFeatures = 4096;

// A batch in parts is worked on with all features at once.
std::unique_ptr<GanPlayers<float>> make_players(const PerNetwork<MlpSpec>& specs, std::size_t rows,
                                                std::size_t prior_rows, const BatchParts& layout,
                                                std::uint64_t seed);

}  // namespace sieve
