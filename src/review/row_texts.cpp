#include "review/row_texts.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/format_text.h"
#include "data/recipe/table.h"
#include "data/text/numbers.h"
#include "data/text/text_kinds.h"

namespace sieve {
namespace {

constexpr std::size_t kMostColumns = 12;

bool is_number(std::string_view cell) {
  float ignored = 0;
  return parse_float(cell, ignored);
}

// Adds the columns that hold more than numbers, as far as there is room.
class TextColumns {
 public:
  TextColumns(const std::vector<std::string>& names, const CellTexts& texts, std::size_t rows,
              RowTexts& into)
      : texts_(texts), into_(into), place_of_(names.size()) {
    std::vector<bool> readable(names.size());
    texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      if (!is_number(text)) readable[cell.column] = true;
    });
    for (std::size_t k = 0; k < names.size() && into.columns.size() < kMostColumns; ++k) {
      if (!readable[k]) continue;
      place_of_[k] = into.columns.size();
      into.columns.push_back(names[k]);
    }
    if (into.columns.empty()) return;
    into.rows.resize(rows);
    for (auto& row : into.rows) row.resize(into.columns.size());
  }

  void fill() const {
    texts_.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      if (const auto place = place_of_[cell.column]) into_.rows[cell.row][*place] = text;
    });
  }
  // The numbers in these columns.
  void fill_numbers(const RawTable& table) const {
    for (std::size_t k = 0; k < place_of_.size(); ++k)
      for (std::size_t row = 0; row < table.rows() && place_of_[k]; ++row)
        if (!std::isnan(table.numbers(row, k)))
          into_.rows[row][*place_of_[k]] = table.number_text(row, k);
  }

 private:
  const CellTexts& texts_;
  RowTexts& into_;
  std::vector<std::optional<std::size_t>> place_of_;
};

}  // namespace

RowTexts row_texts(const Dataset& data) {
  RowTexts texts;
  if (data.cells) {
    const RawTable& table = *data.cells;
    const TextColumns own(table.names, table.texts, data.rows(), texts);
    own.fill_numbers(table);
    own.fill();
    if (table.left_out)
      TextColumns(table.left_out->names, table.left_out->texts, data.rows(), texts).fill();
  }
  if (data.ids.empty() || media_type(data.ids.front()).empty()) return texts;
  texts.columns.insert(texts.columns.begin(), "id");
  texts.rows.resize(data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i)
    texts.rows[i].insert(texts.rows[i].begin(), data.ids[i]);
  return texts;
}

std::string excerpt(const RowTexts& texts, std::size_t row, std::size_t most) {
  std::string text;
  if (texts.empty()) return text;
  for (const std::string& cell : texts.rows[row]) {
    if (!text.empty() && !cell.empty()) text += " \u00b7 ";
    text += cell;
    if (text.size() > most) break;
  }
  return excerpt(std::move(text), most);
}

}  // namespace sieve
