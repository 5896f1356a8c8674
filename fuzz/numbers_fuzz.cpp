#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/text/numbers.h"

using namespace sieve;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// scan_float against the standard library: the same end and the same bits.
const char* check_scan(const std::string& text, float& value) {
  const char *first = text.data(), *last = first + text.size();
  const char* end = scan_float(first, last, value);
  const bool plus = first != last && *first == '+' && (text.size() < 2 || text[1] != '-');
  float expected = 0;
  const auto [expected_end, error] = std::from_chars(first + plus, last, expected);
  if (error == std::errc{} && std::isfinite(expected)) {
    require(end == expected_end && bits_of(value) == bits_of(expected));
  } else if (end != nullptr) {
    // Only a number too small for float32 may be taken where from_chars says no.
    require(error == std::errc::result_out_of_range && end == expected_end && value == 0);
  }
  return end;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  float value = 0;
  const char* end = check_scan(text, value);
  const bool whole = end == text.data() + text.size();
  (void)number_problem(text);

  // The fast way has to give the same, with room around the text and without.
  for (const std::size_t room : {0, 20}) {
    const std::string row = std::string(room, '7') + text + ',' + std::string(room, '7');
    const char* from = row.data() + room;
    float scanned = 0;
    const char* behind = scan_floats(row.data(), from, row.data() + row.size(), ',', &scanned, 1);
    require((behind != nullptr) == whole || text.find(',') != text.npos);
    if (whole) require(behind == from + size + 1 && bits_of(scanned) == bits_of(value));
  }
  return 0;
}
