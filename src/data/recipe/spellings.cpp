#include "data/recipe/spellings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/text/numbers.h"

namespace sieve {
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

}  // namespace sieve
