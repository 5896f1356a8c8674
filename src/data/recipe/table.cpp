#include "data/recipe/table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "data/ids.h"
#include "data/label_columns.h"
#include "data/table_source.h"
#include "data/text/numbers.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {

NumberMarks::NumberMarks(const ReadOptions& options)
    : decimal_(options.table.decimal), thousands_(options.table.thousands) {
  if (!plain() || !options.recipe) return;
  decimal_ = options.recipe->decimal;
  thousands_ = options.recipe->thousands;
}

std::optional<std::string> NumberMarks::plain_text(std::string_view cell) const {
  if (plain()) return std::string(cell);
  const auto is_digit = [&](std::size_t at) {
    return at < cell.size() && cell[at] >= '0' && cell[at] <= '9';
  };
  std::string text;
  bool whole_part = true;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (thousands_ != 0 && cell[i] == thousands_) {
      const bool three = is_digit(i + 1) && is_digit(i + 2) && is_digit(i + 3) && !is_digit(i + 4);
      if (!whole_part || !three || i == 0 || !is_digit(i - 1)) return std::nullopt;
    } else if (cell[i] == decimal_) {
      whole_part = false;
      text += '.';
    } else if (cell[i] == '.' || cell[i] == ',') {
      return std::nullopt;
    } else {
      whole_part = whole_part && (is_digit(i) || text.empty());
      text += cell[i];
    }
  }
  return text;
}

namespace {

// Pieces are never moved as they grow, so that what is kept is not doubled for a moment.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Seven bits at a time, the low ones first.
void put_number(std::string& out, std::size_t number) {
  for (; number >= 128; number >>= 7) out += static_cast<char>(number | 128);
  out += static_cast<char>(number);
}

}  // namespace

bool is_spelling_of(std::string_view text, float number) {
  char digits[kMostFloatChars];
  return text ==
         std::string_view(digits, static_cast<std::size_t>(write_float(digits, number) - digits));
}

std::size_t Spellings::take_number(std::string_view& entries) {
  std::size_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(entries.front());
    entries.remove_prefix(1);
    number |= static_cast<std::size_t>(byte & 127U) << shift;
    if (byte < 128) return number;
  }
}

std::string& Spellings::open_row(std::size_t row) {
  if (!rows_.empty() && rows_.back().row == row) return pieces_.back();
  if (pieces_.empty() || pieces_.back().size() > kPieceBytes) pieces_.emplace_back();
  rows_.push_back({row, static_cast<std::uint32_t>(pieces_.size() - 1),
                   static_cast<std::uint32_t>(pieces_.back().size())});
  return pieces_.back();
}

void Spellings::add(std::size_t row, std::size_t column, std::string_view text) {
  std::string& entries = open_row(row);
  put_number(entries, column);
  put_number(entries, text.size());
  entries += text;
}

void Spellings::append(Spellings below, std::size_t first_row) {
  const auto before = static_cast<std::uint32_t>(pieces_.size());
  for (const Row& row : below.rows_)
    rows_.push_back({first_row + row.row, before + row.piece, row.at});
  for (std::string& piece : below.pieces_) piece.shrink_to_fit();
  std::ranges::move(below.pieces_, std::back_inserter(pieces_));
}

std::string_view Spellings::entries_of(std::size_t row) const {
  const auto found = std::ranges::lower_bound(rows_, row, {}, &Row::row);
  if (found == rows_.end() || found->row != row) return {};
  const auto next = std::next(found);
  const std::string_view piece = pieces_[found->piece];
  const std::size_t end =
      next != rows_.end() && next->piece == found->piece ? next->at : piece.size();
  return piece.substr(found->at, end - found->at);
}

Spellings Spellings::select_rows(std::span<const std::size_t> rows) const {
  Spellings out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for_each(rows[i], [&](std::size_t column, std::string_view text) { out.add(i, column, text); });
  return out;
}

