#include "data/synth/synth_world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "base/random.h"

namespace sieve {
namespace {

constexpr double kCommonShare = 0.5;  // of the draws
constexpr double kLoudness = 2.5;     // how much a hidden unit has to say about the theme

// Small numbers are more likely: the density falls with the root of the number.
std::size_t frequent_first(std::size_t count, Random& random) {
  const double u = random.uniform();
  return std::min(count - 1, static_cast<std::size_t>(u * u * static_cast<double>(count)));
}

// Running sums of the chances of the themes.
std::vector<double> theme_chances(std::span<const double> units) {
  std::vector<double> sums;
  double sum = 0;
  for (const double unit : units)
    for (const double side : {1.0, -1.0}) sums.push_back(sum += std::exp(kLoudness * side * unit));
  return sums;
}

}  // namespace

void SynthWords::row(std::span<const double> units, Random& random,
                     std::vector<std::uint32_t>& columns, std::vector<float>& values) const {
  const std::vector<double> chances = theme_chances(units);
  const std::size_t themes = std::min(chances.size(), features_);
  std::map<std::uint32_t, std::size_t> drawn;
  while (drawn.size() < entries_) {
    std::size_t word = frequent_first(features_, random);
    if (!random.chance(kCommonShare)) {
      const double place = random.uniform(0, chances[themes - 1]);
      const auto theme = static_cast<std::size_t>(
          std::ranges::lower_bound(
              chances.begin(), chances.begin() + static_cast<std::ptrdiff_t>(themes - 1), place) -
          chances.begin());
      // The words of a theme are its number and every `themes`-th from there on.
      word = theme + themes * frequent_first((features_ - theme + themes - 1) / themes, random);
    }
    ++drawn[static_cast<std::uint32_t>(word)];
  }
  for (const auto& [word, times] : drawn) {
    columns.push_back(word);
    values.push_back(static_cast<float>(1 + std::log(static_cast<double>(times))));
  }
}

namespace {

// One row a round, one column a topic: coast, mountains, city, annotators, nature, table.
constexpr std::array<std::array<std::string_view, kTopics>, 10> kWords = {{
    {"beach", "mountain", "street", "portrait", "flower", "food"},
    {"sea", "snow", "building", "child", "tree", "coffee"},
    {"boat", "forest", "night", "smile", "bird", "fruit"},
    {"sunset", "lake", "traffic", "party", "dog", "table"},
    {"sand", "hiking", "bridge", "concert", "garden", "cake"},
    {"harbour", "valley", "tower", "wedding", "cat", "bread"},
    {"island", "river", "crowd", "dance", "horse", "wine"},
    {"surf", "rock", "station", "friends", "insect", "kitchen"},
    {"lighthouse", "waterfall", "neon", "hat", "meadow", "cheese"},
    {"shell", "trail", "shop", "band", "leaf", "picnic"},
}};

}  // namespace

std::string synth_label_name(std::size_t label) {
  const std::size_t round = label / kTopics;
  if (round < kWords.size()) return std::string(kWords[round][label % kTopics]);
  return "tag " + std::to_string(label + 1);
}

namespace {

// One stream a thing that is drawn. The numbers are part of what a seed means.
enum Step : std::uint64_t {
  kTopic = 0,
  kLabel = 1,
  kFeature = 2,
  kAnnotator = 3,
  kRowCause = 4,
  kRowTruth = 5,
  kRowFeatures = 6,
  kRowTicks = 7,
  kRank = 8,
  kRowOverlooked = 9,
  kRowFinds = 10,
  kSkills = 11,
};

constexpr double kSkill = 1, kSkillSpread = 0.8;  // log-odds of ticking a true label
constexpr double kTopicDistance = 1.5;            // of the topics from the middle, in each cause
constexpr double kSecondTopic = 0.4;              // share of the rows that blend two topics
constexpr double kMostFrequent = 0.5;  // rate of the first label; that of rank r has r^-0.8 of it
constexpr double kTruthNoise = 0.3;    // what the causes do not explain of the truth
constexpr double kFeatureNoise = 0.4;  // what they do not explain of the features
constexpr double kConfused = 2.5;      // how much a true look-alike draws to a wrong label
constexpr double kNearlyTrue = 0.5;    // how much being nearly true does
constexpr double kFavouriteShare = 0.15;  // of the labels, for each annotator
constexpr double kOddFeatureShare = 0.1;  // features that tell nothing; as many in other units

double dot(const Cause& a, const Cause& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Cause random_direction(Random& random, double length) {
  Cause out;
  for (double& value : out) value = random.normal();
  const double norm = std::sqrt(dot(out, out));
  for (double& value : out) value *= length / norm;
  return out;
}

double logistic_noise(Random& random) {
  const double u = std::max(random.uniform(), 0x1p-54);  // inside (0, 1)
  return std::log(u / (1 - u));
}

// One of {0, ..., count - 1} but not `self`; `self` if there is no other.
std::size_t other_than(std::size_t self, std::size_t count, Random& random) {
  if (count < 2) return self;
  const std::size_t pick = random.below(count - 1);
  return pick + (pick >= self);
}

// Another label of the same topic; any other where the topic has just one.
std::size_t look_alike(std::size_t label, std::size_t labels, Random& random) {
  const std::size_t topic = label % kTopics, of_topic = (labels - topic + kTopics - 1) / kTopics;
  if (of_topic < 2) return other_than(label, labels, random);
  return topic + kTopics * other_than(label / kTopics, of_topic, random);
}

}  // namespace

SynthWorld::SynthWorld(const SynthOptions& options) : options_(options), offsets_(options.labels) {
  draw_topics();
  draw_labels();
  draw_features();
  draw_annotators();
}

void SynthWorld::draw_topics() {
  Random random(options_.seed, Purpose::Synth, kTopic);
  for (std::size_t t = 0; t < kTopics; ++t)
    topics_.push_back(random_direction(random, kTopicDistance * std::sqrt(kCauses)));
}

// A label leans to its topic, has a taste of its own, and bends where two causes meet.
void SynthWorld::draw_labels() {
  std::vector<std::size_t> ranks(options_.labels);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  Random(options_.seed, Purpose::Synth, kRank).shuffle(std::span(ranks));
  for (std::size_t k = 0; k < options_.labels; ++k) {
    Random random(options_.seed, Purpose::Synth, kLabel, k);
    Label label{kMostFrequent * std::pow(static_cast<double>(ranks[k]), -0.8),
                random_direction(random, 0.7), random_direction(random, 1),
                random_direction(random, 1)};
    const Cause& topic = topics_[k % kTopics];
    for (std::size_t c = 0; c < kCauses; ++c)
      label.weight[c] += topic[c] / std::sqrt(dot(topic, topic));
    labels_.push_back(label);
  }
}

void SynthWorld::draw_features() {
  Random random(options_.seed, Purpose::Synth, kFeature);
  for (std::size_t h = 0; h < kHidden; ++h) hidden_.push_back(random_direction(random, 0.8));
  if (options_.entries > 0) return;
  for (std::size_t j = 0; j < options_.features; ++j) {
    Feature feature{std::vector<double>(kHidden), 1, 0};
    for (double& weight : feature.weight) weight = random.normal() * 2 / std::sqrt(kHidden);
    const double kind = random.uniform();
    // The first feature always tells something.
    if (j > 0 && kind < kOddFeatureShare) feature.weight.clear();
    if (kind > 1 - kOddFeatureShare) {
      feature.scale = std::pow(10, random.uniform(-2, 3));
      feature.offset = feature.scale * random.uniform(-3, 3);
    }
    features_.push_back(std::move(feature));
  }
}

void SynthWorld::draw_annotators() {
  const std::size_t labels = options_.labels;
  for (std::size_t a = 0; a < options_.annotators; ++a) {
    Random random(options_.seed, Purpose::Synth, kAnnotator, a);
    Annotator annotator{random.normal(), std::vector<double>(labels),
                        std::vector<std::size_t>(labels)};
    for (std::size_t k = 0; k < labels; ++k) {
      annotator.liking[k] = random.chance(kFavouriteShare) ? random.uniform(1, 3) : 0;
      annotator.confusion[k] = look_alike(k, labels, random);
    }
    annotators_.push_back(std::move(annotator));
  }
}

Cause SynthWorld::cause(std::size_t row) const {
  Random random(options_.seed, Purpose::Synth, kRowCause, row);
  const Cause& first = topics_[random.below(kTopics)];
  const Cause& second = random.chance(kSecondTopic) ? topics_[random.below(kTopics)] : first;
  const double blend = random.uniform(0, 0.5);
  Cause out;
  for (std::size_t c = 0; c < kCauses; ++c)
    out[c] = (1 - blend) * first[c] + blend * second[c] + random.normal();
  return out;
}

std::array<double, kHidden> SynthWorld::units(const Cause& cause) const {
  std::array<double, kHidden> unit;
  for (std::size_t h = 0; h < kHidden; ++h) unit[h] = std::tanh(dot(hidden_[h], cause));
  return unit;
}

void SynthWorld::entries(const Cause& cause, std::size_t row, std::vector<std::uint32_t>& columns,
                         std::vector<float>& values) const {
  Random random(options_.seed, Purpose::Synth, kRowFeatures, row);
  SynthWords(options_.features, options_.entries).row(units(cause), random, columns, values);
}

void SynthWorld::features(const Cause& cause, std::size_t row, std::span<float> out) const {
  Random random(options_.seed, Purpose::Synth, kRowFeatures, row);
  const std::array<double, kHidden> unit = units(cause);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const Feature& feature = features_[j];
    const double signal =
        std::inner_product(feature.weight.begin(), feature.weight.end(), unit.begin(), 0.0);
    const double noise = random.normal() * (feature.weight.empty() ? 1 : kFeatureNoise);
    out[j] = static_cast<float>((signal + noise) * feature.scale + feature.offset);
  }
}

void SynthWorld::truth_margins(const Cause& cause, std::size_t row, std::span<double> out) const {
  Random random(options_.seed, Purpose::Synth, kRowTruth, row);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Label& label = labels_[k];
    const double bend =
        std::tanh(dot(label.bend_left, cause)) * std::tanh(dot(label.bend_right, cause));
    out[k] = dot(label.weight, cause) + bend + kTruthNoise * logistic_noise(random) - offsets_[k];
  }
}

