#include "report/markup.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "data/text/utf.h"

namespace sieve {
namespace {

constexpr char32_t kReplacement = U'\uFFFD';

// The C0 and C1 sets; terminals obey both.
bool is_control(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::optional<std::u32string> points = code_points_of_utf8(text);
  if (!points) {
    points.emplace();
    for (const unsigned char c : text) *points += c < 0x80 ? char32_t{c} : kReplacement;
  }
  std::ranges::replace_if(*points, is_control, kReplacement);
  return to_utf8(*points);
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : printable(text)) append_escaped(out, c);
  return out;
}

std::string pixels_text(double pixels) {
  assert(std::isfinite(pixels));
  const double rounded = std::round(pixels * 10) / 10;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string value_text(double value) {
  if (std::isnan(value)) return "\u2013";
  if (std::isinf(value)) return value > 0 ? "\u221e" : "-\u221e";
  return fmt::format("{:.4g}", value);
}

Element::Element(std::string_view name) : name_(name), open_("<" + name_) {}

Element& Element::set(std::string_view attribute, std::string_view value) {
  open_ += fmt::format(" {}=\"{}\"", attribute, escaped(value));
  return *this;
}

Element& Element::set(std::string_view attribute, double pixels) {
  return set(attribute, pixels_text(pixels));
}

Element& Element::add(const Element& child) {
  content_ += child.text();
  return *this;
}

Element& Element::add_text(std::string_view text) {
  content_ += escaped(text);
  return *this;
}

Element with_text(std::string_view name, std::string_view text, std::string_view css_class) {
  Element element(name);
  if (!css_class.empty()) element.set("class", css_class);
  return element.add_text(text);
}

}  // namespace sieve
