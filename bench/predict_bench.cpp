// The matrix products of a model alone: forward passes of networks of its shape over rows that are
// ready in memory, on all threads, in blocks that stay in the cache.
//
// usage: predict_bench model rows threads
// prints: seconds, and processor seconds of all threads
#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <string>

#include "clock.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "nn/mlp.h"

namespace {

using namespace sieve;
constexpr std::size_t kBlock = 256, kReadyBlocks = 64;

struct Network {
  Mlp<float> mlp;
  Array<float> parameters;
};

// The time does not depend on the weights, so they are made up.
std::vector<Network> networks_like(const ModelState& state) {
  std::vector<Network> networks;
  std::vector<MlpSpec> specs;
  for (const Tensor& tensor : state.tensors) {
    if (!tensor.name.ends_with("/shift")) continue;
    if (tensor.name.ends_with("/layer0/shift")) specs.push_back({state.features, {}});
    specs.back().layers.push_back({tensor.values.size()});
  }
  for (MlpSpec& spec : specs) {
    spec.layers.back().activation = Activation::Identity;
    Mlp<float> mlp(spec);
    Array<float> parameters = mlp.initial_parameters(1);
    networks.push_back({std::move(mlp), std::move(parameters)});
  }
  return networks;
}

Panel<float> ready_rows(std::size_t features) {
  Panel<float> rows(kBlock * kReadyBlocks, features);
  Random random(1, Purpose::Test);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < features; ++j)
      rows(i, j) = static_cast<float>(random.uniform(-1, 1));
  return rows;
}

struct Cost {
  double seconds, processor;
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Cost cost_of_products(const std::vector<Network>& networks, std::size_t features, std::size_t rows,
                      std::size_t threads) {
  const Panel<float> ready = ready_rows(features);
  ThreadPool pool(threads);
  const std::size_t blocks = (rows + kBlock - 1) / kBlock;
  std::atomic<std::size_t> next = 0;
  const Cost start{seconds_now(), processor_seconds()};
  pool.for_each(threads, [&](std::size_t) {
    std::vector<MlpContext<float>> passes;
    for (const Network& network : networks) passes.push_back(network.mlp.context(kBlock));
    for (std::size_t b; (b = next++) < blocks;) {
      const View<const float> view{ready.row(b % kReadyBlocks * kBlock), kBlock, features,
                                   ready.stride()};
      for (std::size_t n = 0; n < networks.size(); ++n)
        networks[n].mlp.forward(pool, networks[n].parameters.data(), {.dense = view}, {},
                                passes[n]);
    }
  });
  return {seconds_now() - start.seconds, processor_seconds() - start.processor};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw Error(Failure::Usage, "see the top of predict_bench.cpp");
    const ModelState state = load_state(argv[1], StateKind::Model);
    const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
    const Cost cost = cost_of_products(networks_like(state), state.features, number(2), number(3));
    fmt::print("{:.4f} {:.4f}\n", cost.seconds, cost.processor);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
