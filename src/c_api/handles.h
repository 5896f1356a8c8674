#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/c_api.h"
#include "labelsieve/dataset.h"
#include "labelsieve/learner.h"
#include "labelsieve/pipeline.h"

// What stands behind the handles of labelsieve/c_api.h.
namespace sieve {

// Labels as compressed rows. Error(Data) for more than 2^31 cells.
struct SparseLabels {
  explicit SparseLabels(const LabelMatrix& labels);
  std::vector<std::int32_t> starts, columns;
};

// The parts of a data set that have to be laid out anew to be looked at as arrays.
struct ArrayParts {
  // `features` are those of the caller, where the data looks at them.
  ArrayParts(const Dataset& data, const ls_matrix* features);
  void fill(const Dataset& data, ls_arrays& arrays) const;

 private:
  void lay_out_features(const Dataset& data);
  void lay_out_votes(const Votes& votes);

  ls_matrix shown_{};
  Features features_;
  std::vector<std::int32_t> starts_;  // of sparse features; with more than 2^31 entries ...
  std::vector<std::int64_t> long_starts_, long_columns_;  // ... these
  SparseLabels candidates_, truth_;
  std::vector<std::int64_t> row_, person_, label_, look_row_, look_person_;
  std::vector<std::int64_t> unsure_row_, unsure_person_, unsure_label_;
  std::vector<std::int64_t> group_;
  std::vector<std::uint8_t> grade_;
  std::vector<std::uint8_t> program_;
  std::vector<const char*> feature_names_, label_names_, ids_, people_;
};

// The other way round. Features stay where they are.
Dataset dataset_of(const ls_arrays& arrays);
LabelMatrix labels_of(const ls_matrix& matrix);
// Error(Data) for cells that the data does not have, and for one decided in two ways.
std::vector<GoldCell> gold_of(const ls_cell* cells, std::size_t count, const Dataset& data);
// Full rows of float32 or float64.
MatrixD scores_of(const ls_matrix& matrix);

}  // namespace sieve

struct ls_data {
  sieve::Dataset data;
  std::optional<ls_matrix> features{};  // of the caller
  std::once_flag laid_out{};
  std::unique_ptr<const sieve::ArrayParts> parts{};
};

struct ls_model {
  std::unique_ptr<const sieve::Model> model;
};

struct ls_cleaning {
  sieve::Judged judged;  // without the features
  std::vector<ls_cell> missing;
  std::vector<sieve::ExclusivePair> exclusive;  // labels that nobody ticks together
  bool looked_for_missing = false;              // without votes
};
