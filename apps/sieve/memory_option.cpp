#include "memory_option.h"

#include <cctype>
#include <charconv>
#include <string_view>

#include "labelsieve/threads.h"

namespace sieve {
namespace {

// "800000000", "800M", "1.5G" or "1.5GB".
double bytes_of(std::string_view text) {
  double size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.size() > 1 && (unit.back() == 'B' || unit.back() == 'b')) unit.remove_suffix(1);
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t power =
      unit.size() == 1
          ? kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])))) + 1
          : 0;
  if (error != std::errc() || unit.size() > 1 || (unit.size() == 1 && power == 0) ||
      !(size > 0 && size < 1e15))
    throw usage_error("--max-memory: '" + std::string(text) + "' is not an amount of memory",
                      "give it as in 800M or 1.5G");
  for (std::size_t i = 0; i < power; ++i) size *= 1000;
  return size;
}

}  // namespace

Option memory_option() {
  return text("max-memory", "SIZE", "memory limit, such as 800M or 1.5G (exit code 3 beyond it)");
}

void heed_memory_option(const Arguments& arguments) {
  if (arguments.has("max-memory"))
    set_memory_limit(static_cast<std::uint64_t>(bytes_of(arguments.text("max-memory"))));
}

}  // namespace sieve