void CellTexts::add(std::size_t row, std::size_t column, const Place& place,
                    std::string_view text) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (row > kMost || text.size() > kMost)
    throw Error(Failure::Data, "the table is too large to have text in it", place);
  const auto narrow = [&](std::size_t n) { return static_cast<std::uint32_t>(std::min(n, kMost)); };
  cells_.push_back(
      {narrow(row), narrow(column), narrow(place.line), narrow(place.column), narrow(text.size())});
  bytes_ += text;
}

void CellTexts::append(const CellTexts& below, std::size_t first_row) {
  below.for_each([&](const Cell& cell, std::string_view text) {
    add(first_row + cell.row, cell.column, {{}, cell.line, cell.at}, text);
  });
}

CellTexts CellTexts::select_rows(std::span<const std::size_t> rows) const {
  CellTexts out;
  const std::size_t known = cells_.empty() ? 0 : std::size_t{cells_.back().row} + 1;
  const ByRow all(*this, known);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < known)
      all.for_each(rows[i], [&](const Cell& cell, std::string_view text) {
        out.add(i, cell.column, {{}, cell.line, cell.at}, text);
      });
  return out;
}

void LeftOutTexts::append(const LeftOutTexts& below, std::size_t first_row) {
  std::vector<std::size_t> column_of;
  for (const std::string& name : below.names) {
    column_of.push_back(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
    if (column_of.back() == names.size()) names.push_back(name);
  }
  below.texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
    texts.add(first_row + cell.row, column_of[cell.column], {{}, cell.line, cell.at}, text);
  });
}

CellTexts::ByRow::ByRow(const CellTexts& texts, std::size_t rows)
    : texts_(texts), starts_(rows + 1) {
  std::size_t cell = 0, byte = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    starts_[i] = {cell, byte};
    for (; cell < texts.cells_.size() && texts.cells_[cell].row == i; ++cell)
      byte += texts.cells_[cell].size;
  }
  starts_[rows] = {cell, byte};
}

std::string RawTable::describe(std::size_t column) const {
  return names.empty() ? "column " + std::to_string(column + 1)
                       : "column '" + names[column].substr(0, 100) + "'";
}

std::string RawTable::number_text(std::size_t row, std::size_t column) const {
  std::string text;
  spellings.for_each(row, [&](std::size_t at, std::string_view spelling) {
    if (at == column) text = spelling;
  });
  if (text.empty()) append_float(text, numbers(row, column));
  return text;
}

