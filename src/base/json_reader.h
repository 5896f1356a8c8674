#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "labelsieve/error.h"

namespace sieve {

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
  std::array<std::size_t, 2> place_{};  // in the parsed text; see json_reader.cpp
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
