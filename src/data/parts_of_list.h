#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
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

// What a separator would cut distinct texts into. The texts must outlive it.
class CutTexts {
 public:
  CutTexts(std::string_view separator, const std::vector<std::string_view>& texts);

  // The texts of several parts, and the different parts of these.
  const std::vector<std::string_view>& lists() const { return lists_; }
  std::size_t parts() const { return parts_; }
  // How many of these parts are texts of their own, or parts of another list too.
  std::size_t known_parts() const { return known_parts_; }
  bool has_known_part(std::string_view list) const;

 private:
  std::string_view separator_;
  std::unordered_map<std::string_view, std::size_t> texts_with_;  // by part
  std::vector<std::string_view> lists_;
  std::size_t parts_ = 0, known_parts_ = 0;
};

// Labels that look like a list which was not split, "cat|dog": parts of them are labels too, or
// parts of other labels.
std::vector<std::string> list_like_labels(const std::vector<std::string>& names);

}  // namespace sieve
