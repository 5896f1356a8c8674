#pragma once

#include <functional>
#include <optional>

#include "cluster/ranks.h"
#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {

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
