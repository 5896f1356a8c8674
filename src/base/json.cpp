#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

}  // namespace sieve
