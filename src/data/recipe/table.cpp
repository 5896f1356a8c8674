#include "data/recipe/table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {

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

RawTable RawTable::select_rows(std::span<const std::size_t> rows) const {
  RawTable out{names, Matrix(rows.size(), columns()), {}, path};
  const CellTexts::ByRow all(texts, numbers.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(numbers.row(rows[i]), out.numbers.row(i).begin());
    all.for_each(rows[i], [&](const CellTexts::Cell& cell, std::string_view text) {
      out.texts.add(i, cell.column, place(cell), text);
    });
  }
  return out;
}

namespace {

// What the features of a set are before a recipe is there: a table without text.
RawTable table_of(RawSet& set) {
  if (set.table) return std::move(*set.table);
  return {set.data.feature_names,
          set.data.features.to_dense(std::numeric_limits<std::size_t>::max()),
          {},
          set.data.name};
}

}  // namespace

RawSet stack_rows(RawSet above, RawSet below) {
  if (!above.table && !below.table)
    return {stack_rows(std::move(above.data), below.data), std::nullopt};
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
  return {std::move(data), std::move(top)};
}

bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 5> kWords = {"na", "n/a", "nan", "?", "null"};
  return cell.empty() ||
         (cell.size() <= 4 && std::ranges::any_of(kWords, [&](std::string_view word) {
            return same_word(cell, word);
          }));
}

}  // namespace sieve
