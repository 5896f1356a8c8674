#include "base/json.h"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace sieve {
namespace {

std::string quoted(const std::string& text) {
  const std::string dumped =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // The control characters above ASCII, which a terminal may obey too.
  std::string out;
  for (std::size_t i = 0; i < dumped.size(); ++i) {
    const auto byte = static_cast<unsigned char>(dumped[i]);
    const auto next = static_cast<unsigned char>(i + 1 < dumped.size() ? dumped[i + 1] : 0);
    if (byte == 0x7f)
      out += "\\u007f";
    else if (byte == 0xc2 && next < 0xa0)
      out += fmt::format("\\u{:04x}", next), ++i;
    else
      out += dumped[i];
  }
  return out;
}

}  // namespace

Json::Json(double value) : text_(nlohmann::json(value).dump()) {}

Json::Json(const std::string& value) : text_(quoted(value)) {}

Json Json::object(const Members& members) {
  Json json;
  json.text_ = "{";
  for (const auto& [name, value] : members) {
    if (json.text_.size() > 1) json.text_ += ',';
    json.text_ += quoted(name) + ":" + value.text_;
  }
  json.text_ += '}';
  return json;
}

Json Json::array(const std::vector<Json>& items) {
  Json json;
  json.text_ = "[";
  for (const Json& item : items) {
    if (json.text_.size() > 1) json.text_ += ',';
    json.text_ += item.text_;
  }
  json.text_ += ']';
  return json;
}

Json json_strings(const std::vector<std::string>& values) {
  return Json::array({values.begin(), values.end()});
}

Json json_texts(const std::map<std::string, std::string>& values) {
  return Json::object({values.begin(), values.end()});
}

namespace {

using Element = simdjson::dom::element;

constexpr std::size_t kDeepest = 128;
constexpr std::size_t kLongest = std::size_t{1} << 30;

// A value is an element of simdjson's, kept as bytes so that its header stays in this file.
static_assert(sizeof(Element) == sizeof(std::array<std::size_t, 2>));
static_assert(std::is_trivially_copyable_v<Element>);

}  // namespace

struct JsonParser::State {
  simdjson::dom::parser parser{kLongest};
};

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::~JsonParser() = default;

JsonValue JsonParser::parse(std::string_view text, const Place& place) {
  simdjson::dom::parser& parser = state_->parser;
  if (parser.capacity() < text.size() || parser.max_depth() != kDeepest)
    if (parser.allocate(std::max<std::size_t>(text.size(), 4096), kDeepest)) throw std::bad_alloc();
  Element root;
  const simdjson::error_code error = parser.parse(text.data(), text.size(), true).get(root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error == simdjson::DEPTH_ERROR)
    throw Error(Failure::Data, "JSON nested more than " + std::to_string(kDeepest) + " deep", place,
                "this is not an export of annotations");
  if (error == simdjson::STRING_ERROR || error == simdjson::UTF8_ERROR)
    throw Error(Failure::Data, "a JSON string here is not valid text", place,
                "check for a bad escape, half a surrogate pair, or bytes that are not UTF-8");
  if (error != simdjson::SUCCESS)
    throw Error(Failure::Data, "this is not valid JSON", place,
                "check that the file was written and copied whole");
  JsonValue value;
  value.place_ = std::bit_cast<std::array<std::size_t, 2>>(root);
  return value;
}

namespace {

Element element_of(const std::array<std::size_t, 2>& place) {
  return std::bit_cast<Element>(place);
}

}  // namespace

bool JsonValue::is_null() const {
  return element_of(place_).is_null();
}
bool JsonValue::is_array() const {
  return element_of(place_).is_array();
}
bool JsonValue::is_object() const {
  return element_of(place_).is_object();
}

std::optional<std::string_view> JsonValue::text() const {
  std::string_view text;
  if (element_of(place_).get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::string JsonValue::plain() const {
  if (const auto string = text()) return std::string(*string);
  return is_null() ? std::string() : simdjson::minify(element_of(place_));
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  simdjson::dom::object object;
  Element member;
  if (element_of(place_).get_object().get(object) != simdjson::SUCCESS ||
      object.at_key(key).get(member) != simdjson::SUCCESS)
    return std::nullopt;
  JsonValue value;
  value.place_ = std::bit_cast<std::array<std::size_t, 2>>(member);
  return value;
}

void JsonValue::for_each(const std::function<void(const JsonValue&)>& visit) const {
  simdjson::dom::array array;
  if (element_of(place_).get_array().get(array) != simdjson::SUCCESS) return;
  for (const Element element : array) {
    JsonValue value;
    value.place_ = std::bit_cast<std::array<std::size_t, 2>>(element);
    visit(value);
  }
}

void JsonValue::for_members(
    const std::function<void(std::string_view, const JsonValue&)>& visit) const {
  simdjson::dom::object object;
  if (element_of(place_).get_object().get(object) != simdjson::SUCCESS) return;
  for (const auto member : object) {
    JsonValue value;
    value.place_ = std::bit_cast<std::array<std::size_t, 2>>(member.value);
    visit(member.key, value);
  }
}

}  // namespace sieve
