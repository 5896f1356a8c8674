#include "data/xlsx/sheet_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRows = 1048576, kMostColumns = 16384;
// A file that leaves out most cells must not become a table out of all proportion.
constexpr std::size_t kFreeEmptyCells = std::size_t{1} << 24, kEmptyCellsPerByte = 16;

// "C" of column 2.
std::string letters_of(std::size_t column) {
  std::string letters;
  for (std::size_t rest = column + 1; rest != 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters;
}

// The column, from 0, of a name such as "C5"; kMostColumns if it is none.
std::size_t column_of(std::string_view name) {
  std::size_t column = 0;
  for (const char c : name) {
    if (c < 'A' || c > 'Z' || column > kMostColumns) break;
    column = column * 26 + static_cast<std::size_t>(c - 'A' + 1);
  }
  return column == 0 ? kMostColumns : column - 1;
}

// The shortest decimal of the same number: programs write 0.29 as 0.28999999999999998, and 1E-05.
void shorten(std::string& text) {
  constexpr std::size_t kMostDigits = 16;
  if (text.find_first_of(text.size() < kMostDigits ? "eE" : ".eE") == text.npos) return;
  const auto number = parse_number<double>(text);
  if (!number) return;
  std::array<char, 32> out;
  text.assign(out.data(), std::to_chars(out.data(), out.data() + out.size(), *number).ptr);
}

}  // namespace

SheetText::SheetText(const Workbook& book, const Workbook::Sheet& sheet, Note note)
    : book_(book),
      path_(book.path_of(sheet)),
      hidden_(sheet.hidden),
      note_(std::move(note)),
      rows_(book.rows(sheet)) {}

std::size_t SheetText::read(char* into, std::size_t size) {
  // The second row tells where the line of names begins.
  while (table_rows_ < 2 && read_rows()) {
  }
  while (given_ == text_.size()) {
    text_.clear();
    given_ = 0;
    if (!read_rows()) return 0;
  }
  const std::size_t part = std::min(size, text_.size() - given_);
  std::memcpy(into, text_.data() + given_, part);
  given_ += part;
  return part;
}

bool SheetText::has_values() {
  while (width_ == 0 && read_rows()) {
  }
  return width_ != 0;
}

bool SheetText::read_rows() {
  pugi::xml_document document;
  if (!rows_.next(document)) {
    if (note_) write_notes();
    return false;
  }
  if (names_.row.empty()) {
    const std::string& prefix = rows_.prefix();
    names_ = {prefix + "row", prefix + "c", prefix + "v", prefix + "f", prefix + "is"};
  }
  for (const pugi::xml_node& row : document.children(names_.row.c_str())) add_row(row);
  return true;
}

void SheetText::add_row(const pugi::xml_node& node) {
  const pugi::xml_attribute given = node.attribute("r");
  const std::size_t number =
      given ? parse_number<std::size_t>(given.value()).value_or(0) : row_ + 1;
  if (number <= row_ || number > kMostRows)
    throw Error(Failure::Data, "the rows of the sheet are not in order", {path_, row_, 0},
                "open the workbook in a spreadsheet program and save it again");
  const std::size_t skipped = number - row_ - 1;
  row_ = number;
  read_cells(node);
  if (used_ != 0 && width_ == 0) begin_table();
  text_.append(skipped, '\n');
  lines_ += skipped;
  if (used_ != 0) write_cells();
  text_ += '\n';
  ++lines_;
}

void SheetText::read_cells(const pugi::xml_node& row) {
  used_ = 0;
  std::size_t next = 0;
  for (const pugi::xml_node& node : row.children(names_.cell.c_str())) {
    const pugi::xml_attribute name = node.attribute("r");
    const std::size_t column = name ? column_of(name.value()) : next;
    if (column < next || column >= kMostColumns)
      throw Error(Failure::Data, "the cells of this row are not in order", {path_, row_, 0},
                  "open the workbook in a spreadsheet program and save it again");
    next = column + 1;
    if (used_ == cells_.size()) cells_.emplace_back();
    cells_[used_].column = column;
    used_ += read_cell(node, cells_[used_]);
  }
}

// False for an empty one.
bool SheetText::read_cell(const pugi::xml_node& node, Cell& cell) {
  cell.text.clear();
  cell.kind = kText;
  const std::string_view type = node.attribute("t").value();
  const pugi::xml_node value = node.child(names_.value.c_str());
  if (type == "inlineStr") {
    append_rich_text(cell.text, node.child(names_.inline_text.c_str()), rows_.prefix());
  } else if (type == "s") {
    std::string_view text;
    const auto number = parse_number<std::size_t>(value.child_value());
    if (value && (!number || !book_.text(*number, text)))
      refuse_cell("refers to a text that is not in the workbook", cell.column,
                  "open the workbook in a spreadsheet program and save it again");
    cell.text = text;
  } else if (type == "str" || type == "d") {
    append_text(cell.text, value);
  } else if (type == "b") {
    if (value.first_child()) cell.text = value.child_value()[0] == '0' ? "FALSE" : "TRUE";
    cell.kind = kYesNo;
  } else if (type == "e") {
    append_text(cell.text, value);
    if (cell.text != "#N/A")
      refuse_cell("holds the error " + cell.text.substr(0, 40), cell.column,
                  "correct or clear the cell");
    cell.text.clear();
  } else {
    const pugi::xml_attribute style = node.attribute("s");
    read_number(value, style.as_uint(), cell);
  }
  if (cell.text.empty() && type != "str" && type != "e" && node.child(names_.formula.c_str()))
    refuse_cell("holds a formula, and its value is not in the file", cell.column,
                "open the workbook in a spreadsheet program and save it: that stores the values");
  return !cell.text.empty();
}

