#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "labelsieve/threads.h"

namespace sieve {

// How a batch is cut up: into parts of neighbouring rows. What is summed over the batch is summed
// for each part alone, and the parts are added as a binary tree. Ranks have neighbouring parts, as
// many each: the bits depend on the number of parts, not on how many ranks share them.
class BatchParts {
 public:
  struct Rows {
    std::size_t first, last;
    std::size_t count() const { return last - first; }
  };

  // Error(Usage) unless `count` is a power of two and each rank can have a part.
  explicit BatchParts(std::size_t count = 1, Team* team = nullptr);

  std::size_t count() const { return count_; }           // of all ranks
  std::size_t mine() const { return count_ / ranks(); }  // of this rank
  std::size_t first() const {
    return team_ != nullptr ? team_->rank() * mine() : 0;
  }  // part of this rank
  Team* team() const { return team_; }
  // Error(Usage) unless each part of so many `what` has at least one.
  void require_rows(std::size_t rows, const std::string& what) const;

  // Of a batch of `rows` rows: part `part`, and all parts of this rank.
  Rows rows_of(std::size_t part, std::size_t rows) const;
  Rows my_rows(std::size_t rows) const;
  // The i-th part of this rank, counted from the first row of this rank.
  Rows my_part(std::size_t i, std::size_t rows) const;
  // No batch of up to `rows` rows has more on one rank.
  std::size_t most_of_mine(std::size_t rows) const;

  // `values` has one slot a part. This rank has filled those of its parts; afterwards all are.
  template <class T>
  void gather(std::span<T> values) const {
    if (team_ != nullptr) gather_bytes(std::as_writable_bytes(values));
  }
  // How many buffers a sum needs: one for each part of this rank, and with a team one to exchange.
  std::size_t buffers() const { return mine() + (team_ != nullptr ? 1 : 0); }
  // `values` is buffers() times `size` numbers, the first mine() of them filled. The first becomes
  // the sum over all parts of all ranks. What is zero in all parts stays zero in their buffers.
  template <class Real>
  void sum(ThreadPool& pool, std::span<Real> values, std::size_t size) const;

 private:
  std::size_t ranks() const { return team_ != nullptr ? team_->size() : 1; }
  void gather_bytes(std::span<std::byte> bytes) const;

  std::size_t count_;
  Team* team_;
};

}  // namespace sieve
