#include "data/parts_of_list.h"

#include <unordered_map>

namespace sieve {

std::vector<std::string> list_like_labels(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string_view separator : {"|", ";", ",", "/", "+", "\t"}) {
    std::unordered_map<std::string_view, std::size_t> uses;
    for (const std::string& name : names)
      for_parts(name, separator, [&](std::string_view part) { ++uses[part]; });
    for (const std::string& name : names) {
      std::size_t parts = 0;
      bool shared = false;
      for_parts(name, separator, [&](std::string_view part) {
        if (part.empty()) return;
        ++parts;
        shared |= uses[part] > 1;
      });
      if (parts > 1 && shared) found.push_back(name);
    }
  }
  return found;
}

}  // namespace sieve
