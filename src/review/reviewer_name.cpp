#include "review/api.h"

#include <algorithm>
#include <array>

namespace sieve {
namespace {

// The blanks of Unicode in UTF-8, as the page trims them, and those of no width.
constexpr std::array<std::string_view, 28> kBlanks = {
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u00a0",
    "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005",
    "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u2028",
    "\u2029", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff", "\u0085"};

}  // namespace

std::string reviewer_name(std::string_view text) {
  const auto at_front = [&](std::string_view blank) { return text.starts_with(blank); };
  const auto at_back = [&](std::string_view blank) { return text.ends_with(blank); };
  for (auto found = kBlanks.begin();
       (found = std::ranges::find_if(kBlanks, at_front)) != kBlanks.end();)
    text.remove_prefix(found->size());
  for (auto found = kBlanks.begin();
       (found = std::ranges::find_if(kBlanks, at_back)) != kBlanks.end();)
    text.remove_suffix(found->size());
  return std::string(text);
}

}  // namespace sieve
