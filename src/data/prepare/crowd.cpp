#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/require.h"
#include "data/prepare/noise_steps.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

// Log-odds of a rate of each annotator and label: a middle, and what makes them differ.
MatrixD draw_rates(const CrowdNoise& crowd, std::size_t labels, double middle, Random& random) {
  std::vector<double> of_annotator(crowd.annotators), of_label(labels);
  for (double& effect : of_annotator) effect = crowd.skills * random.normal();
  for (double& effect : of_label) effect = crowd.skills * random.normal();
  MatrixD rates(crowd.annotators, labels);
  for (std::size_t a = 0; a < crowd.annotators; ++a)
    for (std::size_t l = 0; l < labels; ++l) {
      const double odds = std::log(middle / (1 - middle)) + of_annotator[a] + of_label[l] +
                          crowd.skills / 2 * random.normal();
      rates(a, l) = 1 / (1 + std::exp(-odds));
    }
  return rates;
}

// Annotators with habits, and what they tick of a row.
class Annotators {
 public:
  Annotators(const CrowdNoise& crowd, std::size_t labels, std::uint64_t seed)
      : crowd_(crowd), labels_(labels), order_(crowd.annotators) {
    Random random(seed, Purpose::Noise, kAnnotators);
    sensitivity_ = draw_rates(crowd, labels, crowd.sensitivity, random);
    false_positive_rate_ = draw_rates(crowd, labels, crowd.false_positive_rate, random);
    for (std::size_t k = 0; k < crowd.annotators * labels; ++k)
      taken_for_.push_back(random.below(labels));
  }

  void annotate(const LabelMatrix& truth, std::size_t row, Random random, VoteCollector& said) {
    std::vector<char> seen(labels_, 0);
    truth.for_each(row, [&](std::size_t l) { seen[l] = !random.chance(crowd_.hidden); });
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    random.shuffle(std::span(order_));
    for (const std::uint32_t annotator : std::span(order_).first(crowd_.annotations)) {
      said.annotate(static_cast<std::uint32_t>(row), annotator);
      for (std::size_t l = 0; l < labels_; ++l) {
        if (!random.chance((seen[l] != 0 ? sensitivity_ : false_positive_rate_)(annotator, l)))
          continue;
        const bool confused = seen[l] != 0 && random.chance(crowd_.confusion);
        const std::size_t ticked = confused ? taken_for_[annotator * labels_ + l] : l;
        said.tick(static_cast<std::uint32_t>(row), annotator, static_cast<std::uint32_t>(ticked));
      }
    }
  }

 private:
  const CrowdNoise& crowd_;
  std::size_t labels_;
  MatrixD sensitivity_, false_positive_rate_;
  std::vector<std::size_t> taken_for_;  // annotators x labels
  std::vector<std::uint32_t> order_;
};

}  // namespace

void noise_crowd(Dataset& data, const CrowdNoise& crowd, std::uint64_t seed) {
  const auto within = [](const char* what, double value, double low, double high) {
    require(value >= low && value <= high,
            fmt::format("{} is {}, but must lie between {} and {}", what, value, low, high));
  };
  within("the number of annotators", static_cast<double>(crowd.annotators), 1, kMostAnnotators);
  within("the number of annotations", static_cast<double>(crowd.annotations), 1,
         static_cast<double>(crowd.annotators));
  within("the sensitivity", crowd.sensitivity, kLeastRate, 1 - kLeastRate);
  within("the rate of false ticks", crowd.false_positive_rate, kLeastRate, 1 - kLeastRate);
  within("the spread of skills", crowd.skills, 0, kMostSkills);
  within("the share of hidden labels", crowd.hidden, 0, 1);
  within("the share of confusions", crowd.confusion, 0, 1);
  start_from_truth(data);
  Annotators annotators(crowd, data.labels(), seed);
  VoteCollector said;
  for (std::size_t i = 0; i < data.rows(); ++i)
    annotators.annotate(*data.truth, i, Random(seed, Purpose::Noise, kCrowd, i), said);
  std::vector<std::string> names;
  for (std::size_t a = 0; a < crowd.annotators; ++a) names.push_back(fmt::format("p{}", a + 1));
  data.votes = std::make_shared<const Votes>(said.finish(data.rows(), std::move(names)));
  data.candidates = data.votes->any_tick(data.labels());
}

}  // namespace sieve
