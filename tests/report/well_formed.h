#pragma once

#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>

#include "report/markup.h"

namespace sieve::test {

// The element as a parsed tree; a failure if it is not well-formed.
inline pugi::xml_document parsed(const Element& element) {
  pugi::xml_document tree;
  const std::string text = element.text();
  const pugi::xml_parse_result result = tree.load_string(text.c_str());
  EXPECT_TRUE(result) << result.description() << "\n" << text;
  return tree;
}

inline std::size_t count(const pugi::xml_document& tree, const char* path) {
  return tree.select_nodes(path).size();
}

inline std::string label_of(const pugi::xml_document& tree) {
  return tree.select_node("//svg").node().attribute("aria-label").value();
}

// No coordinate may be "nan" or "inf".
inline void expect_finite(const Element& element) {
  const std::string text = element.text();
  EXPECT_EQ(text.find("\"nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"inf"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"-inf"), std::string::npos) << text;
}

}  // namespace sieve::test
