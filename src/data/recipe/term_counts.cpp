#include "data/recipe/term_counts.h"

#include <algorithm>
#include <utility>

namespace sieve {
namespace {

constexpr std::size_t kMostTerms = std::size_t{1} << 22;

}  // namespace

TermCounts::Slot& TermCounts::slot_of(std::uint64_t hash) {
  if (2 * used_ >= slots_.size()) grow(2 * slots_.size());
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].rows != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
  return slots_[at];
}

void TermCounts::grow(std::size_t capacity) {
  std::vector<Slot> old(capacity);
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.rows == 0) continue;
    std::size_t at = slot.hash & (capacity - 1);
    while (slots_[at].rows != 0) at = (at + 1) & (capacity - 1);
    slots_[at] = slot;
  }
}

void TermCounts::add(const TextTerm& term, std::size_t row) {
  Slot& slot = slot_of(term.hash);
  const auto mark = static_cast<std::uint32_t>(row + 1);
  if (slot.rows != 0 && slot.last == mark) return;
  if (slot.rows == 0) {
    ++used_;
    slot.hash = term.hash;
    slot.at = texts_.size();
    texts_ += term.text();
    slot.size = static_cast<std::uint32_t>(texts_.size() - slot.at);
  }
  ++slot.rows;
  slot.last = mark;
}

void TermCounts::add(const TermCounts& below) {
  for (const Slot& more : below.slots_) {
    if (more.rows == 0) continue;
    Slot& slot = slot_of(more.hash);
    if (slot.rows == 0) {
      ++used_;
      slot = {more.hash, 0, 0, texts_.size(), more.size};
      texts_ += below.text(more);
    }
    slot.rows += more.rows;
  }
  if (used_ > kMostTerms) drop_rare();
}

void TermCounts::drop_rare() {
  TermCounts kept;
  for (std::uint32_t least = 2; used_ > kMostTerms / 2; ++least, kept = TermCounts()) {
    for (const Slot& slot : slots_) {
      if (slot.rows < least) continue;
      Slot& to = kept.slot_of(slot.hash);
      to = {slot.hash, slot.rows, 0, kept.texts_.size(), slot.size};
      kept.texts_ += text(slot);
      ++kept.used_;
    }
    std::swap(*this, kept);
  }
}

std::vector<TermCounts::Count> TermCounts::most_frequent(std::size_t most) const {
  std::vector<Count> counts;
  const auto gather = [&](std::uint32_t least) {
    for (const Slot& slot : slots_)
      if (slot.rows >= least) counts.push_back({std::string(text(slot)), slot.rows});
  };
  gather(2);
  if (counts.empty()) gather(1);
  const auto more_frequent = [](const Count& a, const Count& b) {
    return a.rows != b.rows ? a.rows > b.rows : a.term < b.term;
  };
  if (counts.size() > most) {
    std::ranges::nth_element(counts, counts.begin() + static_cast<std::ptrdiff_t>(most),
                             more_frequent);
    counts.resize(most);
  }
  std::ranges::sort(counts, {}, &Count::term);
  return counts;
}

}  // namespace sieve
