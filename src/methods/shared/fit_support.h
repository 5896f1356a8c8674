#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/stage_progress.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"

// What every method needs around its own work.
namespace sieve {

// The data as a method learns from it, which every fit begins with: the features are stored as
// their numbers have it, whatever they came in (stored_by_content() of linalg/storage.h).
// Error(Usage) for votes that were not weighed, and for weights where they are refused. Error(Data)
// if there is nothing to learn from, a feature is not a finite number, or a belief is not in [0,
// 1].
enum class RowWeights { Refused, Used };
TrainingData learnable(const TrainingData& data, RowWeights weights = RowWeights::Refused);

// The storage alone, without a check.
TrainingData stored_by_content(const TrainingData& data);

// The state of a model to come: method, options, names, seed, rows and their storage.
ModelState described_state(const std::string& method,
                           const std::map<std::string, std::string>& options,
                           const TrainingData& data, const FitOptions& fit);

// A matrix as a model file stores it.
template <class T>
Tensor tensor_of(std::string name, const BasicMatrix<T>& numbers) {
  Tensor tensor{std::move(name), {numbers.rows(), numbers.cols()}, {}};
  for (std::size_t i = 0; i < numbers.rows(); ++i)
    for (const T value : numbers.row(i)) tensor.values.push_back(static_cast<float>(value));
  return tensor;
}

// For a checkpoint that this fit did not write.
Error foreign_checkpoint();

// Threads and progress of a fit, with stand-ins where the caller gave none. For methods that write
// no checkpoints: Error(Model) if they are asked to resume from one.
class FitRun {
 public:
  explicit FitRun(const FitOptions& options);
  ThreadPool& pool() { return pool_; }
  Progress& progress() { return progress_; }
  // The next stage takes the fit up to this share of it (0 to 1).
  void until(double share) { progress_.until(share); }
  void begin(std::string_view stage, std::size_t total) { progress_.begin(stage, total); }
  // `done` units are finished. Error(Interrupted) after a stop request.
  void update(std::size_t done, std::string_view note = {});
  void end() { progress_.end(); }

 private:
  ThreadPool own_pool_;
  Progress silent_;
  ThreadPool& pool_;
  StageProgress progress_;
};

// Sparse and dense rows are scaled and centred in different ways, which rounding shows. A model has
// one way, that of its training, and brings rows that are stored otherwise into it: what a row is
// given does not depend on the file it came from.

// Whether the features of the training were sparse. Models of versions that did not keep it: where
// there are very many features.
bool works_on_sparse_rows(const ModelState& state);

// The rows as the model works on them: `x` itself, or a copy.
Features stored_for(const ModelState& state, const Features& x);

// Calls use(first, rows) for such rows block by block, so that there is never a copy of all.
// Error(Data) if the number of features is not that of the model.
void for_each_block(const ModelState& state, const Features& x,
                    const std::function<void(std::size_t first, const Features& rows)>& use);

}  // namespace sieve
