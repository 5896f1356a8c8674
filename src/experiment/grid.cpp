#include "experiment/grid.h"

#include <utility>

#include "experiment/rank_crew.h"

namespace sieve {

GridTally lead_grid(Agenda& agenda, const ExperimentOptions& options, GridPlace place,
                    Progress& progress) {
  RankCrew crew(std::move(*place.point), place.ranks, options.jobs, agenda.plan, agenda.data);
  try {
    const Tally tally = run_experiment(agenda, options, crew, progress);
    crew.dismiss();
    return {tally, crew.notes()};
  } catch (const Error& error) {
    crew.dismiss(&error);
    throw;
  }
}

}  // namespace sieve
