#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/threads.h"

// Collective operations of the ranks, made of exchanges between two of them.
namespace sieve {

// `bytes` consists of one slot per rank, all of one size. Each rank has filled its own; afterwards
// all ranks have all slots.
void gather_slots(Team& team, std::span<std::byte> bytes);

template <class T>
void gather_slots(Team& team, std::span<T> values) {
  gather_slots(team, std::as_writable_bytes(values));
}

// One value of every rank, in the order of the ranks.
template <class T>
std::vector<T> gathered(Team& team, const T& mine) {
  std::vector<T> all(team.size());
  all[team.rank()] = mine;
  gather_slots(team, std::span<T>(all));
  return all;
}

// values = the sum of the values of all ranks, added as a binary tree over the ranks, so that the
// bits do not depend on who adds. `room` is as long as `values`.
template <class Real>
void sum_ranks(Team& team, std::span<Real> values, std::span<Real> room);

// The text of rank 0, on every rank.
std::string from_first_rank(Team& team, std::string text);

}  // namespace sieve
