#include "base/team_work.h"

#include <cstdint>

namespace sieve {
namespace {

// A part of a buffer that is halved at each level of the tree: one half is kept, the other is the
// peer's.
template <class Real>
struct Halves {
  std::span<Real> kept, given;

  Halves(std::span<Real> all, bool upper)
      : kept(all.first(all.size() / 2)), given(all.subspan(all.size() / 2)) {
    if (upper) std::swap(kept, given);
  }
};

// Level `bit` of the tree over ranks. On the way down each of two peers adds up one half of what
// they share, on the way back they swap the halves.
template <class Real>
void sum_level(Team& team, std::size_t bit, std::span<Real> values, std::span<Real> room) {
  if (bit >= team.size()) return;
  const std::size_t peer = team.rank() ^ bit;
  const Halves<Real> halves(values, (team.rank() & bit) != 0);
  const std::span<Real> theirs = room.first(halves.kept.size());
  team.exchange(peer, std::as_bytes(halves.given), std::as_writable_bytes(theirs));
  for (std::size_t i = 0; i < theirs.size(); ++i) halves.kept[i] += theirs[i];
  sum_level(team, 2 * bit, halves.kept, room);
  team.exchange(peer, std::as_bytes(halves.kept), std::as_writable_bytes(halves.given));
}

}  // namespace

void gather_slots(Team& team, std::span<std::byte> bytes) {
  const std::size_t slot = bytes.size() / team.size();
  for (std::size_t width = 1; width < team.size(); width *= 2) {
    const std::size_t first = team.rank() / width * width, other = first ^ width;
    team.exchange(team.rank() ^ width, bytes.subspan(first * slot, width * slot),
                  bytes.subspan(other * slot, width * slot));
  }
}

template <class Real>
void sum_ranks(Team& team, std::span<Real> values, std::span<Real> room) {
  sum_level(team, 1, values, room);
}

std::string from_first_rank(Team& team, std::string text) {
  const std::vector<std::uint64_t> sizes = gathered(team, std::uint64_t{text.size()});
  text.resize(sizes[0]);
  const auto bytes = std::as_writable_bytes(std::span<char>(text));
  for (std::size_t peer = 1; peer < team.size(); ++peer)
    if (team.rank() == 0)
      team.exchange(peer, bytes, {});
    else if (team.rank() == peer)
      team.exchange(0, {}, bytes);
  return text;
}

template void sum_ranks(Team&, std::span<float>, std::span<float>);
template void sum_ranks(Team&, std::span<double>, std::span<double>);

}  // namespace sieve
