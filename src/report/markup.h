#pragma once

#include <string>
#include <string_view>

namespace sieve {

// One element of HTML or SVG, kept as text. Attribute values and texts are made safe on their way
// in: nothing that comes from data can become markup.
class Element {
 public:
  explicit Element(std::string_view name);

  // Attributes come before the content.
  Element& set(std::string_view attribute, std::string_view value);
  Element& set(std::string_view attribute, double pixels);  // finite; one decimal
  Element& add(const Element& child);
  Element& add_text(std::string_view text);

  std::string text() const { return open_ + ">" + content_ + "</" + name_ + ">"; }

 private:
  std::string name_, open_, content_;
};

// "<p class="...">text</p>"
Element with_text(std::string_view name, std::string_view text, std::string_view css_class = {});

// Control characters (but line ends and tabs) and bytes that are not UTF-8 become the replacement
// character.
std::string printable(std::string_view text);

// Safe between tags and inside double quotes, and printable.
std::string escaped(std::string_view text);

// A coordinate: one decimal at most.
std::string pixels_text(double pixels);

// A value for a reader: four significant digits, a dash for NaN.
std::string value_text(double value);

}  // namespace sieve
