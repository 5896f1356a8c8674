#include <algorithm>
#include <optional>

#include "data/mat/mat5.h"
#include "data/text/utf.h"

namespace sieve {
namespace {

// All characters of a char array, in the order of the file (column by column).
std::u32string read_characters(Mat5Source& source, const MatVariable& variable) {
  const MatTag tag = source.next_tag();
  source.check_size(tag);
  std::optional<std::u32string> points;
  if (tag.type == MatType::Uint16 || tag.type == MatType::Utf16) {
    std::u16string units(tag.size / 2, u'\0');
    source.read_numbers(units.data(), units.size(), 2);
    points = code_points_of_utf16(units);
  } else if (tag.type == MatType::Utf8 || tag.type == MatType::Int8 || tag.type == MatType::Uint8) {
    std::string bytes(tag.size, '\0');
    source.read(bytes.data(), bytes.size());
    points = code_points_of_utf8(bytes);
  }
  if (!points) source.refuse("the text in '" + variable.name + "' is not valid UTF-8 or UTF-16");
  return *points;
}

// The rows of a char array, without trailing blanks where there are several.
std::vector<std::string> read_rows(Mat5Source& source, const MatVariable& variable) {
  const std::u32string points = read_characters(source, variable);
  if (variable.rows() == 1 || points.empty()) return {to_utf8(points)};
  if (points.size() != variable.rows() * variable.cols())
    source.refuse("the char matrix '" + variable.name + "' is not filled");
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < variable.rows(); ++i) {
    std::u32string row;
    for (std::size_t j = 0; j < variable.cols(); ++j) row += points[j * variable.rows() + i];
    row.erase(row.find_last_not_of(U' ') + 1);
    rows.push_back(to_utf8(row));
  }
  return rows;
}

std::string read_cell(Mat5Source& source, const MatVariable& list) {
  const MatTag tag = source.next_tag();
  if (tag.type != MatType::Variable) source.refuse("the cell array '" + list.name + "' ends early");
  if (tag.size == 0) return {};
  source.enter();
  MatVariable cell = read_mat_header(source);
  cell.name = list.name;
  if (cell.kind != MatClass::Char || cell.shape.size() != 2)
    source.refuse("'" + list.name + "' should hold strings, but a cell is of class " +
                  class_name(cell));
  return read_rows(source, cell).front();
}

}  // namespace

std::vector<std::string> read_string_list(Mat5Source& source, const MatVariable& variable) {
  std::vector<std::string> strings;
  if (variable.kind == MatClass::Char) {
    strings = read_rows(source, variable);
  } else {
    const std::size_t count = variable.rows() * variable.cols();
    for (std::size_t i = 0; i < count; ++i) strings.push_back(read_cell(source, variable));
  }
  source.finish();
  return strings;
}

}  // namespace sieve