template <class Visit>
void SynthWorld::for_each_annotator(std::span<const double> truth_margins,
                                    std::span<const std::size_t> truth, std::size_t row,
                                    Visit&& visit) const {
  Random random(options_.seed, Purpose::Synth, kRowTicks, row);
  std::vector<std::size_t> who(annotators_.size());
  std::iota(who.begin(), who.end(), std::size_t{0});
  std::vector<double> drawn(truth_margins.size());
  for (std::size_t seen = 0; seen < options_.annotators_per_row; ++seen) {
    std::swap(who[seen], who[seen + random.below(who.size() - seen)]);
    const Annotator& annotator = annotators_[who[seen]];
    for (std::size_t k = 0; k < drawn.size(); ++k)
      drawn[k] = annotator.laxness + annotator.liking[k] + kNearlyTrue * truth_margins[k] +
                 logistic_noise(random);
    for (const std::size_t k : truth) drawn[annotator.confusion[k]] += kConfused;
    visit(who[seen], std::span<const double>(drawn));
  }
}

void SynthWorld::noise_margins(std::span<const double> truth_margins,
                               std::span<const std::size_t> truth, std::size_t row,
                               std::span<double> out) const {
  constexpr double never = -std::numeric_limits<double>::infinity();
  std::ranges::fill(out, never);
  for_each_annotator(truth_margins, truth, row, [&](std::size_t, std::span<const double> drawn) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(out[k], drawn[k]);
  });
  for (const std::size_t k : truth) out[k] = never;
}

