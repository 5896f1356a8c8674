#pragma once

#include <string_view>

namespace sieve {

// What every page carries inside: see page_style.cpp and page_script.cpp.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
// "sha256-..." of the script, by which the page's policy knows it. A browser names the right one
// when it refuses the script.
extern const std::string_view kPageScriptHash;

}  // namespace sieve
