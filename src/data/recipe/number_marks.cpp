#include "data/recipe/number_marks.h"

#include <string>

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

}  // namespace sieve