void SheetText::read_number(const pugi::xml_node& value, std::size_t style, Cell& cell) {
  cell.text = value.child_value();
  if (cell.text.empty()) return;
  if (book_.is_date(style)) {
    std::string date;
    const auto number = parse_number<double>(cell.text);
    if (number && append_date(date, *number, book_.counts_from_1904())) {
      cell.text = std::move(date);
      cell.kind = cell.text.find('-') == cell.text.npos   ? kTime
                  : cell.text.find(':') == cell.text.npos ? kDate
                                                          : kDateTime;
      return;
    }
  }
  if (cell.text.find_first_not_of("0123456789+-.eE") != cell.text.npos) return;
  cell.kind = kNumber;
  shorten(cell.text);
}

void SheetText::begin_table() {
  first_ = cells_.front().column;
  width_ = cells_[used_ - 1].column - first_ + 1;
}

void SheetText::write_cells() {
  if (++table_rows_ == 1) names_at_ = text_.size();
  if (table_rows_ == 2 && cells_.front().column + 1 == first_) {
    --first_, ++width_;
    text_.insert(names_at_, 1, kDelimiter);
  }
  const std::size_t last = first_ + width_ - 1;
  if (cells_.front().column < first_ || cells_[used_ - 1].column > last) {
    const std::size_t outside =
        cells_.front().column < first_ ? cells_.front().column : cells_[used_ - 1].column;
    refuse_cell("has a value, but is outside the table, whose first row has columns " +
                    letters_of(first_) + " to " + letters_of(last),
                outside,
                "give each column a name in the first row, and keep notes on another sheet");
  }
  empty_cells_ += width_ - used_;
  if (empty_cells_ > kFreeEmptyCells + kEmptyCellsPerByte * rows_.bytes_read())
    throw Error(Failure::Data, "nearly all cells of this sheet are empty", {path_, row_, 0},
                "keep the table alone on the sheet; wide and sparse data fits LIBSVM files");
  std::size_t column = first_;
  for (std::size_t i = 0; i < used_; ++i) {
    const Cell& cell = cells_[i];
    text_.append(cell.column - column, kDelimiter);
    column = cell.column;
    if (kinds_.size() <= cell.column) {
      kinds_.resize(cell.column + 1);
      names_of_columns_.resize(cell.column + 1);
    }
    if (table_rows_ == 1)
      names_of_columns_[cell.column] = cell.text;
    else
      kinds_[cell.column] |= cell.kind;
    if (cell.kind == kNumber) {
      text_ += cell.text;
    } else {
      append_csv_cell(text_, cell.text, kDelimiter);
      note_lines(cell);
    }
  }
  text_.append(last - column, kDelimiter);
}

void SheetText::note_lines(const Cell& cell) {
  const auto more = static_cast<std::size_t>(std::ranges::count(cell.text, '\n'));
  if (more == 0) return;
  lines_ += more;
  shifts_.emplace_back(lines_, (shifts_.empty() ? 0 : shifts_.back().second) + more);
}

ColumnTypes SheetText::types() const {
  ColumnTypes types;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const unsigned kinds = kinds_[k];
    const char* type = kinds == kText                                       ? "VARCHAR"
                       : kinds == kYesNo                                    ? "BOOLEAN"
                       : kinds == kDate                                     ? "DATE"
                       : kinds == kDateTime || kinds == (kDate | kDateTime) ? "TIMESTAMP"
                       : kinds == kTime                                     ? "TIME"
                                                                            : "";
    if (*type != 0) types.emplace(names_of_columns_[k], type);
  }
  return types;
}

std::size_t SheetText::row_of_line(std::size_t line) const {
  const auto after = std::ranges::lower_bound(
      shifts_, line, {},
      [](const std::pair<std::size_t, std::size_t>& shift) { return shift.first; });
  const std::size_t more = after == shifts_.begin() ? 0 : std::prev(after)->second;
  return line - std::min(line, more);
}

void SheetText::write_notes() {
  const Note note = std::exchange(note_, nullptr);
  if (hidden_) note(path_ + ": this sheet is hidden in the workbook, and was read");
  const std::string rest = rows_.rest();
  constexpr std::string_view kMerged = "mergeCell ref=\"";
  std::string some;
  std::size_t count = 0;
  for (std::size_t at = rest.find(kMerged); at != rest.npos; at = rest.find(kMerged, at + 1)) {
    const std::size_t begin = at + kMerged.size();
    if (++count <= 3)
      some += (some.empty() ? "" : ", ") + rest.substr(begin, rest.find('"', begin) - begin);
  }
  if (count != 0)
    note(path_ + ": merged cells (" + some + (count > 3 ? ", ..." : "") +
         "): their value counts for the first cell alone, the others are empty");
}

void refuse_without_values(const std::string& path) {
  throw Error(Failure::Data, "there is no cell with a value in the workbook", {path, 0, 0},
              "check that it is the right file, and that it was saved");
}

void SheetText::refuse_cell(const std::string& what, std::size_t column,
                            const std::string& hint) const {
  throw Error(Failure::Data, "cell " + letters_of(column) + std::to_string(row_) + " " + what,
              {path_, row_, 0}, hint);
}

}  // namespace sieve
