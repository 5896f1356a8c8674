#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sieve {

// The processes that mpirun or srun started together. Every call is made by all ranks, in the same
// order, and waits for all of them: a rank that died is waited for without end.
class Ranks {
 public:
  virtual ~Ranks() = default;  // all ranks leave together

  virtual int rank() const = 0;  // 0 ... size() - 1
  virtual int size() const = 0;
  // What every rank gave, by rank. Error(Io) if MPI fails.
  virtual std::vector<std::string> gather_all(const std::string& mine) = 0;
};

// Joins the ranks that this process was started with; once in the life of a process. MPI is loaded
// here and nowhere else, so that a plain run does not pay for it. Error(Io) if this LabelSieve was
// built without MPI or the library is not there.
std::unique_ptr<Ranks> join_ranks();

}  // namespace sieve
