#pragma once

#include <string>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {

// A value of a TOML file and where it stands (a member of a table: where its key stands).
struct Toml {
  struct Member;
  enum class Kind { Text, Integer, Real, Flag, List, Table, Other };
  Kind kind = Kind::Table;
  std::string text;             // scalars, as they would be typed
  std::vector<Toml> items;      // of a list
  std::vector<Member> members;  // of a table, sorted by key
  Place where;

  const Toml* find(const std::string& key) const;  // null if the table has no such key
};

struct Toml::Member {
  std::string key;
  Toml value;
};

// Error(Usage) with line and column if the file is no TOML; `example` shows what it should be.
Toml read_toml(const std::string& path, const std::string& example);

// The same of a text; `path` names it in messages.
Toml parse_toml(const std::string& content, const std::string& path, const std::string& example);

// The text as TOML writes it.
std::string toml_quoted(const std::string& text);

}  // namespace sieve
