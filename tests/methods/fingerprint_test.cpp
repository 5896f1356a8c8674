// One seed, one model, on every processor: what small trainings of networks and forests have to
// give wherever the tests run. A change of the arithmetic changes these numbers, and with them what
// users get for their seeds: it belongs into CHANGELOG.md.
#include <gtest/gtest.h>

#include <bit>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/hashes.h"
#include "base/random.h"
#include "labelsieve/learner.h"
#include "support/support.h"
#include "support/targets.h"

namespace sieve::test {
namespace {

struct Training {
  std::string name, method;
  bool sparse;
  std::uint64_t seed, fingerprint;
  std::string splits = {};     // of a forest
  bool probabilities = false;  // in the candidates' place
  bool thin = false;           // hardly a number is not 0

  friend void PrintTo(const Training& training, std::ostream* to) { *to << training.name; }
};

// Sparse rows of the same numbers give the same model. Networks and forests go over the rows of the
// thin ones in another way.
const std::vector<Training> kTrainings{
    {"pml_gan", "pml-gan", false, 1, 0x897cf2c707658808},
    {"pml_gan_seed_2", "pml-gan", false, 2, 0xcc6e517934e4ab7e},
    {"pml_gan_sparse", "pml-gan", true, 1, 0x897cf2c707658808},
    {"pml_gan_thin", "pml-gan", true, 1, 0x3a1e9139ed0b367d, "", false, true},
    {"mlp", "mlp", false, 1, 0x4630027a81f2b227},
    {"mlp_sparse", "mlp", true, 1, 0x4630027a81f2b227},
    {"mlp_thin", "mlp", true, 1, 0x3e1e48eccd58d3ac, "", false, true},
    {"mlp_noise", "mlp-noise", false, 1, 0x66b2d0ff63ebea86},
    {"mlp_noise_sparse", "mlp-noise", true, 1, 0x66b2d0ff63ebea86},
    {"mlp_noise_thin", "mlp-noise", true, 1, 0x02f2ecc31316d335, "", false, true},
    {"comes_hl", "comes-hl", false, 1, 0x22e5ef4be424c6fd},
    {"comes_rl", "comes-rl", false, 1, 0x47e3c277515db98a},
    {"forest_extra", "forest", false, 1, 0x1445c0ffaab55de4, "extra"},
    {"forest_best", "forest", false, 1, 0xbd618eeb2b5f22b3, "best"},
    {"forest_sparse", "forest", true, 1, 0x1445c0ffaab55de4, "extra"},
    {"forest_thin", "forest", true, 1, 0xf949173ede40fa59, "extra", false, true},
    {"blend", "blend", false, 1, 0x802c395ab4cad552},
    {"blend_sparse", "blend", true, 1, 0x802c395ab4cad552},
    {"blend_thin", "blend", true, 1, 0x89add8c3b2b2ee39, "", false, true},
    {"pml_gan_beliefs", "pml-gan", false, 1, 0xfdbb3aa39e4963ce, "", true},
    {"mlp_noise_beliefs", "mlp-noise", false, 1, 0x2e74ec3e89175c4b, "", true},
    {"comes_hl_beliefs", "comes-hl", false, 1, 0xe533b122d02d6944, "", true},
    {"comes_rl_beliefs", "comes-rl", false, 1, 0x87a5c7ecfbde9557, "", true},
    {"forest_beliefs", "forest", false, 1, 0x6ae186982e844cb4, "extra", true},
    {"blend_beliefs", "blend", false, 1, 0x4e54994bb966f1c2, "", true},
};

std::uint64_t fingerprint(const ModelState& state) {
  Fnv sum;
  for (const Tensor& tensor : state.tensors) {
    sum.add(tensor.name);
    for (const float value : tensor.values) sum.add(std::bit_cast<std::uint32_t>(value));
  }
  return sum.value();
}

class Fingerprint : public ::testing::TestWithParam<Training> {
 protected:
  // Made without a mathematical library, whose last bits may differ.
  static TrainingData crowd() {
    constexpr std::size_t kRows = 150, kFeatures = 30, kLabels = 7;
    Random random(1, Purpose::Test);
    Matrix x(kRows, kFeatures);
    Dataset data;
    data.candidates = LabelMatrix(kRows, kLabels);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (float& value : x.row(i))
        value = random.chance(GetParam().thin ? 0.85 : 0.3)
                    ? 0.0F
                    : static_cast<float>(random.uniform(-1, 1));
      for (std::size_t k = 0; k < kLabels; ++k)
        data.candidates.set(i, k, x(i, k) + x(i, k + 1) > 0.2F || random.chance(0.2));
    }
    data.features = Features(std::move(x));
    if (GetParam().sparse) data.features = Features(data.features.to_sparse());
    for (std::size_t k = 0; k < kLabels; ++k) data.label_names.push_back("l" + std::to_string(k));
    if (!GetParam().probabilities) return training_data(data);
    Matrix right(kRows, kLabels);
    for (std::size_t i = 0; i < kRows; ++i)
      for (float& probability : right.row(i))
        probability = static_cast<float>(random.uniform(0, 1));
    for (std::size_t i = 0; i < kRows; ++i)
      data.candidates.for_each(i, [&](std::size_t k) { right(i, k) = (1 + right(i, k)) / 2; });
    return with_probabilities(training_data(data), right);
  }
  static std::uint64_t train() {
    const MethodInfo& method = method_info(GetParam().method);
    Options options(method.options);
    for (const auto& [key, value] : {std::pair{"members", "2"},
                                     {"width", "72"},
                                     {"epochs", "2"},
                                     {"share", "0.5"},
                                     {"trees", "30"}})
      if (options.values().contains(key)) options.set(key, value);
    if (!GetParam().splits.empty()) options.set("splits", GetParam().splits);
    ThreadPool pool(2);
    FitOptions fit;
    fit.threads = &pool;
    fit.seed = GetParam().seed;
    return fingerprint(method.make(options)->fit(crowd(), fit)->state());
  }
};

TEST_P(Fingerprint, is_the_same_everywhere) {
  with_each_target([](const std::string& target) {
    if (target == "plain" && GetParam().name != "mlp_noise" && GetParam().splits.empty())
      return;  // slow
    const std::uint64_t found = train();
    EXPECT_EQ(found, GetParam().fingerprint) << target << std::hex << " 0x" << found;
  });
}

INSTANTIATE_TEST_SUITE_P(Trainings, Fingerprint, ::testing::ValuesIn(kTrainings),
                         [](const auto& training) { return training.param.name; });

}  // namespace
}  // namespace sieve::test
