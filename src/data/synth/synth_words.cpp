#include "data/synth/synth_words.h"

#include <algorithm>
#include <cmath>
#include <map>

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

}  // namespace sieve
