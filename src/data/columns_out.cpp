#include "data/columns_out.h"

#include <algorithm>

#include "data/label_columns.h"

namespace sieve {

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
