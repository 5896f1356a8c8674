#include "linalg/storage.h"

#include <algorithm>
#include <limits>

#include "labelsieve/threads.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRowsLookedAt = 4096;
constexpr std::size_t kSparseShare = 4;  // at most 1 / kSparseShare of the numbers is not 0
constexpr std::uint64_t kCopyShare = 4;  // of the memory may be taken by a copy
constexpr double kMostOfFile = 256e6;    // bytes that a copy of rows in a mapped file may take

struct SeenAsSparse final : OuterRows {
  RowEntries row(std::size_t i, RowRoom& room) const override {
    RowRoom inner;
    const RowEntries from = behind->row(i, inner);
    room.columns.clear();
    room.values.clear();
    for (std::size_t e = 0; e < from.count; ++e) {
      if (is_plain_zero(from.values[e])) continue;
      room.columns.push_back(from.columns != nullptr ? from.columns[e]
                                                     : static_cast<std::uint32_t>(e));
      room.values.push_back(from.values[e]);
    }
    return {room.columns.data(), room.values.data(), room.values.size()};
  }
};

struct SeenAsDense final : OuterRows {
  RowEntries row(std::size_t i, RowRoom& room) const override {
    room.values.resize(cols);
    behind->copy_row(i, room.values);
    return {nullptr, room.values.data(), cols};
  }
};

template <class Form>
Features seen(const Features& x, bool sparse) {
  auto form = std::make_shared<Form>();
  form->rows = x.rows(), form->cols = x.cols(), form->sparse = sparse;
  form->behind = std::make_shared<const Features>(x);
  return OuterRows::features(std::move(form));
}

// Our own matrices and views have none.
bool holds_no_zeros(const Features& x) {
  const OuterRows* outer = OuterRows::of(x);
  if (outer == nullptr || outer->behind) return true;
  RowRoom room;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const RowEntries row = x.row(i, room);
    if (std::any_of(row.values, row.values + row.count, is_plain_zero)) return false;
  }
  return true;
}

// Those of a large file are left there: that there is no room for them may be why they are.
bool may_be_copied(const Features& x, double bytes) {
  if (is_mapped(x) && bytes > kMostOfFile) return false;
  return bytes <= static_cast<double>(memory_limit() / kCopyShare);
}

}  // namespace

Features seen_as_sparse(const Features& x) {
  return seen<SeenAsSparse>(x, true);
}

Features seen_as_dense(const Features& x) {
  return seen<SeenAsDense>(x, false);
}

bool are_mostly_zero(const Features& x) {
  const std::size_t rows = std::min(x.rows(), kMostRowsLookedAt);
  RowRoom room;
  std::size_t entries = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const RowEntries row = x.row(r * x.rows() / rows, room);
    entries += row.count - static_cast<std::size_t>(
                               std::count_if(row.values, row.values + row.count, is_plain_zero));
  }
  give_back(x);
  return entries <= rows * x.cols() / kSparseShare;
}

Features stored_by_content(const Features& x) {
  if (x.rows() == 0 || x.cols() == 0) return x;
  const bool sparse = are_mostly_zero(x);
  if (sparse && x.is_sparse()) return holds_no_zeros(x) ? x : seen_as_sparse(x);
  if (x.is_sparse() == sparse) return x;
  const double cells = static_cast<double>(x.rows()) * static_cast<double>(x.cols());
  if (sparse)
    return may_be_copied(x, 8 * cells / kSparseShare) ? Features(x.to_sparse()) : seen_as_sparse(x);
  return may_be_copied(x, 4 * cells) ? Features(x.to_dense(std::numeric_limits<std::size_t>::max()))
                                     : seen_as_dense(x);
}

}  // namespace sieve
