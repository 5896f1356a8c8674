#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {

// Numbers names from 0 in the order they first come.
class NameIndex {
 public:
  std::uint32_t number(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    if (numbers_.size() >= 0xfffffffe)
      throw Error(Failure::Data, "more than 4294967294 names", {}, "use fewer");
    const auto fresh = static_cast<std::uint32_t>(numbers_.size());
    numbers_.emplace(name, fresh);
    return fresh;
  }
  bool has(std::string_view name) const { return numbers_.find(name) != numbers_.end(); }
  std::size_t size() const { return numbers_.size(); }
  // In the order of their numbers.
  std::vector<std::string> names() const {
    std::vector<std::string> all(numbers_.size());
    for (const auto& [name, number] : numbers_) all[number] = name;
    return all;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

}  // namespace sieve
