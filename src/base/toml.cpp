#include "base/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>

#include "labelsieve/files.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargestFile = 1U << 14;
constexpr int kDeepest = 100;  // the parser limits how deep values nest, but not dotted keys

Place place_of(const std::string& path, const toml::source_region& source) {
  return {path, source.begin.line, source.begin.column};
}

Toml scalar(Toml::Kind kind, std::string text, Place where) {
  Toml value;
  value.kind = kind;
  value.text = std::move(text);
  value.where = std::move(where);
  return value;
}

Toml plain(const toml::node& node, const std::string& path, const Place& where, int depth = 0) {
  using Kind = Toml::Kind;
  if (depth > kDeepest)
    throw Error(Failure::Usage, fmt::format("values nest more than {} deep", kDeepest), where);
  if (const auto* text = node.as_string()) return scalar(Kind::Text, text->get(), where);
  if (const auto* whole = node.as_integer())
    return scalar(Kind::Integer, std::to_string(whole->get()), where);
  if (const auto* real = node.as_floating_point())
    return scalar(Kind::Real, fmt::format("{}", real->get()), where);
  if (const auto* flag = node.as_boolean())
    return scalar(Kind::Flag, flag->get() ? "true" : "false", where);
  Toml value = scalar(Kind::Other, {}, where);
  if (const auto* list = node.as_array()) {
    value.kind = Kind::List;
    for (const toml::node& item : *list)
      value.items.push_back(plain(item, path, place_of(path, item.source()), depth + 1));
  } else if (const auto* table = node.as_table()) {
    value.kind = Kind::Table;
    for (const auto& [key, member] : *table)
      value.members.push_back(
          {std::string(key.str()), plain(member, path, place_of(path, key.source()), depth + 1)});
  }
  return value;
}

}  // namespace

const Toml* Toml::find(const std::string& key) const {
  for (const auto& [name, value] : members)
    if (name == key) return &value;
  return nullptr;
}

Toml read_toml(const std::string& path, const std::string& example) {
  const auto in = open_unpacked(FileSystem::real(), path);
  return parse_toml(read_all(*in, kLargestFile, path), path, example);
}

Toml parse_toml(const std::string& content, const std::string& path, const std::string& example) {
  try {
    return plain(toml::parse(content, path), path, {path, 0, 0});
  } catch (const toml::parse_error& error) {
    throw Error(Failure::Usage, std::string(error.description()), place_of(path, error.source()),
                example);
  }
}

std::string toml_quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

}  // namespace sieve
