#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// What a Markdown file says about each label: the text below the heading that is its name, whatever
// the case, up to the next heading of the same or a higher level. "" for labels without one.
std::vector<std::string> guidelines_of(std::string_view markdown,
                                       std::span<const std::string> labels);

}  // namespace sieve
