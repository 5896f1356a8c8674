#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cluster/rank_team.h"
#include "labelsieve/learner.h"
#include "options.h"

namespace sieve {

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
