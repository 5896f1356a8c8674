#pragma once

#include <ostream>
#include <string>

namespace sieve::test {

// A text that a reader has to refuse, and what the message has to say.
struct BadText {
  const char* name;
  std::string text;
  std::string message;
};

inline void PrintTo(const BadText& bad, std::ostream* out) {
  *out << bad.name;
}

// Names the tests of a suite over BadText.
inline constexpr auto kBadTextName = [](const auto& one) { return one.param.name; };

}  // namespace sieve::test
