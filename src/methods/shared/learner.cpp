#include "labelsieve/learner.h"

namespace sieve {

std::unique_ptr<Model> Learner::fit_rows(const TrainingData& data,
                                         std::span<const std::size_t> rows,
                                         const FitOptions& options) const {
  return fit(data.select_rows(rows), options);
}

}  // namespace sieve
