#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// A name without the spaces around it, also those that cannot be seen: non-breaking ones, those of
// no width, byte order marks and line ends.
std::string_view plain_name(std::string_view name);

// The same for names that differ only by case or by spaces inside: "Deep  Sea" and "deep sea".
std::string folded_name(std::string_view name);

// Words that mean "no label" wherever they stand for one: n/a, nan, null, ...
bool is_empty_word(std::string_view name);
// Words that may mean it or be a label: none, na, nothing, ...
bool is_doubtful_word(std::string_view name);

struct CountedName {
  std::string name;
  std::size_t count;
};

// "'N/A' (3), 'nan' (1)", the most frequent first, and some of them only.
std::string shown(std::vector<CountedName> names);

}  // namespace sieve
