#include "score_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "data/numbers.h"
#include "data/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

char delimiter_of(std::string_view line) {
  for (const char c : {'\t', ',', ';', '|'})
    if (line.find(c) != std::string_view::npos) return c;
  return ',';
}

// The fields of a line without blanks and quotes around them; a quoted field may hold delimiters.
std::vector<std::string_view> fields_of(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  std::size_t from = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != delimiter || quoted)) continue;
    std::string_view field = trimmed(line.substr(from, i - from));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    from = i + 1;
  }
  return fields;
}

std::optional<double> number_of(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

void append_row(MatrixD& values, const std::vector<std::string_view>& fields,
                const LineSource& lines) {
  if (fields.size() != values.cols())
    throw Error(
        Failure::Data,
        fmt::format("{} numbers here but {} in the lines before", fields.size(), values.cols()),
        {lines.name(), lines.line_number(), 0}, "every line needs one number a label");
  values.resize_rows(values.rows() + 1);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const std::optional<double> number = number_of(fields[k]);
    if (!number || !std::isfinite(*number))
      throw Error(Failure::Data, number_problem(fields[k]),
                  {lines.name(), lines.line_number(), k + 1}, "scores must be finite numbers");
    values(values.rows() - 1, k) = *number;
  }
}

}  // namespace

Scores read_scores(const std::string& path) {
  const auto in = open_unpacked(FileSystem::real(), path);
  LineSource lines(*in, path);
  Scores scores;
  char delimiter = ',';
  bool first = true;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    if (first) delimiter = delimiter_of(line);
    const std::vector<std::string_view> fields = fields_of(line, delimiter);
    if (first) {
      scores.values = MatrixD(0, fields.size());
      first = false;
      if (!std::ranges::all_of(fields, [](auto field) { return number_of(field).has_value(); })) {
        scores.names.assign(fields.begin(), fields.end());
        continue;
      }
    }
    append_row(scores.values, fields, lines);
  }
  if (scores.values.rows() == 0)
    throw Error(Failure::Data, "there are no rows of scores", {path, 0, 0});
  return scores;
}

}  // namespace sieve
