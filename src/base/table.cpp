#include "base/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace sieve {
namespace {

bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_code_point));
}

std::string shortened(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
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
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(align_.size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> width(align_.size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      width[c] = std::max(width[c], display_width(row[c]));

  std::string out;
  const auto end_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < align_.size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string gap(width[c] - display_width(cell), ' ');
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
