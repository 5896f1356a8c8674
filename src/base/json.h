#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "labelsieve/error.h"

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

// A value in the text that a JsonParser parsed last, and valid as long as that.
class JsonValue {
 public:
  bool is_null() const;
  bool is_array() const;
  bool is_object() const;
  // The content of a string; nullopt for anything else.
  std::optional<std::string_view> text() const;
  // The content of a string, "" for null, else the value as JSON.
  std::string plain() const;
  // The member of an object; nullopt if there is none, or this is no object.
  std::optional<JsonValue> find(std::string_view key) const;
  // The elements of an array, or the members of an object; none of anything else.
  void for_each(const std::function<void(const JsonValue&)>& visit) const;
  void for_members(const std::function<void(std::string_view, const JsonValue&)>& visit) const;

 private:
  friend class JsonParser;
  std::array<std::size_t, 2> place_{};  // in the parsed text; see json.cpp
};

// Parses JSON texts, one after the other. Nesting is bounded.
class JsonParser {
 public:
  JsonParser();
  ~JsonParser();
  // Error(Data) at `place` for a text that is not JSON in UTF-8, or nested too deeply.
  JsonValue parse(std::string_view text, const Place& place);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sieve
