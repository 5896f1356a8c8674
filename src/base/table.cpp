#include "base/table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace sieve {
namespace {

bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// How many bytes the code point at the front takes; 0 if it is none.
std::size_t code_point_size(std::string_view text) {
  const auto ones = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text[0])));
  const std::size_t size = std::max<std::size_t>(ones, 1);
  if (ones == 1 || ones > 4 || size > text.size()) return 0;
  const std::string_view rest = text.substr(1, size - 1);
  return std::ranges::any_of(rest, begins_code_point) ? 0 : size;
}

bool steers_a_terminal(std::string_view point) {
  const auto first = static_cast<unsigned char>(point[0]);
  if (point.size() == 1) return first < 0x20 || first == 0x7f;
  if (point.size() == 2) return point >= "\u0080" && point <= "\u009f";
  return (point >= "\u202a" && point <= "\u202e") || (point >= "\u2066" && point <= "\u2069");
}

void append_written_out(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out += c == '\n'   ? "\\n"
           : c == '\t' ? "\\t"
           : c == '\r' ? "\\r"
                       : std::string("\\x") + kDigits[byte / 16] + kDigits[byte % 16];
  }
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::size_t& widest() {
  static std::size_t columns = 0;
  return columns;
}

// Rows one below the other; the first of them has the names.
std::string folded(const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  constexpr std::size_t kIndent = 2;
  std::string out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    out += rows[r].front() + "\n";
    std::size_t at = 0;
    for (std::size_t c = 1; c < rows[r].size(); ++c) {
      if (rows[r][c].empty()) continue;
      const std::string& name = rows[0][c];
      const bool breaks = kIndent + count_code_points(name + " " + rows[r][c]) > width;
      const std::string cell = name + (name.empty() ? "" : breaks ? "\n    " : " ") + rows[r][c];
      const bool fits = at != 0 && at + 2 + count_code_points(cell) <= width;
      out += fits ? "  " : (at == 0 ? "" : "\n") + std::string(kIndent, ' ');
      at = breaks ? width : (fits ? at + 2 : kIndent) + count_code_points(cell);
      out += cell;
    }
    if (at != 0) out += "\n";
  }
  return out;
}

}  // namespace

void set_table_width(std::size_t columns) {
  widest() = columns;
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = code_point_size(text);
    const std::string_view point = text.substr(0, std::max<std::size_t>(size, 1));
    const bool stays = size != 0 && (!steers_a_terminal(point) || kept.find(point) != kept.npos);
    if (stays)
      out += point;
    else
      append_written_out(out, point);
    text.remove_prefix(point.size());
  }
  return out;
}

std::size_t display_width(const std::string& text) {
  return count_code_points(visible(text));
}

std::string shortened(const std::string& raw, std::size_t width) {
  const std::string text = visible(raw);
  if (count_code_points(text) <= width) return text;
  if (width == 0) return {};
  std::size_t end = 0, columns = 0;
  for (; end < text.size(); ++end)
    if (begins_code_point(text[end]) && ++columns == width) break;
  return text.substr(0, end) + "\u2026";
}

std::string bar(double share, std::size_t width) {
  static constexpr std::array<std::string_view, 8> kEighths = {
      "", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589"};
  if (!(share > 0)) return {};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::min(share, 1.0) * static_cast<double>(width) * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "\u2588";
  out += kEighths[eighths % 8];
  return out;
}

TextTable::TextTable(std::vector<std::string> header, std::vector<Align> align)
    : align_(std::move(align)) {
  align_.resize(header.size(), Align::Left);
  add(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(align_.size());
  for (std::string& cell : row) cell = visible(cell);
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> width(align_.size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      width[c] = std::max(width[c], count_code_points(row[c]));
  const std::size_t all = std::accumulate(width.begin(), width.end(), 2 * (width.size() - 1));
  if (widest() != 0 && all > widest()) return folded(rows_, widest());

  std::string out;
  const auto end_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < align_.size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string gap(width[c] - count_code_points(cell), ' ');
      if (c != 0) out += "  ";
      out += align_[c] == Align::Right ? gap + cell : cell + gap;
    }
    end_line();
    if (r != 0) continue;
    for (std::size_t c = 0; c < align_.size(); ++c) {
      if (c != 0) out += "  ";
      for (std::size_t i = 0; i < width[c]; ++i) out += "\u2500";
    }
    end_line();
  }
  return out;
}

}  // namespace sieve
