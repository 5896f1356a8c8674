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
  for (const auto& [key, value] : noise.settings) options.set(key, value);
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
  if (noise.protocol == kGiven) return noise.protocol;
  std::string text = fmt::format("{}-{}", noise.protocol, noise.level);
  for (const auto& [key, value] : noise.settings) text += fmt::format(":{}={}", key, value);
  return text;
}

std::optional<NoiseVariant> parse_noise(const std::string& text) {
  if (text == kGiven) return NoiseVariant{};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t dash = std::min(text.find('-'), colon);
  const std::size_t level_at = std::min(dash + 1, colon);
  const auto level =
      parse_number<double>(std::string_view(text).substr(level_at, colon - level_at));
  if (!level) return std::nullopt;
  NoiseVariant noise{text.substr(0, dash), *level};
  for (std::size_t at = colon; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at + 1), text.size());
    const std::string setting = text.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    noise.settings.emplace_back(setting.substr(0, equals),
                                setting.substr(std::min(equals + 1, setting.size())));
    at = end;
  }
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
