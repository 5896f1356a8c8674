#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sieve {

// The processes that mpirun or srun started together.
class Ranks {
 public:
  virtual ~Ranks() = default;  // all ranks leave together

  virtual int rank() const = 0;  // 0 ... size() - 1
  virtual int size() const = 0;
  // What every rank gave, by rank. All ranks must call it; it waits forever for a rank that died.
  // Error(Io) if MPI fails.
  virtual std::vector<std::string> gather_all(const std::string& mine) = 0;
  // Sends `out` to `peer` and receives `in` from it, while `peer` does the same; either may be
  // empty. While waiting it keeps asking `give_up`, and returns false once that returns true: from
  // then on the ranks no longer leave together. Error(Io) if MPI fails.
  virtual bool exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in,
                        const std::function<bool()>& give_up) = 0;
};

// Joins the ranks that this process was started with; only once per process. MPI is loaded
// here and nowhere else, so that a plain run does not pay for it. Error(Io) if this LabelSieve was
// built without MPI or the library is missing.
std::unique_ptr<Ranks> join_ranks();

}  // namespace sieve
