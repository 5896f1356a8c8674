#include "report/markup.h"

#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "data/utf.h"

namespace sieve {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
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

std::string escaped(std::string_view text) {
  const bool utf8 = code_points_of_utf8(text).has_value();
  std::string out;
  out.reserve(text.size());
  for (const char c : text)
    if (is_control(c) || (!utf8 && static_cast<unsigned char>(c) >= 0x80))
      out += kReplacement;
    else
      append_escaped(out, c);
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
