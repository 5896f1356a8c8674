#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/learner.h"

namespace sieve::test {

// A method with its defaults, but made quick where its table of options allows.
inline std::unique_ptr<Learner> quick_learner(const MethodInfo& method) {
  static const std::vector<std::pair<std::string, std::string>> quick = {
      {"members", "2"}, {"width", "8"}, {"epochs", "3"}, {"trees", "30"}};
  Options options(method.options);
  for (const auto& [key, value] : quick)
    if (options.values().contains(key)) options.set(key, value);
  return method.make(options);
}

inline std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods()) names.push_back(method.name);
  return names;
}

// Test names know no dashes.
inline std::string test_name(const ::testing::TestParamInfo<std::string>& method) {
  std::string name = method.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace sieve::test
