#include "data/text/sentences.h"

#include <cctype>
#include <cstddef>

namespace sieve {

bool has_words(std::string_view text, std::size_t least) {
  std::size_t words = 0, letters = 0, others = 0;
  bool inside = false;
  for (const unsigned char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !blank && !inside;
    inside = !blank;
    if (!blank) ++(std::isalpha(c) != 0 || c >= 0x80 ? letters : others);
  }
  return words >= least && letters >= 2 * others;
}

}  // namespace sieve
