#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sieve {

// A finished JSON value, kept as its text. Numbers that are not finite become null; bytes that are
// not UTF-8 become the replacement character.
class Json {
 public:
  using Members = std::vector<std::pair<std::string, Json>>;

  Json() : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}  // NOLINT: conversion is the point
  Json(double value);                                    // NOLINT
  Json(const std::string& value);                        // NOLINT
  Json(const char* value) : Json(std::string(value)) {}  // NOLINT
  template <std::integral T>
  Json(T value) : text_(std::to_string(value)) {}  // NOLINT

  static Json object(const Members& members);
  static Json array(const std::vector<Json>& items);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// {"one", "two"}
Json json_strings(const std::vector<std::string>& values);
// {"epochs": "30", ...}
Json json_texts(const std::map<std::string, std::string>& values);

}  // namespace sieve
