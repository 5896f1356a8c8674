#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// A text as JSON. Error(Usage) if it is not valid UTF-8.
std::string json_quoted(const std::string& text);
// A number as it was written; as a text where JSON has no such numbers.
std::string json_number(const std::string& text);

// The end of the JSON value that begins at `at`, in a text that is known to be valid JSON.
std::size_t end_of_json_value(std::string_view text, std::size_t at);
// The next place from `at` on that is no blank.
std::size_t skip_json_blanks(std::string_view text, std::size_t at);

// An element of a list, or a value of an object with its key, by its place in the text.
struct JsonPart {
  std::string key{};  // decoded
  std::size_t begin = 0, end = 0;
};
// What stands between the brackets that `text`, which is valid JSON, has from `at` on.
std::vector<JsonPart> json_parts(std::string_view text, std::size_t at);

}  // namespace sieve
