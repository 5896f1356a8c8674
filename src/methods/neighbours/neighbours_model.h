#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// Which rows are alike: each is tied to its nearest ones, more strongly the nearer they are for
// rows so far apart from others.
class RowGraph {
 public:
  static constexpr std::size_t kNeighbours = 30;
  static constexpr double kTiniest = 1e-9;  // distance

  // Of two rows at least.
  RowGraph(const Features& rows, ThreadPool& pool, Progress& progress);

  // What `given` (rows x labels) becomes when every row again and again takes over most of what its
  // neighbours say, and keeps some of its own. The same bits for any number of threads.
  Matrix spread(const Matrix& given, ThreadPool& pool) const;

 private:
  std::vector<std::size_t> starts_;  // of each row's ties
  std::vector<std::uint32_t> to_;
  std::vector<float> strength_;
};

// The mean of what the nearest of `points` say (points x labels), the nearer the more.
Matrix mean_of_neighbours(const Features& rows, const Features& points, const Matrix& said,
                          ThreadPool& pool);

// The directions in which rows differ most, once every feature varies alike.
struct Directions {
  std::vector<float> mean;  // one per feature
  Matrix turn;              // features x directions; none where no feature varies

  // rows x directions
  Matrix along(const Features& x, ThreadPool& pool) const;
};

// At most `most` directions, by subspace iteration: no more than the rows can tell apart. Sparse
// rows stay sparse. The same bits for any number of threads.
Directions learn_directions(const Features& x, std::size_t most, std::uint64_t seed,
                            ThreadPool& pool);

// What rows that are alike say of a row: labels were spread from annotated rows over all rows, with
// and without labels. A part of a blend.
class NeighboursModel final : public Model, public OutOfFoldModel {
 public:
  // Error(Model) if the state does not fit together.
  explicit NeighboursModel(ModelState state, Matrix held_out_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override;
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const Matrix* held_out_scores() const override {
    return held_out_.rows() > 0 ? &held_out_ : nullptr;
  }
  Matrix held_out_probabilities(const LabelMatrix& candidates) const override;

 private:
  ModelState state_;
  Directions directions_;
  Features points_;
  Matrix said_;
  Matrix held_out_;
};

// Null where no feature varies, or there are fewer than five rows with labels. `rates`: at what
// rate each label becomes a candidate where it is not right.
std::unique_ptr<NeighboursModel> fit_neighbours(const TrainingData& data,
                                                std::span<const float> rates, std::uint64_t seed,
                                                ThreadPool& pool, Progress& progress);

// For the table of the parts of a blend alone: no method of its own.
MethodInfo neighbours_method();

}  // namespace sieve