RawTable RawTable::select_rows(std::span<const std::size_t> rows) const {
  const std::size_t own_rows = numbers.rows() == 0 ? 0 : rows.size();
  RawTable out{names,    Matrix(own_rows, columns()), {}, path, spellings.select_rows(rows), marks,
               unspelled};
  if (source) out.source = std::make_shared<const TableSource>(*source, rows);
  if (left_out)
    out.left_out = std::make_shared<const LeftOutTexts>(
        LeftOutTexts{left_out->names, left_out->texts.select_rows(rows)});
  if (own_rows == 0) return out;
  out.texts = texts.select_rows(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(numbers.row(rows[i]), out.numbers.row(i).begin());
  return out;
}

namespace {

Spellings spellings_of(const Dataset& data) {
  return data.cells ? data.cells->spellings : Spellings();
}

// What the features of a set are before a recipe is there: a table without text.
RawTable table_of(RawSet& set) {
  if (set.table) return std::move(*set.table);
  return {set.data.feature_names,
          set.data.features.to_dense(std::numeric_limits<std::size_t>::max()),
          {},
          set.data.name,
          spellings_of(set.data),
          {},
          std::move(set.unspelled)};
}

}  // namespace

void join_masks(std::vector<bool>& mask, const std::vector<bool>& more) {
  mask.resize(std::max(mask.size(), more.size()));
  for (std::size_t k = 0; k < more.size(); ++k) mask[k] = mask[k] || more[k];
}

std::shared_ptr<const RawTable> spelled_numbers(std::vector<std::string> names, Spellings spellings,
                                                std::size_t columns) {
  if (spellings.empty()) return nullptr;
  return std::make_shared<const RawTable>(
      RawTable{std::move(names), Matrix(0, columns), {}, {}, std::move(spellings)});
}

namespace {

RawSet stack_tables(RawSet above, RawSet below) {
  if (!above.table && !below.table) {
    Spellings spellings = spellings_of(above.data);
    spellings.append(spellings_of(below.data), above.data.rows());
    Dataset data = stack_rows(std::move(above.data), below.data);
    data.cells = spelled_numbers(data.feature_names, std::move(spellings), data.features.cols());
    join_masks(above.unspelled, below.unspelled);
    return {std::move(data), std::nullopt, std::move(above.unspelled)};
  }
  RawTable top = table_of(above);
  const RawTable bottom = table_of(below);
  // Names and numbers of columns are compared there.
  above.data.features = Matrix(top.rows(), top.columns());
  below.data.features = Matrix(bottom.rows(), bottom.columns());
  above.data.feature_names = top.names;
  below.data.feature_names = bottom.names;
  Dataset data = stack_rows(std::move(above.data), below.data);
  data.features = Features();
  const std::size_t before = top.rows();
  top.numbers.resize_rows(before + bottom.rows());
  for (std::size_t i = 0; i < bottom.rows(); ++i)
    std::ranges::copy(bottom.numbers.row(i), top.numbers.row(before + i).begin());
  top.texts.append(bottom.texts, before);
  top.spellings.append(bottom.spellings, before);
  join_masks(top.unspelled, bottom.unspelled);
  return {std::move(data), std::move(top)};
}

}  // namespace

RawSet stack_rows(RawSet above, RawSet below) {
  std::shared_ptr<TableSource> source;
  if (above.source && below.source) {
    source = std::make_shared<TableSource>(*above.source);
    source->append(*below.source);
  }
  std::shared_ptr<LeftOutTexts> left_out;
  if (above.left_out || below.left_out) {
    left_out = std::make_shared<LeftOutTexts>(above.left_out ? *above.left_out : LeftOutTexts());
    if (below.left_out) left_out->append(*below.left_out, rows_of(above));
  }
  RawSet set = stack_tables(std::move(above), std::move(below));
  set.source = std::move(source);
  set.left_out = std::move(left_out);
  return set;
}

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 5> kWords = {"na", "n/a", "nan", "?", "null"};
  return cell.empty() ||
         (cell.size() <= 4 && std::ranges::any_of(kWords, [&](std::string_view word) {
            return same_word(cell, word);
          }));
}

ColumnsOut::ColumnsOut(const Dataset& data) : data_(data) {
  if (data.cells && data.cells->rows() != 0) cells_.emplace(data.cells->texts, data.cells->rows());
}

std::size_t ColumnsOut::count() const {
  return data_.cells ? data_.cells->columns() : data_.features.cols();
}

std::vector<std::string> ColumnsOut::names() const {
  const std::vector<std::string>& names = data_.cells ? data_.cells->names : data_.feature_names;
  return names.empty() ? numbered_names("feature", count()) : names;
}

void ColumnsOut::go_to(std::size_t row) {
  numbers_.resize(count());
  texts_.assign(count(), std::nullopt);
  spellings_.resize(count());
  for (std::string& spelling : spellings_) spelling.clear();
  if (data_.cells)
    data_.cells->spellings.for_each(row, [&](std::size_t column, std::string_view text) {
      spellings_[column] = data_.cells->marks.plain_text(text).value_or("");
    });
  if (!cells_) return data_.features.copy_row(row, numbers_);
  std::ranges::copy(data_.cells->numbers.row(row), numbers_.begin());
  cells_->for_each(
      row, [&](const CellTexts::Cell& cell, std::string_view text) { texts_[cell.column] = text; });
}

}  // namespace sieve
