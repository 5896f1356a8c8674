#include "experiment/noise_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "labelsieve/error.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

constexpr const char* kGiven = "given";

// The noise of that level; Error(Usage) if there is none.
AddNoise noise_of(const NoiseVariant& noise) {
  const NoiseProtocol& protocol = noise_protocol(noise.protocol);
  Options options(protocol.options);
  options.set(protocol.options.front().key, fmt::format("{}", noise.level));
  return protocol.make(options);
}

}  // namespace

std::vector<std::string> noise_names() {
  std::vector<std::string> names = names_of(noise_protocols());
  names.insert(names.begin(), kGiven);
  return names;
}

std::string to_string(const NoiseVariant& noise) {
  return noise.protocol == kGiven ? noise.protocol
                                  : fmt::format("{}-{}", noise.protocol, noise.level);
}

std::optional<NoiseVariant> parse_noise(const std::string& text) {
  if (text == kGiven) return NoiseVariant{};
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto level =
      parse_number<double>(std::string_view(text).substr(std::min(dash + 1, text.size())));
  if (!level) return std::nullopt;
  NoiseVariant noise{text.substr(0, dash), *level};
  try {
    noise_of(noise);
  } catch (const Error&) {
    return std::nullopt;
  }
  return noise;
}

Dataset noisy_rows(const Dataset& data, std::span<const std::size_t> rows,
                   const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool) {
  if (noise.protocol == kGiven) return data.select_rows(rows);
  const AddNoise add = noise_of(noise);
  if (noise_protocol(noise.protocol).learns) {
    Dataset chosen = data.select_rows(rows);
    add(chosen, seed, pool);
    return chosen;
  }
  // The draws of the others go by the row in the whole set.
  Dataset whole = data.clone();
  add(whole, seed, pool);
  return whole.select_rows(rows);
}

}  // namespace sieve
