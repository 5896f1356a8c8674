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
  // What every rank gave, by rank. All ranks call it, and a rank that died is waited for without
  // end. Error(Io) if MPI fails.
  virtual std::vector<std::string> gather_all(const std::string& mine) = 0;
  // Sends `out` to `peer` and takes `in` from it, which does the same; either may be empty. While
  // it waits it asks `give_up` over and over, and returns false once that says so: then the ranks
  // do not leave together any more. Error(Io) if MPI fails.
  virtual bool exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in,
                        const std::function<bool()>& give_up) = 0;
};

// Joins the ranks that this process was started with; once in the life of a process. MPI is loaded
// here and nowhere else, so that a plain run does not pay for it. Error(Io) if this LabelSieve was
// built without MPI or the library is not there.
std::unique_ptr<Ranks> join_ranks();

}  // namespace sieve
