#include "data/annotations/plain_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <utf8proc.h>

namespace sieve {
namespace {

struct Letter {
  std::string_view bytes;
  utf8proc_int32_t code = -1;  // below 0: a byte that is not UTF-8

  bool is_space() const {
    const auto category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP || (code >= '\t' && code <= '\r');
  }
  bool has_no_width() const { return utf8proc_category(code) == UTF8PROC_CATEGORY_CF; }
  bool is_blank() const { return code >= 0 && (is_space() || has_no_width()); }
};

Letter first_letter(std::string_view text) {
  Letter letter;
  const auto taken = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &letter.code);
  if (taken <= 0) letter.code = -1;
  letter.bytes = text.substr(0, taken <= 0 ? 1 : static_cast<std::size_t>(taken));
  return letter;
}

template <class Visit>
void for_letters(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    text.remove_prefix(letter.bytes.size());
    visit(letter);
  }
}

void append_lower(std::string& out, const Letter& letter) {
  if (letter.code < 0) {
    out += letter.bytes;
    return;
  }
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto count = utf8proc_encode_char(utf8proc_tolower(letter.code), bytes.data());
  for (utf8proc_ssize_t i = 0; i < count; ++i)
    out += static_cast<char>(bytes[static_cast<std::size_t>(i)]);
}

bool is_one_of(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::find(words, folded_name(name)) != words.end();
}

}  // namespace

std::string_view plain_name(std::string_view name) {
  const auto is_mark = [](char c) { return c > ' ' && c < 0x7F; };
  if (!name.empty() && is_mark(name.front()) && is_mark(name.back())) return name;
  const char *first = nullptr, *end = nullptr;
  for_letters(name, [&](const Letter& letter) {
    if (letter.is_blank()) return;
    if (first == nullptr) first = letter.bytes.data();
    end = letter.bytes.data() + letter.bytes.size();
  });
  return {first, static_cast<std::size_t>(end - first)};
}

std::string folded_name(std::string_view name) {
  std::string out;
  bool space = false;
  for_letters(plain_name(name), [&](const Letter& letter) {
    if (letter.is_blank()) {
      space |= letter.is_space();
      return;
    }
    if (space) out += ' ';
    space = false;
    append_lower(out, letter);
  });
  return out;
}

bool is_empty_word(std::string_view name) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"n/a", "n.a.", "#n/a", "nan", "null", "<na>", "-", "--", "\xE2\x80\x93", "\xE2\x80\x94"});
  return is_one_of(name, words);
}

bool is_doubtful_word(std::string_view name) {
  static constexpr auto words = std::to_array<std::string_view>(
      {"none", "na", "nil", "nothing", "empty", "no label", "no labels", "?"});
  return is_one_of(name, words);
}

std::string shown(std::vector<CountedName> names) {
  constexpr std::size_t kShown = 6, kLongest = 60;
  std::ranges::stable_sort(names, std::greater(), &CountedName::count);
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    out += fmt::format("{}'{}' ({})", i == 0 ? "" : ", ", names[i].name.substr(0, kLongest),
                       names[i].count);
  return out + (names.size() > kShown ? ", ..." : "");
}

}  // namespace sieve
