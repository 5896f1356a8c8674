#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sieve {

// Reads a decimal number at [first, last) as the nearest float32. Returns the end of the number, or
// null if there is none or it is not finite (nan, inf, 1e400). Too small to represent becomes 0.
// Leading '+' is allowed. Never looks at the locale.
const char* scan_float(const char* first, const char* last, float& value);

// Reads `count` numbers, each followed at once by `delimiter`, from a place inside [begin, end).
// Returns the place behind the last delimiter, or null if the text is anything else; then `values`
// holds rubbish and the caller has to look at the text with more care.
const char* scan_floats(const char* begin, const char* from, const char* end, char delimiter,
                        float* values, std::size_t count);

// Reads entries "index:value" with one blank between two, from a place inside [begin, end) up to
// the end of the line. Indices ascend and stay in the range. Values that are not +0 go to `columns`
// and `values`, which have room for one more than the line can hold. Returns how many did, or
// nothing if the text is anything else; then the caller has to look at it with more care.
struct IndexRange {
  std::uint32_t least, most;
};
std::optional<std::size_t> scan_entries(const char* begin, const char* from, const char* end,
                                        IndexRange range, std::uint32_t* columns, float* values);

// All of `text` as one number.
bool parse_float(std::string_view text, float& value);

// Why `text` is not a number we take, for a message: "'nan' is not a finite number" and so on. One
// that parse_float() takes was refused for its decimal mark.
std::string number_problem(std::string_view text);

// Writes the shortest decimal that reads back as the same float32 and returns its end.
constexpr std::size_t kMostFloatChars = 16;
char* write_float(char* to, float value);
void append_float(std::string& out, float value);

// Writes the shortest decimal that reads back as `value`, and of those the nearest, as
// std::to_chars does but three times as fast. Only for most numbers from 0.0001 to 1, as
// probabilities are: null, and nothing of use written, for any other. Writes up to 16 characters
// and returns their end.
char* write_share(char* to, float value);

}  // namespace sieve
