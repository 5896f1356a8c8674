#include "json.h"

#include <nlohmann/json.hpp>

namespace sieve {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

}  // namespace sieve
