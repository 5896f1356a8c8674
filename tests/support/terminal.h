#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sieve::test {

// What a terminal of this width shows: it breaks lines at its edge, and knows "\r", "\n", the
// code that clears the rest of a line, and colours, which it drops.
class Screen {
 public:
  explicit Screen(std::size_t columns) : columns_(columns) {}
  void put(std::string_view bytes);
  // All lines, without blanks at their ends.
  std::string text() const;

 private:
  std::vector<std::string>& line();
  void code(std::string_view code);

  std::size_t columns_;
  std::vector<std::vector<std::string>> lines_{{}};  // of characters
  std::size_t row_ = 0, column_ = 0;
};

struct InTerminal {
  int code = -1;
  std::string bytes;  // as they came
};

// Runs a program whose input and outputs are a terminal of this width. `environment` has lines
// such as "NO_COLOR=1".
InTerminal run_in_terminal(const std::vector<std::string>& words, std::size_t columns,
                           const std::string& folder,
                           const std::vector<std::string>& environment = {});

}  // namespace sieve::test
