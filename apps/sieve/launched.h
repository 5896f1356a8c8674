#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cluster/meeting.h"
#include "cluster/ranks.h"
#include "labelsieve/learner.h"
#include "options.h"

// Runs on several machines.
namespace sieve {

// The ranks this process was started with by mpirun or srun; nullptr for a run on its own, which
// never touches MPI. Error(Usage) under a srun that gives its tasks no MPI. If not all have started
// after `patience` seconds the process ends with the exit code of Failure::Io and says so.
std::unique_ptr<Ranks> launched_ranks(double patience);

// The place of this process among them; nullopt for a run on its own.
std::optional<GridPlace> launched_grid();

Option rank_timeout_option();

// The ranks that share one training; without mpirun or srun this process alone.
class TrainingRanks {
 public:
  // Error(Usage) if there are several and the method, or their number, cannot be shared.
  TrainingRanks(const Arguments& arguments, const MethodInfo& method);

  Team* team() { return team_ ? &*team_ : nullptr; }  // null: alone
  // The one that reads checkpoints, writes and talks.
  bool first() const { return !ranks_ || ranks_->rank() == 0; }
  // Runs `work` on every rank. If it fails on one, every rank ends with an error that names it.
  void together(const std::function<void()>& work);
  // The checkpoint that rank 0 has, if any, on every rank.
  std::optional<ModelState> shared(std::optional<ModelState> state);
  // From now on a noted request to end also ends the waiting for other ranks.
  void heed_stop_requests();

 private:
  std::unique_ptr<Ranks> ranks_;
  std::optional<RankTeam> team_;
};

}  // namespace sieve
