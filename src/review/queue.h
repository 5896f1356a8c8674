#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "review/cell_probabilities.h"
#include "review/ledger.h"

namespace sieve {

// Which cells a reviewer wants to see, and in which order.
struct QueueView {
  Order order = Order::Suspicion;
  enum class Kind { All, Ticked, Missing } kind = Kind::All;
  std::optional<std::uint32_t> label{};
  std::optional<std::uint32_t> annotator{};  // one who ticked it
  bool rows = false;                         // whole rows: their first cell stands for all
  double low = 0, high = 1;                  // probabilities between these
  enum class State { All, Open, Decided, Noted, Disputed } state = State::All;
  std::shared_ptr<const std::vector<bool>> found{};  // rows that a search found; null: all

  bool is_everything() const {
    return kind == Kind::All && !label && !annotator && low <= 0 && high >= 1 &&
           state == State::All && !found;
  }
};

// A cell and its place among those of a view.
struct Placed {
  std::size_t cell = 0, index = 0;
};

// Who gets which cell next. A row that one reviewer has before them is kept from the others for a
// while, and for good once enough of them have decided.
class Queue {
 public:
  using Clock = std::chrono::steady_clock;

  // All of it has to stay. `overlap` is how many people should decide each cell.
  Queue(const ReviewCells& cells, const Votes* votes, const Ledger& ledger, std::size_t overlap,
        std::chrono::seconds lease = std::chrono::minutes(10));

  // The first cell that this reviewer has not spoken on and nobody else is at, from `from` on and
  // then from the start; nothing if there is none left for them. They have its row from then on.
  std::optional<Placed> next(const CellProbabilities& probabilities, const QueueView& view,
                             std::uint32_t reviewer, std::size_t from, Clock::time_point now);
  // The reviewer looks at this row, whoever else does; what they had before is free again.
  void take(std::uint32_t row, std::uint32_t reviewer, Clock::time_point now);

  // A line about this cell was added or undone.
  void refresh(Cell at);

  // How many cells a view has, and those from `from` on, at most `most`.
  std::size_t size(const CellProbabilities& probabilities, const QueueView& view) const;
  std::vector<std::size_t> list(const CellProbabilities& probabilities, const QueueView& view,
                                std::size_t from, std::size_t most) const;
  // Rows whose cells are all decided, and rows with an open cell that is in doubt.
  struct RowCounts {
    std::size_t done = 0, doubtful = 0;
  };
  RowCounts count_rows(const CellProbabilities& probabilities) const;
  bool done(std::size_t cell) const { return done_[cell]; }
  std::size_t done() const { return done_count_; }
  std::size_t disputed() const { return disputed_count_; }

 private:
  struct Lease {
    std::uint32_t reviewer, row;
    Clock::time_point until;
  };
  bool shows(const CellProbabilities& probabilities, const QueueView& view, std::size_t cell) const;
  bool has_state(QueueView::State state, Cell at) const;
  // Calls visit(cell) for what a view shows, in its order, until it gives false.
  template <class Visit>
  void for_each_shown(const CellProbabilities& probabilities, const QueueView& view,
                      Visit&& visit) const;
  bool ticked_by(std::uint32_t annotator, Cell at) const;
  bool is_free(std::size_t cell, std::uint32_t reviewer, Clock::time_point now) const;
  bool is_free(const CellProbabilities& probabilities, const QueueView& view, std::size_t cell,
               std::uint32_t reviewer, Clock::time_point now) const;

  const ReviewCells& cells_;
  const Votes* votes_;
  const Ledger& ledger_;
  std::size_t overlap_;
  std::chrono::seconds lease_;
  std::vector<bool> done_;      // of each cell: enough people have decided it
  std::vector<bool> disputed_;  // ... and whether they decided it in two ways
  std::size_t done_count_ = 0, disputed_count_ = 0;
  std::vector<Lease> leases_;  // at most one for each reviewer
};

}  // namespace sieve
