#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/columns_out.h"
#include "data/formats.h"
#include "data/label_columns.h"
#include "data/text/text_writer.h"
#include "data/text/utf.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

std::string quoted(const std::string& text) {
  if (!code_points_of_utf8(text))
    throw Error(Failure::Usage, "the names or texts are not valid UTF-8", {},
                "JSON cannot hold them: convert the data to UTF-8 first");
  return Json(text).text();
}

// Names as keys of an object, each with its colon.
std::vector<std::string> keys_of(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(quoted(prefix + name) + ":");
  return keys;
}

void check_names_apart(const std::vector<std::string>& names, bool with_ids) {
  if (with_ids && std::ranges::find(names, kIdColumn) != names.end())
    throw Error(Failure::Usage, "a feature has the name 'id', as the key of ids", {},
                "rename the feature");
  for (const std::string& name : names)
    for (const char* prefix : {"label:", "candidate:", "truth:"})
      if (name.starts_with(prefix))
        throw Error(Failure::Usage, "feature '" + name + "' would be read back as a label", {},
                    "rename the feature");
}

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

// A number as it was written; as a text where JSON has no such numbers.
std::string json_number(const std::string& text) {
  const bool is_literal = text == "true" || text == "false";
  return is_literal || is_json_number(text) ? text : quoted(text);
}

void write_value(TextWriter& out, float number, const std::string& spelling,
                 const std::optional<std::string_view>& text) {
  if (text)
    out << quoted(std::string(*text));
  else if (!spelling.empty())
    out << json_number(spelling);
  else if (std::isnan(number))
    out << "null";
  else
    out << number;
}

}  // namespace

void write_jsonl(const Dataset& data, OutputStream& out, const WriteOptions& options) {
  const LabelColumnsOut labels = label_columns_to_write(data, options);
  const bool plain = labels.names == data.label_names;
  ColumnsOut columns(data);
  check_names_apart(columns.names(), !data.ids.empty());
  const std::vector<std::string> column_keys = keys_of(columns.names(), "");
  const std::string id_key = Json(std::string(kIdColumn)).text() + ":";
  const std::vector<std::string> label_keys = keys_of(labels.names, plain ? "label:" : "");
  TextWriter text(out);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    char between = '{';
    const auto next = [&](const std::string& key) -> TextWriter& {
      text << between << key;
      between = ',';
      return text;
    };
    if (!data.ids.empty()) next(id_key) << quoted(data.ids[i]);
    columns.go_to(i);
    for (std::size_t j = 0; j < columns.count(); ++j)
      write_value(next(column_keys[j]), columns.numbers()[j], columns.spellings()[j],
                  columns.texts()[j]);
    std::size_t k = 0;
    for (const LabelMatrix* matrix : labels.matrices)
      for (std::size_t label = 0; label < matrix->labels(); ++label)
        next(label_keys[k++]) << (matrix->get(i, label) ? '1' : '0');
    text << (between == '{' ? "{}" : "}");
    text.end_line();
  }
  text.flush();
}

}  // namespace sieve
