#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {

// Error(Data): a row whose features are so large that a model has no finite scores for it.
class NotFinite : public Error {
 public:
  // `row` counts from 0 among the rows that were asked about, the message from 1; `id` is the name
  // of the row, if it has one.
  NotFinite(std::size_t row, std::string reason, const std::string& id = {});

  std::size_t row() const { return row_; }
  const std::string& reason() const { return reason_; }  // without the row

 private:
  std::size_t row_;
  std::string reason_;
};

// What ask() gives. If it refuses a row, that row is called by its place among all: these are rows
// first, first + 1 and so on, with these names, if any.
template <class Ask>
auto ask_of_block(std::size_t first, std::span<const std::string> ids, Ask&& ask) {
  try {
    return std::forward<Ask>(ask)();
  } catch (const NotFinite& refused) {
    const std::size_t row = refused.row();
    throw NotFinite(first + row, refused.reason(), row < ids.size() ? ids[row] : "");
  }
}

// The same, where the rows that ask() is about are these of all.
template <class Ask>
auto ask_of_rows(std::span<const std::size_t> rows, Ask&& ask) {
  try {
    return std::forward<Ask>(ask)();
  } catch (const NotFinite& refused) {
    throw NotFinite(rows[refused.row()], refused.reason());
  }
}

}  // namespace sieve
