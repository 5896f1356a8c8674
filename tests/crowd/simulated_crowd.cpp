#include "crowd/simulated_crowd.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/metrics.h"

namespace sieve {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<std::vector<double>> rates(const CrowdPlan& plan, double common, std::uint64_t step) {
  Random random(plan.seed, Purpose::Test, step);
  std::vector<double> label(plan.labels);
  for (double& effect : label) effect = 0.6 * random.normal();
  std::vector<std::vector<double>> out(plan.annotators, std::vector<double>(plan.labels));
  for (auto& annotator : out) {
    const double own = 0.6 * random.normal();
    for (std::size_t l = 0; l < plan.labels; ++l) annotator[l] = sigmoid(common + own + label[l]);
  }
  return out;
}

}  // namespace

SimulatedCrowd simulate_crowd(const CrowdPlan& plan) {
  SimulatedCrowd out;
  out.sensitivity = rates(plan, 1.2, 1);
  out.false_positive_rate = rates(plan, -2.2, 2);
  out.truth = LabelMatrix(plan.rows, plan.labels);
  out.scores = Matrix(plan.rows, plan.labels);
  VoteCollector said;
  std::vector<std::uint32_t> annotators(plan.annotators);
  for (std::size_t row = 0; row < plan.rows; ++row) {
    Random random(plan.seed, Purpose::Test, 3, row);
    for (std::size_t a = 0; a < plan.annotators; ++a) annotators[a] = static_cast<std::uint32_t>(a);
    random.shuffle(std::span(annotators));
    for (std::size_t l = 0; l < plan.labels; ++l) {
      const bool right = random.chance(plan.frequency);
      out.truth.set(row, l, right);
      out.scores(row, l) =
          static_cast<float>(sigmoid(-1.1 + plan.sharpness * ((right ? 1 : -1) + random.normal())));
      const double shift = plan.hardness * random.normal();
      for (std::size_t k = 0; k < plan.annotations; ++k) {
        const std::uint32_t a = annotators[k];
        said.annotate(static_cast<std::uint32_t>(row), a);
        const double own = right ? out.sensitivity[a][l] : out.false_positive_rate[a][l];
        if (random.chance(sigmoid(std::log(own / (1 - own)) + shift)))
          said.tick(static_cast<std::uint32_t>(row), a, static_cast<std::uint32_t>(l));
      }
    }
  }
  out.votes = said.finish(plan.rows, names(plan.annotators));
  return out;
}

double area_among(const Matrix& probabilities, const LabelMatrix& truth, const LabelMatrix& among) {
  return cleaning_auc(probabilities, among, truth).value;
}

double calibration_error(const Matrix& probabilities, const LabelMatrix& truth,
                         const LabelMatrix& among) {
  std::vector<double> gap(10);
  double cells = 0;
  for (std::size_t row = 0; row < among.rows(); ++row)
    among.for_each(row, [&](std::size_t l) {
      const auto q = static_cast<double>(probabilities(row, l));
      gap[std::min<std::size_t>(static_cast<std::size_t>(q * 10), 9)] += q - truth.get(row, l);
      cells += 1;
    });
  double sum = 0;
  for (const double one : gap) sum += std::abs(one);
  return sum / cells;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back("person " + std::to_string(i));
  return out;
}

}  // namespace sieve
