#include "nn/batch_parts.h"

#include <algorithm>
#include <bit>

#include "base/team_work.h"
#include "labelsieve/error.h"
#include "linalg/compute.h"

namespace sieve {
namespace {

constexpr std::size_t kChunk = 1 << 13;

}  // namespace

BatchParts::BatchParts(std::size_t count, Team* team) : count_(count), team_(team) {
  if (!std::has_single_bit(count))
    throw Error(Failure::Usage,
                "a batch can be cut into 1, 2, 4, 8, ... parts, not " + std::to_string(count));
  if (!std::has_single_bit(ranks()) || ranks() > count)
    throw Error(Failure::Usage,
                std::to_string(ranks()) + " ranks cannot share " + std::to_string(count) +
                    " parts of a batch",
                {}, "start 1, 2, 4, 8, ... ranks, and set parts to at least as many");
}

void BatchParts::require_rows(std::size_t rows, const std::string& what) const {
  if (rows < count_)
    throw Error(Failure::Usage,
                std::to_string(rows) + " " + what + " cannot be cut into " +
                    std::to_string(count_) + " parts",
                {}, "set fewer parts or larger batches");
}

BatchParts::Rows BatchParts::rows_of(std::size_t part, std::size_t rows) const {
  return {part * rows / count_, (part + 1) * rows / count_};
}

BatchParts::Rows BatchParts::my_rows(std::size_t rows) const {
  return {rows_of(first(), rows).first, rows_of(first() + mine() - 1, rows).last};
}

BatchParts::Rows BatchParts::my_part(std::size_t i, std::size_t rows) const {
  const std::size_t start = my_rows(rows).first;
  const Rows part = rows_of(first() + i, rows);
  return {part.first - start, part.last - start};
}

std::size_t BatchParts::most_of_mine(std::size_t rows) const {
  return (mine() * rows + count_ - 1) / count_;
}

void BatchParts::gather_bytes(std::span<std::byte> bytes) const {
  gather_slots(*team_, bytes);
}

template <class Real>
void BatchParts::sum(ThreadPool& pool, std::span<Real> values, std::size_t size) const {
  const auto add = [&](std::size_t to, std::size_t from, std::size_t begin, std::size_t end) {
    Real* into = values.data() + to * size;
    const Real* more = values.data() + from * size;
    for (std::size_t i = begin; i < end; ++i) into[i] += more[i];
  };
  if (mine() > 1)
    compute(pool, (size + kChunk - 1) / kChunk, [&](std::size_t chunk) {
      const std::size_t begin = chunk * kChunk, end = std::min(size, begin + kChunk);
      for (std::size_t width = 1; width < mine(); width *= 2)
        for (std::size_t part = 0; part < mine(); part += 2 * width)
          add(part, part + width, begin, end);
    });
  if (team_ == nullptr) return;
  const ComputeScope scope;  // denormal numbers as above
  sum_ranks(*team_, values.first(size), values.subspan(mine() * size, size));
}

template void BatchParts::sum(ThreadPool&, std::span<float>, std::size_t) const;
template void BatchParts::sum(ThreadPool&, std::span<double>, std::size_t) const;

}  // namespace sieve
