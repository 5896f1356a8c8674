#include "review/queue.h"

#include <algorithm>

namespace sieve {

Queue::Queue(const ReviewCells& cells, const Votes* votes, const Ledger& ledger,
             std::size_t overlap, std::chrono::seconds lease)
    : cells_(cells),
      votes_(votes),
      ledger_(ledger),
      overlap_(overlap),
      lease_(lease),
      done_(cells.size(), false),
      disputed_(cells.size(), false) {
  for (const auto& [at, outcome] : ledger.decided()) refresh(at);
}

void Queue::refresh(Cell at) {
  const std::size_t cell = cells_.find(at);
  if (cell == ReviewCells::npos) return;
  const Outcome outcome = ledger_.outcome(at);
  const bool done = outcome.by_rule || outcome.looked >= overlap_;
  if (done != done_[cell]) done_count_ += done ? 1 : -std::size_t{1};
  done_[cell] = done;
  const bool disputed = outcome.is_even();
  if (disputed != disputed_[cell]) disputed_count_ += disputed ? 1 : -std::size_t{1};
  disputed_[cell] = disputed;
}

bool Queue::ticked_by(std::uint32_t annotator, Cell at) const {
  if (votes_ == nullptr) return false;
  for (std::size_t annotation = votes_->first_annotation(at.row);
       annotation < votes_->first_annotation(at.row + 1); ++annotation)
    if (votes_->annotator(annotation) == annotator)
      return std::ranges::binary_search(votes_->ticked(annotation), at.label);
  return false;
}

bool Queue::has_state(QueueView::State state, Cell at) const {
  switch (state) {
    case QueueView::State::All:
      return true;
    case QueueView::State::Open:
      return !ledger_.outcome(at).decided();
    case QueueView::State::Decided:
      return ledger_.outcome(at).decided();
    case QueueView::State::Noted:
      return ledger_.is_noted(at.row);
    case QueueView::State::Disputed:
      return ledger_.outcome(at).is_even();
  }
  return true;
}

bool Queue::shows(const CellProbabilities& probabilities, const QueueView& view,
                  std::size_t number) const {
  const ReviewCell& cell = cells_[number];
  if (view.kind != QueueView::Kind::All && cell.ticked != (view.kind == QueueView::Kind::Ticked))
    return false;
  if (view.label && *view.label != cell.at.label) return false;
  if (view.found && !(*view.found)[cell.at.row]) return false;
  const auto right = static_cast<double>(probabilities.right[number]);
  if (right < view.low || right > view.high) return false;
  if (!has_state(view.state, cell.at)) return false;
  return !view.annotator || ticked_by(*view.annotator, cell.at);
}

template <class Visit>
void Queue::for_each_shown(const CellProbabilities& probabilities, const QueueView& view,
                           Visit&& visit) const {
  std::vector<bool> seen(view.rows ? cells_.rows() : 0, false);
  for (const std::uint32_t cell : probabilities.orders[static_cast<std::size_t>(view.order)]) {
    const std::uint32_t row = cells_[cell].at.row;
    if ((view.rows && seen[row]) || !shows(probabilities, view, cell)) continue;
    if (view.rows) seen[row] = true;
    if (!visit(std::size_t{cell})) return;
  }
}

bool Queue::is_free(std::size_t cell, std::uint32_t reviewer, Clock::time_point now) const {
  if (done_[cell]) return false;
  const Cell at = cells_[cell].at;
  if (ledger_.has_spoken(at, reviewer)) return false;
  const auto others = std::ranges::count_if(leases_, [&](const Lease& lease) {
    return lease.row == at.row && lease.reviewer != reviewer && lease.until > now &&
           !ledger_.has_spoken(at, lease.reviewer);
  });
  return ledger_.outcome(at).looked + static_cast<std::size_t>(others) < overlap_;
}

// A whole row is free if any of its cells is, and the reviewer has not passed over it. What was
// decided before can be looked through; a conflict waits for whoever had not the last word.
bool Queue::is_free(const CellProbabilities& probabilities, const QueueView& view, std::size_t cell,
                    std::uint32_t reviewer, Clock::time_point now) const {
  if (view.state == QueueView::State::Decided || view.state == QueueView::State::Noted) return true;
  if (view.state == QueueView::State::Disputed)
    return ledger_.last_words(cells_[cell].at).back().reviewer != reviewer;
  if (!view.rows) return is_free(cell, reviewer, now);
  const std::uint32_t row = cells_[cell].at.row;
  bool free = false;
  for (std::size_t other = cells_.first(row); other < cells_.first(row + std::size_t{1}); ++other) {
    if (ledger_.has_skipped(cells_[other].at, reviewer)) return false;
    free = free || (is_free(other, reviewer, now) && shows(probabilities, view, other));
  }
  return free;
}

std::optional<Placed> Queue::next(const CellProbabilities& probabilities, const QueueView& view,
                                  std::uint32_t reviewer, std::size_t from, Clock::time_point now) {
  std::optional<Placed> found;
  std::size_t index = 0;
  for_each_shown(probabilities, view, [&](std::size_t cell) {
    const std::size_t here = index++;
    if (here < from && found) return true;
    if (!is_free(probabilities, view, cell, reviewer, now)) return true;
    found = Placed{cell, here};
    return here < from;
  });
  if (found) take(cells_[found->cell].at.row, reviewer, now);
  return found;
}

void Queue::take(std::uint32_t row, std::uint32_t reviewer, Clock::time_point now) {
  std::erase_if(leases_, [&](const Lease& lease) {
    return lease.reviewer == reviewer || lease.until <= now;
  });
  leases_.push_back({reviewer, row, now + lease_});
}

std::size_t Queue::size(const CellProbabilities& probabilities, const QueueView& view) const {
  if (view.is_everything() && !view.rows) return cells_.size();
  std::size_t count = 0;
  for_each_shown(probabilities, view, [&](std::size_t) { return ++count > 0; });
  return count;
}

std::vector<std::size_t> Queue::list(const CellProbabilities& probabilities, const QueueView& view,
                                     std::size_t from, std::size_t most) const {
  std::vector<std::size_t> found;
  std::size_t index = 0;
  if (most == 0) return found;
  for_each_shown(probabilities, view, [&](std::size_t cell) {
    if (index++ >= from) found.push_back(cell);
    return found.size() < most;
  });
  return found;
}

Queue::RowCounts Queue::count_rows(const CellProbabilities& probabilities) const {
  RowCounts counts;
  for (std::size_t row = 0; row < cells_.rows(); ++row) {
    bool open = false, doubtful = false;
    for (std::size_t cell = cells_.first(row); cell < cells_.first(row + 1); ++cell) {
      if (done_[cell]) continue;
      open = true;
      doubtful |= is_doubtful(probabilities.right[cell]);
    }
    counts.doubtful += doubtful;
    counts.done += !open && cells_.first(row) != cells_.first(row + 1);
  }
  return counts;
}

}  // namespace sieve
