#include "data/ticks/counted_names.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace sieve {

std::string shown(std::vector<CountedName> names) {
  constexpr std::size_t kShown = 6, kLongest = 60;
  std::ranges::stable_sort(names, std::greater(), &CountedName::count);
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    out += fmt::format("{}'{}' ({})", i == 0 ? "" : ", ", names[i].name.substr(0, kLongest),
                       names[i].count);
  return out + (names.size() > kShown ? ", ..." : "");
}

}  // namespace sieve
