#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/named_rows.h"
#include "base/option_specs.h"
#include "base/random.h"
#include "base/require.h"
#include "labelsieve/prepare.h"
#include "linalg/ridge.h"

namespace sieve {
namespace {

// Each protocol has its own streams. The numbers are part of what a seed means.
enum NoiseStep : std::uint64_t {
  kFill = 0,
  kExtra = 1,
  kPlausible = 2,
  kFlip = 3,
  kRates = 4,
  kAnnotators = 5,
  kCrowd = 6
};

// Of a crowd's numbers.
constexpr double kMostAnnotators = 1e5, kLeastRate = 1e-6, kMostSkills = 10;

// Makes the candidates of `data` its true labels; Error(Data) if they are not known.
void start_from_truth(Dataset& data) {
  if (!data.truth)
    throw Error(Failure::Data, "noise can be added only where the true labels are known",
                {data.name, 0, 0}, "give a data set with the truth");
  data.candidates = data.truth->clone();
}

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

namespace {

constexpr double kPenalty = 1;  // of the ridge regression that tells what is plausible

void require_probability(const char* what, double value) {
  require(value >= 0 && value <= 1,
          fmt::format("{} is {}, but must lie between 0 and 1", what, value));
}

// The labels of a row that are off, in random order.
std::vector<std::size_t> shuffled_irrelevant(const LabelMatrix& truth, std::size_t row,
                                             Random& random) {
  std::vector<std::size_t> off;
  for (std::size_t k = 0; k < truth.labels(); ++k)
    if (!truth.get(row, k)) off.push_back(k);
  random.shuffle(std::span(off));
  return off;
}

// Switches the first `wanted` of `order` on; all, if there are fewer.
void add_first(LabelMatrix& labels, std::size_t row, std::span<const std::size_t> order,
               std::size_t wanted) {
  for (const std::size_t k : order.first(std::min(wanted, order.size()))) labels.set(row, k);
}

std::size_t plausible_count(double percent, std::size_t relevant) {
  if (relevant == 0) return 0;
  const double wanted = std::round(percent / 100 * static_cast<double>(relevant));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, 1e9));
}

}  // namespace

void noise_fill(Dataset& data, std::size_t average, std::uint64_t seed) {
  start_from_truth(data);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t relevant = data.truth->count(i);
    if (relevant >= average) continue;
    Random random(seed, Purpose::Noise, kFill, i);
    add_first(data.candidates, i, shuffled_irrelevant(*data.truth, i, random), average - relevant);
  }
}

void noise_extra(Dataset& data, std::size_t extra, double share, std::uint64_t seed) {
  require_probability("the share of rows to make noisy", share);
  start_from_truth(data);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    Random random(seed, Purpose::Noise, kExtra, i);
    if (!random.chance(share)) continue;
    add_first(data.candidates, i, shuffled_irrelevant(*data.truth, i, random), extra);
  }
}

void noise_plausible(Dataset& data, double percent, std::uint64_t seed, ThreadPool& pool) {
  require(percent > 0 && std::isfinite(percent),
          fmt::format("the noise is {} %, but must be more than 0 %", percent));
  start_from_truth(data);
  Features scaled = data.features;
  fit_scaler(scaled, Scaling::MinMax).apply(scaled);
  const MatrixD weights = fit_ridge(scaled, *data.truth, kPenalty, pool);
  pool.for_blocks(data.rows(), 64, [&](std::size_t first, std::size_t last) {
    std::vector<double> scores(data.labels());
    for (std::size_t i = first; i < last; ++i) {
      Random random(seed, Purpose::Noise, kPlausible, i);
      // The random order decides between labels of the same score.
      std::vector<std::size_t> order = shuffled_irrelevant(*data.truth, i, random);
      ridge_scores(weights, scaled, i, scores);
      std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return scores[k]; });
      add_first(data.candidates, i, order, plausible_count(percent, data.truth->count(i)));
    }
  });
}

void noise_flip(Dataset& data, std::span<const double> rate, std::uint64_t seed) {
  require(rate.size() == 1 || rate.size() == data.labels(),
          fmt::format("{} flip rates for {} labels", rate.size(), data.labels()),
          "give one rate, or one per label");
  for (const double r : rate) require_probability("a flip rate", r);
  start_from_truth(data);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    Random random(seed, Purpose::Noise, kFlip, i);
    for (std::size_t k = 0; k < data.labels(); ++k)
      if (random.chance(rate[rate.size() == 1 ? 0 : k])) data.candidates.set(i, k);
  }
}

std::vector<double> draw_flip_rates(std::size_t labels, double low, double high,
                                    std::uint64_t seed) {
  require_probability("the lowest flip rate", low);
  require_probability("the highest flip rate", high);
  require(low <= high, fmt::format("the lowest flip rate {} is above the highest {}", low, high));
  Random random(seed, Purpose::Noise, kRates);
  std::vector<double> rates(labels);
  for (double& rate : rates) rate = random.uniform(low, high);
  return rates;
}

