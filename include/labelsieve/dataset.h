#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/feature_recipe.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/votes.h"

namespace sieve {

struct RawTable;

// The size of a data set.
struct DataShape {
  std::size_t rows = 0, features = 0, labels = 0;
};

// A multi-label data set in memory. All parts have the same number of rows.
//   candidates  paper: y. The labels a row was given, right ones and noise.
//   truth       the right labels, where known. For a clean set it equals the candidates.
//   votes       who assigned which label, where known (else null). Shared by copies, never changed.
//   ids         the names of the rows: empty, or one per row, no two the same.
//   recipe      how the features were made of the columns of a table; null: they are its numbers.
//   cells       the table as it came, where it was to be kept (ReadOptions::keep_cells); else
//   null.
// Names: label_names has one entry per label; feature_names is empty or has one per feature.
struct Dataset {
  std::string name;
  Features features;
  LabelMatrix candidates;
  std::optional<LabelMatrix> truth;
  std::vector<std::string> feature_names;
  std::vector<std::string> label_names;
  std::shared_ptr<const Votes> votes{};
  std::vector<std::string> ids{};
  std::shared_ptr<const FeatureRecipe> recipe{};
  std::shared_ptr<const RawTable> cells{};

  std::size_t rows() const { return candidates.rows(); }
  std::size_t labels() const { return candidates.labels(); }
  DataShape shape() const { return {rows(), features.cols(), labels()}; }
  Dataset select_rows(std::span<const std::size_t> rows) const;
  Dataset clone() const;
};

// The input of a method: a view of some rows of a data set, or of a caller's buffers. It has no
// field for the truth, so no method can learn from it by accident. Everything else that is known
// of a row belongs here, and subset() takes it along.
struct TrainingData {
  Features features;
  LabelMatrix candidates;
  std::vector<std::string> feature_names;
  std::vector<std::string> label_names;
  // Null where it is not known who ticked what. No method weighs votes by itself: train() of
  // pipeline.h does it for all of them.
  std::shared_ptr<const Votes> votes{};
  // The probability that each label is right, where it is known (with_beliefs(), train() of
  // pipeline.h); else null. Unlisted labels have probability 0. Methods that can learn from
  // probabilities do. The others learn from the candidates, which are then the labels of
  // probability one half or more.
  std::shared_ptr<const CandidateScores> beliefs{};
  std::shared_ptr<const FeatureRecipe> recipe{};  // for the model to keep

  std::size_t rows() const { return candidates.rows(); }
  std::size_t labels() const { return candidates.labels(); }
  // The given rows of these, in the given order; an empty list selects nothing. The features stay
  // where they are.
  TrainingData subset(std::span<const std::size_t> rows) const;
  // The same rows without the votes: the candidates are what any annotator assigned.
  TrainingData without_votes() const;
};

// All of a data set but the truth. Nothing is copied.
TrainingData training_data(const Dataset& data);

// The same rows with the probability that each label is right (rows x labels). Probabilities are
// rounded to 256ths and take 4 bytes each; those that round to 0 take nothing.
TrainingData with_beliefs(const TrainingData& data, const Matrix& right);

// Rows of `below` appended to `above`. Throws Error(Data) if features or labels differ in number,
// name or order, or only one of them has the truth, votes or ids, or an id stands in both, or their
// features were made by different recipes.
Dataset stack_rows(Dataset above, const Dataset& below);

// Equal in all parts, numbers bit for bit; the name of the set does not count.
bool same_content(const Dataset& a, const Dataset& b);

}  // namespace sieve
