#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// Whether the shortest decimal of `number` is this text.
bool is_spelling_of(std::string_view text, float number);

// Which of them a reader keeps: none; those of columns that hold text as well, as these may be
// categories; or all, for the table to be written again.
enum class KeepSpellings { None, BesideText, All };

// How the numbers of a table were written, where that is not the shortest decimal of their 32-bit
// value: 0012, 1700000011, 2.50. Memory: 16 bytes per row that has any, and each text with two or
// three bytes more.
class Spellings {
 public:
  // Rows must not descend.
  void add(std::size_t row, std::size_t column, std::string_view text);
  // Those of a table whose rows come behind, from `first_row` on.
  void append(Spellings below, std::size_t first_row);
  bool empty() const { return rows_.empty(); }
  // Calls visit(column, text) for each of a row.
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    for (std::string_view entries = entries_of(row); !entries.empty();) {
      const std::size_t column = take_number(entries), size = take_number(entries);
      visit(column, entries.substr(0, size));
      entries.remove_prefix(size);
    }
  }
  Spellings select_rows(std::span<const std::size_t> rows) const;

 private:
  struct Row {
    std::size_t row;
    std::uint32_t piece, at;  // where its entries begin; they end where those of the next do
  };
  std::string& open_row(std::size_t row);
  std::string_view entries_of(std::size_t row) const;
  static std::size_t take_number(std::string_view& entries);

  std::vector<Row> rows_;
  std::vector<std::string> pieces_;  // entries of rows: column, size, text; none crosses pieces
};

}  // namespace sieve
