#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "labelsieve/matrix.h"

namespace sieve {

// Rows that are not stored as a matrix of ours: a caller's buffer, or other features seen in
// another form.
struct OuterRows {
  virtual ~OuterRows() = default;
  virtual RowEntries row(std::size_t i, RowRoom& room) const = 0;
  static Features features(std::shared_ptr<const OuterRows> rows) {
    return Features(std::move(rows));
  }
  // Null for rows in a matrix of ours.
  static const OuterRows* of(const Features& x) { return x.own_ ? nullptr : x.outer_.get(); }

  std::size_t rows = 0, cols = 0;
  bool sparse = false;
  std::shared_ptr<const void> keep;
  std::shared_ptr<const Features> behind;  // that are seen in another form; null: a buffer
};

}  // namespace sieve
