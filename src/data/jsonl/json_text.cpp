#include "data/jsonl/json_text.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "data/text/utf.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

const char* skip_digits(const char* p, const char* end) {
  return std::find_if(p, end, [](char c) { return c < '0' || c > '9'; });
}

// Whether JSON writes a number like this: not 0012, +5, .5 or 5.
bool is_json_number(std::string_view text) {
  const char *p = text.data(), *end = p + text.size();
  if (p != end && *p == '-') ++p;
  const char* whole = p;
  p = skip_digits(p, end);
  if (p == whole || (*whole == '0' && p != whole + 1)) return false;
  if (p != end && *p == '.') {
    const char* fraction = ++p;
    p = skip_digits(p, end);
    if (p == fraction) return false;
  }
  if (p == end) return true;
  if (*p != 'e' && *p != 'E') return false;
  ++p;
  if (p != end && (*p == '-' || *p == '+')) ++p;
  return p != end && skip_digits(p, end) == end;
}

}  // namespace

std::string json_number(const std::string& text) {
  const bool is_literal = text == "true" || text == "false";
  return is_literal || is_json_number(text) ? text : json_quoted(text);
}

std::string json_quoted(const std::string& text) {
  if (!code_points_of_utf8(text))
    throw Error(Failure::Usage, "the names or texts are not valid UTF-8", {},
                "JSON cannot hold them: convert the data to UTF-8 first");
  return Json(text).text();
}

std::size_t skip_json_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

std::size_t end_of_json_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (depth == 0 && std::string_view(",]}: \t\r\n").find(c) != std::string_view::npos) {
      return at;
    } else if (c == ']' || c == '}') {
      --depth;
    } else {
      continue;
    }
    if (depth == 0) return at + 1;
  }
  return text.size();
}

std::vector<JsonPart> json_parts(std::string_view text, std::size_t at) {
  const bool object = text[at] == '{';
  const char close = object ? '}' : ']';
  std::vector<JsonPart> parts;
  for (at = skip_json_blanks(text, at + 1); at < text.size() && text[at] != close;) {
    JsonPart part;
    if (object) {
      const std::size_t end = end_of_json_value(text, at);
      const std::string_view key = text.substr(at, end - at);
      JsonParser parser;
      part.key = key.find('\\') == key.npos ? std::string(key.substr(1, key.size() - 2))
                                            : parser.parse(key, {}).plain();
      at = skip_json_blanks(text, skip_json_blanks(text, end) + 1);  // behind the colon
    }
    part.begin = at;
    part.end = end_of_json_value(text, at);
    at = skip_json_blanks(text, part.end);
    parts.push_back(std::move(part));
    if (at < text.size() && text[at] == ',') at = skip_json_blanks(text, at + 1);
  }
  return parts;
}

}  // namespace sieve
