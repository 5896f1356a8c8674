#include "linalg/target.h"

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "labelsieve/error.h"

namespace sieve {
namespace {

struct Named {
  const char* name;
  std::int64_t bit;  // Highway's
};

#if HWY_ARCH_X86
constexpr std::array kNamed{Named{"avx512", HWY_AVX3}, Named{"avx2", HWY_AVX2},
                            Named{"plain", HWY_STATIC_TARGET}};
#else
constexpr std::array kNamed{Named{"native", HWY_STATIC_TARGET}};
#endif

bool is_there(const Named& named) {
  return named.bit == HWY_STATIC_TARGET || (hwy::SupportedTargets() & named.bit) != 0;
}

}  // namespace

std::vector<std::string> targets() {
  static const std::vector<std::string> there = [] {
    std::vector<std::string> names;
    for (const Named& named : kNamed)
      if (is_there(named)) names.emplace_back(named.name);
    return names;
  }();
  return there;
}

std::string target() {
  return std::ranges::find_if(kNamed, is_there)->name;
}

void use_target(const std::string& name) {
  const std::vector<std::string> there = targets();
  if (std::ranges::find(there, name) == there.end()) {
    std::string list;
    for (const std::string& other : there) list += (list.empty() ? "" : ", ") + other;
    throw Error(Failure::Usage, "'" + name + "' is not a target of this processor", {},
                "targets of this processor: " + list);
  }
  const std::int64_t bit = std::ranges::find(kNamed, name, &Named::name)->bit;
  hwy::SetSupportedTargetsForTest(bit);
  hwy::GetChosenTarget().Update(bit);
}

}  // namespace sieve
