#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_lines.h"

namespace sieve {

// Calls visit(part) for what stands between the separators, without blanks around; it may be empty.
// Without a separator all of it is one part.
template <class Visit>
void for_parts(std::string_view list, std::string_view separator, const Visit& visit) {
  if (separator.empty()) return visit(trimmed(list));
  for (std::size_t from = 0, to = 0; to != list.npos; from = to + separator.size()) {
    to = list.find(separator, from);
    visit(trimmed(list.substr(from, to == list.npos ? to : to - from)));
  }
}

// Labels that look like a list which was not split, "cat|dog": parts of them are labels too, or
// parts of other labels.
std::vector<std::string> list_like_labels(const std::vector<std::string>& names);

}  // namespace sieve