namespace {

void require_set(const Options& options, const char* protocol, const char* key) {
  require(options.has(key), fmt::format("{} needs '{}'", protocol, key));
}

AddNoise make_fill(const Options& options) {
  require_set(options, "fill", "average");
  return [average = options.count("average")](Dataset& data, std::uint64_t seed, ThreadPool&) {
    noise_fill(data, average, seed);
  };
}

AddNoise make_extra(const Options& options) {
  require_set(options, "extra", "extra");
  return [extra = options.count("extra"), share = options.real("share")](
             Dataset& data, std::uint64_t seed, ThreadPool&) {
    noise_extra(data, extra, share, seed);
  };
}

AddNoise make_plausible(const Options& options) {
  require_set(options, "plausible", "percent");
  return [percent = options.real("percent")](Dataset& data, std::uint64_t seed, ThreadPool& pool) {
    noise_plausible(data, percent, seed, pool);
  };
}

AddNoise make_flip(const Options& options) {
  const double low = options.real("rate-from"), high = options.real("rate-to");
  if (options.has("rate")) {
    require(!options.has("rate-from") && !options.has("rate-to"),
            "flip: 'rate' is one rate for all labels, 'rate-from' and 'rate-to' a range",
            "give one or the other");
    return [rate = options.real("rate")](Dataset& data, std::uint64_t seed, ThreadPool&) {
      noise_flip(data, std::span(&rate, 1), seed);
    };
  }
  for (const char* end : {"rate-from", "rate-to"}) require_set(options, "flip", end);
  require(low <= high, "flip: 'rate-from' is larger than 'rate-to'");
  return [low, high](Dataset& data, std::uint64_t seed, ThreadPool&) {
    noise_flip(data, draw_flip_rates(data.labels(), low, high, seed), seed);
  };
}

AddNoise make_crowd(const Options& options) {
  require_set(options, "crowd", "annotators-per-row");
  const CrowdNoise crowd{.annotations = options.count("annotators-per-row"),
                         .annotators = options.count("annotators"),
                         .sensitivity = options.real("sensitivity"),
                         .false_positive_rate = options.real("false-positive-rate"),
                         .skills = options.real("skills"),
                         .hidden = options.real("hidden"),
                         .confusion = options.real("confusion")};
  require(crowd.annotations <= crowd.annotators,
          "crowd: 'annotators-per-row' is larger than 'annotators'",
          "nobody annotates a row twice");
  return
      [crowd](Dataset& data, std::uint64_t seed, ThreadPool&) { noise_crowd(data, crowd, seed); };
}

// The option under its new key: the earlier one is still read.
OptionSpec renamed(std::string earlier, OptionSpec option) {
  option.aliases.push_back(std::move(earlier));
  return option;
}

}  // namespace

const std::vector<NoiseProtocol>& noise_protocols() {
  static const std::vector<NoiseProtocol> table = {
      {.name = "fill",
       .summary = "random labels, until every row has the given number",
       .options = {integer_option("average", "", "candidates per row to reach", 1, 1e9)},
       .make = make_fill},
      {.name = "extra",
       .summary = "a given number of random labels, on a share of the rows",
       .options = {integer_option("extra", "", "noise labels per row", 1, 1e9),
                   real_option("share", "1", "share of the rows that get them", 0, 1)},
       .make = make_extra},
      {.name = "plausible",
       .summary = "the wrong labels that a linear model finds most likely",
       .options = {real_option("percent", "", "noise labels per row, in % of its true labels", 1e-6,
                               1e6)},
       .learns = true,
       .make = make_plausible},
      {.name = "flip",
       .summary = "each wrong label with a given probability, one for all labels or one per label",
       .options = {real_option("rate", "", "probability for every label", 0, 1),
                   real_option("rate-from", "", "lowest probability of a label", 0, 1),
                   real_option("rate-to", "", "highest probability of a label", 0, 1)},
       .make = make_flip},
      {.name = "crowd",
       .summary = "what annotators of differing skill tick; true labels can be missing",
       .options = {renamed("looks", integer_option("annotators-per-row", "", "annotators of a row",
                                                   1, kMostAnnotators)),
                   renamed("people", integer_option("annotators", "12", "annotators in all", 1,
                                                    kMostAnnotators)),
                   real_option("sensitivity", "0.75", "how often true labels are ticked",
                               kLeastRate, 1 - kLeastRate),
                   renamed("false-ticks", real_option("false-positive-rate", "0.02",
                                                      "how often other labels are ticked",
                                                      kLeastRate, 1 - kLeastRate)),
                   real_option("skills", "0.6",
                               "how much annotators differ, and labels, in log-odds", 0,
                               kMostSkills),
                   real_option("hidden", "0.08", "share of the true labels that nobody sees", 0, 1),
                   real_option("confusion", "0",
                               "share of an annotator's right ticks that go to another label", 0,
                               1)},
       .votes = true,
       .make = make_crowd},
  };
  return table;
}

const NoiseProtocol& noise_protocol(const std::string& name) {
  return row_named(noise_protocols(), name, "noise protocol");
}

}  // namespace sieve
