#include "base/named_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sieve {
namespace {

std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // nobody means a name by a longer word
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
  if (word.size() > kLongest) return best;
  for (const std::string& name : names) {
    if (name.size() > kLongest) continue;
    const bool begins = word.size() >= 3 && name.starts_with(word);
    const std::size_t edits = begins ? 1 : edits_between(word, name);
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names,
                         const std::string& otherwise) {
  const std::string name = nearest(word, names);
  return name.empty() ? otherwise : "did you mean '" + name + "'?";
}

Error no_such(const std::string& what, const std::string& name,
              const std::vector<std::string>& names) {
  return {Failure::Usage,
          "there is no " + what + " '" + name + "'",
          {},
          did_you_mean(name, names, fmt::format("it is one of: {}", fmt::join(names, ", ")))};
}

}  // namespace sieve