bool SynthWorld::overlooked(std::size_t row, std::size_t label) const {
  if (options_.missing == 0) return false;
  Random random(options_.seed, Purpose::Synth, kRowOverlooked, row);
  for (std::size_t k = 0; k < label; ++k) random.uniform();
  return random.chance(options_.missing);
}

std::vector<SynthWorld::Annotation> SynthWorld::annotations(std::span<const double> truth_margins,
                                                            std::span<const std::size_t> truth,
                                                            std::size_t row,
                                                            double threshold) const {
  Random random(options_.seed, Purpose::Synth, kRowFinds, row);
  std::vector<Annotation> all;
  for_each_annotator(
      truth_margins, truth, row, [&](std::size_t annotator, std::span<const double> drawn) {
        Annotation annotation{annotator, {}};
        const double skill =
            kSkill +
            kSkillSpread * Random(options_.seed, Purpose::Synth, kSkills, annotator).normal();
        for (std::size_t k = 0; k < drawn.size(); ++k) {
          const bool right = std::ranges::find(truth, k) != truth.end();
          if (right ? logistic_noise(random) < skill && !overlooked(row, k) : drawn[k] > threshold)
            annotation.ticked.push_back(k);
        }
        all.push_back(std::move(annotation));
      });
  for (const std::size_t k : truth) {
    const bool found = std::ranges::any_of(all, [&](const Annotation& annotation) {
      return std::ranges::find(annotation.ticked, k) != annotation.ticked.end();
    });
    Annotation& somebody = all[random.below(all.size())];
    if (!found && !overlooked(row, k)) somebody.ticked.push_back(k);
  }
  return all;
}

}  // namespace sieve
