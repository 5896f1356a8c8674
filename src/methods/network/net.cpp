#include "methods/network/net.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sieve {

Net::Net(MlpSpec spec, std::uint64_t seed, const AdamOptions& adam_options)
    : mlp(std::move(spec)),
      adam(adam_options),
      parameters(mlp.initial_parameters(seed)),
      statistics(mlp.initial_statistics()),
      gradients(mlp.parameter_count()),
      optimiser(mlp.parameter_count()) {}

void Net::start_output_at(std::span<const float> shares) {
  const LayerPlace& last = mlp.layers().back();
  for (std::size_t i = 0; i < last.input_stride * last.stride; ++i)
    parameters[last.weights + i] *= 0.5F;
  for (std::size_t k = 0; k < last.outputs; ++k) parameters[last.shift + k] = logit_of(shares[k]);
}

void Net::adam_step(ThreadPool& pool) {
  sieve::adam_step<float>(pool, adam, {gradients.data(), gradients.size()}, optimiser,
                          {parameters.data(), parameters.size()});
}

bool Net::is_finite() const {
  return std::ranges::all_of(parameters, [](float value) { return std::isfinite(value); });
}

void Net::visit(const std::string& name, StateVisitor& visitor) {
  visitor.array(name + "/parameters", parameters);
  visitor.array(name + "/statistics", statistics);
  visitor.array(name + "/first", optimiser.first);
  visitor.array(name + "/second", optimiser.second);
  visitor.number(name + "/step", optimiser.step);
}

float logit_of(float share) {
  const float p = std::clamp(share, 0.001F, 0.999F);
  return std::log(p / (1 - p));
}

}  // namespace sieve
