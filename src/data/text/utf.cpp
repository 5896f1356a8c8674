#include "data/text/utf.h"

#include <bit>

namespace sieve {
namespace {

bool is_surrogate(char32_t point) {
  return point >= 0xd800 && point < 0xe000;
}

}  // namespace

std::optional<std::u32string> code_points_of_utf8(std::string_view text) {
  static constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int ones = std::countl_one(first);
    if (ones == 1 || ones > 4) return std::nullopt;
    const std::size_t length = ones == 0 ? 1 : static_cast<std::size_t>(ones);
    if (length > text.size() - i) return std::nullopt;
    char32_t point = first & (0xffU >> (ones + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xc0U) != 0x80U) return std::nullopt;
      point = point << 6 | (byte & 0x3fU);
    }
    if (point < kSmallest[length] || point > 0x10ffff || is_surrogate(point)) return std::nullopt;
    points += point;
    i += length;
  }
  return points;
}

std::optional<std::u32string> code_points_of_utf16(std::u16string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t point = text[i];
    if (is_surrogate(point)) {
      if (point >= 0xdc00 || i + 1 == text.size()) return std::nullopt;
      const char32_t low = text[++i];
      if (low < 0xdc00 || low >= 0xe000) return std::nullopt;
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    points += point;
  }
  return points;
}

std::string to_utf8(std::u32string_view text) {
  std::string bytes;
  for (const char32_t point : text) {
    const int more = (point >= 0x80) + (point >= 0x800) + (point >= 0x10000);
    const char32_t lead = more == 0 ? 0 : 0xff00U >> (more + 1) & 0xffU;
    bytes += static_cast<char>(lead | point >> (6 * more));
    for (int k = more - 1; k >= 0; --k)
      bytes += static_cast<char>(0x80U | (point >> (6 * k) & 0x3fU));
  }
  return bytes;
}

std::u16string to_utf16(std::u32string_view text) {
  std::u16string units;
  for (const char32_t point : text) {
    if (point < 0x10000) {
      units += static_cast<char16_t>(point);
    } else {
      units += static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xdc00 + (point & 0x3ffU));
    }
  }
  return units;
}

}  // namespace sieve
