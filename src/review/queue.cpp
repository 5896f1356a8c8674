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
      done_(cells.size(), false) {
  for (const auto& [at, outcome] : ledger.decided()) refresh(at);
}

void Queue::refresh(Cell at) {
  const std::size_t cell = cells_.find(at);
  if (cell == ReviewCells::npos) return;
  const Outcome outcome = ledger_.outcome(at);
  const bool done = outcome.by_rule || outcome.looked >= overlap_;
  if (done != done_[cell]) done_count_ += done ? 1 : -std::size_t{1};
  done_[cell] = done;
}

bool Queue::ticked_by(std::uint32_t annotator, Cell at) const {
  if (votes_ == nullptr) return false;
  for (std::size_t annotation = votes_->first_annotation(at.row);
       annotation < votes_->first_annotation(at.row + 1); ++annotation)
    if (votes_->annotator(annotation) == annotator)
      return std::ranges::binary_search(votes_->ticked(annotation), at.label);
  return false;
}

bool Queue::shows(const QueueView& view, const ReviewCell& cell) const {
  if (view.kind != QueueView::Kind::All && cell.ticked != (view.kind == QueueView::Kind::Ticked))
    return false;
  if (view.label && *view.label != cell.at.label) return false;
  return !view.annotator || ticked_by(*view.annotator, cell.at);
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

std::optional<Placed> Queue::next(const CellProbabilities& probabilities, const QueueView& view,
                                  std::uint32_t reviewer, std::size_t from, Clock::time_point now) {
  std::optional<Placed> early;
  std::size_t index = 0;
  for (const std::uint32_t cell : probabilities.orders[static_cast<std::size_t>(view.order)]) {
    if (!shows(view, cells_[cell])) continue;
    const std::size_t here = index++;
    if (here < from && early) continue;
    if (!is_free(cell, reviewer, now)) continue;
    if (here >= from) {
      take(cells_[cell].at.row, reviewer, now);
      return Placed{cell, here};
    }
    early = Placed{cell, here};
  }
  if (early) take(cells_[early->cell].at.row, reviewer, now);
  return early;
}

void Queue::take(std::uint32_t row, std::uint32_t reviewer, Clock::time_point now) {
  std::erase_if(leases_, [&](const Lease& lease) {
    return lease.reviewer == reviewer || lease.until <= now;
  });
  leases_.push_back({reviewer, row, now + lease_});
}

std::size_t Queue::size(const CellProbabilities& probabilities, const QueueView& view) const {
  const auto& order = probabilities.orders[static_cast<std::size_t>(view.order)];
  if (view.kind == QueueView::Kind::All && !view.label && !view.annotator) return order.size();
  return static_cast<std::size_t>(
      std::ranges::count_if(order, [&](std::uint32_t cell) { return shows(view, cells_[cell]); }));
}

std::vector<std::size_t> Queue::list(const CellProbabilities& probabilities, const QueueView& view,
                                     std::size_t from, std::size_t most) const {
  std::vector<std::size_t> found;
  std::size_t index = 0;
  for (const std::uint32_t cell : probabilities.orders[static_cast<std::size_t>(view.order)]) {
    if (found.size() == most) break;
    if (!shows(view, cells_[cell])) continue;
    if (index++ >= from) found.push_back(cell);
  }
  return found;
}

}  // namespace sieve
