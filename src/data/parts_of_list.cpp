#include "data/parts_of_list.h"

#include <unordered_set>

#include "data/annotations/plain_names.h"

namespace sieve {
namespace {

std::unordered_set<std::string_view> different_parts(std::string_view text,
                                                     std::string_view separator) {
  std::unordered_set<std::string_view> parts;
  for_parts(text, separator, [&](std::string_view part) {
    if (const std::string_view name = plain_name(part); !name.empty()) parts.insert(name);
  });
  return parts;
}

}  // namespace

CutTexts::CutTexts(std::string_view separator, const std::vector<std::string_view>& texts)
    : separator_(separator) {
  std::unordered_set<std::string_view> parts_of_lists;
  for (const std::string_view text : texts) {
    const bool cut = text.find(separator) != text.npos;
    const auto parts = cut ? different_parts(text, separator)
                           : std::unordered_set<std::string_view>{plain_name(text)};
    for (const std::string_view part : parts) ++texts_with_[part];
    if (parts.size() < 2) continue;
    lists_.push_back(text);
    parts_of_lists.insert(parts.begin(), parts.end());
  }
  parts_ = parts_of_lists.size();
  for (const std::string_view part : parts_of_lists) known_parts_ += texts_with_.at(part) > 1;
}

bool CutTexts::has_known_part(std::string_view list) const {
  bool known = false;
  for (const std::string_view part : different_parts(list, separator_))
    known |= texts_with_.at(part) > 1;
  return known;
}

std::vector<std::string> list_like_labels(const std::vector<std::string>& names) {
  const std::vector<std::string_view> texts(names.begin(), names.end());
  std::vector<std::string> found;
  for (const std::string_view separator : {"|", ";", ",", "/", "+", "\t"}) {
    const CutTexts cut(separator, texts);
    for (const std::string_view list : cut.lists())
      if (cut.has_known_part(list)) found.emplace_back(list);
  }
  return found;
}

}  // namespace sieve
