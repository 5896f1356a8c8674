#include "data/columns_out.h"

#include <algorithm>

#include "data/label_columns.h"

namespace sieve {

ColumnsOut::ColumnsOut(const Dataset& data)
    : data_(data), names_(data.cells ? data.cells->names : data.feature_names) {
  const std::size_t count = data.cells ? data.cells->columns() : data.features.cols();
  if (names_.empty()) names_ = numbered_names("feature", count);
  if (data.cells) cells_.emplace(data.cells->texts, data.cells->rows());
  numbers_.resize(count);
  texts_.resize(count);
}

void ColumnsOut::go_to(std::size_t row) {
  if (!cells_) return data_.features.copy_row(row, numbers_);
  std::ranges::copy(data_.cells->numbers.row(row), numbers_.begin());
  std::ranges::fill(texts_, std::nullopt);
  cells_->for_each(row, [&](const CellTexts::Cell& cell, std::string_view text) {
    texts_[cell.column] = text;
  });
}

}  // namespace sieve
