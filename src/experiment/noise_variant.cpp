#include "experiment/noise_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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
    Protocol{"plausible", 0, 1e6, false}, Protocol{"flip", 0, 1, false}};

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

void apply_noise(Dataset& data, const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool) {
  if (noise.protocol == "fill")
    noise_fill(data, static_cast<std::size_t>(noise.level), seed);
  else if (noise.protocol == "extra")
    noise_extra(data, static_cast<std::size_t>(noise.level), 1, seed);
  else if (noise.protocol == "plausible")
    noise_plausible(data, noise.level, seed, pool);
  else if (noise.protocol == "flip")
    noise_flip(data, std::array{noise.level}, seed);
}

}  // namespace sieve
