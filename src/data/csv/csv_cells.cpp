#include "data/csv/csv_cells.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "data/text/numbers.h"
#include "data/text/text_lines.h"

namespace sieve {

void CellCursor::skip_blanks() {
  while (p_ != end_ && (*p_ == ' ' || *p_ == '\t') && *p_ != delimiter_) ++p_;
}

void CellCursor::note_line_end(const char* at) {
  ++line_;
  line_start_ = at + 1;
}

bool CellCursor::next() {
  if (row_over_) return false;
  skip_blanks();
  cell_line_ = line_;
  cell_column_ = static_cast<std::size_t>(p_ - line_start_) + 1;
  if (p_ != end_ && *p_ == '"')
    read_quoted();
  else
    read_plain();
  row_over_ = p_ == end_ || *p_ == '\n';
  if (p_ == end_) return true;
  if (row_over_) note_line_end(p_);
  ++p_;
  return true;
}

void CellCursor::read_plain() {
  const char* start = p_;
  while (p_ != end_ && *p_ != delimiter_ && *p_ != '\n' && *p_ != '"') ++p_;
  if (p_ != end_ && *p_ == '"')
    throw Error(Failure::Data, "a double quote in a cell that does not begin with one", place(),
                "put the whole cell in double quotes and double those inside it");
  cell_ = {start, static_cast<std::size_t>(p_ - start)};
  if ((p_ == end_ || *p_ == '\n') && cell_.ends_with('\r')) cell_.remove_suffix(1);
  cell_ = trimmed(cell_);
}

void CellCursor::read_quoted() {
  unquoted_.clear();
  while (true) {
    const char* start = ++p_;  // behind a quote
    while (p_ != end_ && *p_ != '"') {
      if (*p_ == '\n') note_line_end(p_);
      ++p_;
    }
    if (p_ == end_)
      throw Error(Failure::Data, "a quoted cell begins here and is never closed", place(),
                  "close it with a double quote");
    unquoted_.append(start, p_);
    if (++p_ == end_ || *p_ != '"') break;
    unquoted_ += '"';
  }
  cell_ = unquoted_;
  skip_blanks();
  if (p_ != end_ && *p_ == '\r' && (p_ + 1 == end_ || p_[1] == '\n')) ++p_;
  if (p_ != end_ && *p_ != delimiter_ && *p_ != '\n')
    throw Error(Failure::Data, "text after the closing quote of a cell", place(),
                "double the quotes inside a quoted cell");
}

std::vector<std::string> cells_of(std::string_view row, std::size_t first_line, char delimiter,
                                  const std::string& file) {
  std::vector<std::string> cells;
  CellCursor cursor(row, first_line, delimiter, file);
  while (cursor.next()) cells.emplace_back(cursor.cell());
  return cells;
}

bool same_names(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

namespace {

constexpr std::size_t kLinesLookedAt = 10;
constexpr std::array kDelimiters = {',', '\t', ';', '|'};

// How often each of kDelimiters occurs outside quotes.
std::array<std::size_t, kDelimiters.size()> count_delimiters(std::string_view line) {
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool inside = false;
  for (const char c : line) {
    inside ^= c == '"';
    for (std::size_t k = 0; k < kDelimiters.size(); ++k)
      counts[k] += !inside && c == kDelimiters[k];
  }
  return counts;
}

bool is_value(std::string_view cell) {
  float ignored = 0;
  if (parse_float(cell, ignored) || !number_problem(cell).ends_with("is not a number")) return true;
  return std::ranges::any_of(std::array{"na", "n/a", "?", "null", "true", "false"},
                             [&](std::string_view word) { return same_word(cell, word); });
}

}  // namespace

char detect_delimiter(std::string_view text) {
  std::optional<std::array<std::size_t, kDelimiters.size()>> first;
  std::array<bool, kDelimiters.size()> even;
  even.fill(true);
  for (std::size_t lines = 0; lines < kLinesLookedAt && !text.empty();) {
    const std::string_view line = cut_line(text);
    if (trimmed(line).empty() || (first && text.empty())) continue;
    const auto counts = count_delimiters(line);
    if (!first) first = counts;
    for (std::size_t k = 0; k < counts.size(); ++k) even[k] &= counts[k] == (*first)[k];
    ++lines;
  }
  if (!first) return kDelimiters[0];
  std::size_t best = 0;
  const auto rank = [&](std::size_t k) {
    return std::pair((*first)[k] != 0 && even[k], (*first)[k]);
  };
  for (std::size_t k = 1; k < kDelimiters.size(); ++k)
    if (rank(k) > rank(best)) best = k;
  return kDelimiters[best];
}

bool is_header(std::string_view line, char delimiter, const std::string& file) {
  CellCursor cells(line, 1, delimiter, file);
  while (cells.next())
    if (!is_value(cells.cell())) return true;
  return false;
}

void append_csv_cell(std::string& out, std::string_view text, char delimiter) {
  constexpr std::string_view kBlanks = " \t";
  // Any of , tab ; | could be taken for the delimiter when that is detected; at the start of the
  // file, bytes from EF on could be taken for a byte-order mark.
  const bool plain =
      !text.empty() && text.find_first_of("\"\r\n,\t;|") == text.npos &&
      text.find(delimiter) == text.npos && kBlanks.find(text.front()) == kBlanks.npos &&
      kBlanks.find(text.back()) == kBlanks.npos && static_cast<unsigned char>(text.front()) < 0xEF;
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace sieve
