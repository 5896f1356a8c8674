#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

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

// The ranks that mpirun or srun started, as the team of a fit.
class RankTeam final : public Team {
 public:
  // A rank that does not answer for `patience` seconds counts as lost. `ranks` must outlive this.
  RankTeam(Ranks& ranks, double patience) : ranks_(ranks), patience_(patience) {}

  // Once `stop` says that the run should end, others are waited for only a moment longer: when a
  // rank has died, mpirun tells the others to end and kills them one second later.
  void heed(std::function<bool()> stop) { stop_ = std::move(stop); }

  std::size_t rank() const override { return static_cast<std::size_t>(ranks_.rank()); }
  std::size_t size() const override { return static_cast<std::size_t>(ranks_.size()); }
  void exchange(std::size_t peer, std::span<const std::byte> out, std::span<std::byte> in) override;

 private:
  Ranks& ranks_;
  double patience_;
  std::function<bool()> stop_ = [] { return false; };
};

// Runs `work` on every rank. Throws what failed here; what failed on another rank comes back as an
// error that names it. So either all ranks go on or none does.
std::optional<Error> together(Team& team, const std::function<void()>& work);

}  // namespace sieve
