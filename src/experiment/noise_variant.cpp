#include "experiment/noise_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "labelsieve/prepare.h"

namespace sieve {
namespace {

struct Protocol {
  const char* name;
  double low, high;
  bool whole;
};

constexpr std::array kProtocols = {
    Protocol{"given", 0, 0, true}, Protocol{"fill", 1, 1e6, true}, Protocol{"extra", 1, 1e6, true},
    Protocol{"plausible", std::numeric_limits<double>::min(), 1e6, false},
    Protocol{"flip", 0, 1, false}};

}  // namespace

const std::vector<std::string>& noise_protocols() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Protocol& protocol : kProtocols) all.emplace_back(protocol.name);
    return all;
  }();
  return names;
}

std::string to_string(const NoiseVariant& noise) {
  return noise.protocol == "given" ? noise.protocol
                                   : fmt::format("{}-{}", noise.protocol, noise.level);
}

std::optional<NoiseVariant> parse_noise(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  NoiseVariant noise{text.substr(0, dash), 0};
  const auto found = std::ranges::find(kProtocols, noise.protocol, &Protocol::name);
  if (found == kProtocols.end()) return std::nullopt;
  if (noise.protocol == "given") return dash == text.size() ? std::optional(noise) : std::nullopt;
  const char* first = text.data() + std::min(dash + 1, text.size());
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, noise.level);
  const bool fits = error == std::errc() && end == last && noise.level >= found->low &&
                    noise.level <= found->high &&
                    (!found->whole || noise.level == std::floor(noise.level));
  return fits ? std::optional(noise) : std::nullopt;
}

Dataset noisy_rows(const Dataset& data, std::span<const std::size_t> rows,
                   const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool) {
  if (noise.protocol == "plausible") {
    Dataset chosen = data.select_rows(rows);
    noise_plausible(chosen, noise.level, seed, pool);
    return chosen;
  }
  // The draws of the others go by the row in the whole set.
  Dataset whole = data.clone();
  if (noise.protocol == "fill")
    noise_fill(whole, static_cast<std::size_t>(noise.level), seed);
  else if (noise.protocol == "extra")
    noise_extra(whole, static_cast<std::size_t>(noise.level), 1, seed);
  else if (noise.protocol == "flip")
    noise_flip(whole, std::array{noise.level}, seed);
  return whole.select_rows(rows);
}

}  // namespace sieve
