#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"

namespace sieve {

// "2417 x 103 x 14": rows x features x labels, "-" for no features.
std::string shape_text(const DataShape& shape);

// Candidates against the truth, over all rows.
struct LabelNoise {
  double candidates_per_row = 0, truth_per_row = 0, noise_per_row = 0;
  double noise_share = 0;         // of the candidate cells
  double noisy_rows_share = 0;    // rows with at least one noise label
  std::size_t truth_outside = 0;  // true cells that are not candidates
};
LabelNoise label_noise(const LabelMatrix& candidates, const LabelMatrix& truth);

// The same for labels that come in blocks of rows.
class LabelNoiseCount {
 public:
  void add(const LabelMatrix& candidates, const LabelMatrix& truth);
  LabelNoise noise() const;

 private:
  std::size_t rows_ = 0, noisy_rows_ = 0;
  std::size_t candidates_ = 0, truth_ = 0, noise_ = 0, truth_outside_ = 0;  // cells
};

struct LabelSummary {
  std::string name;
  std::size_t candidates = 0;        // rows
  std::size_t truth = 0, noise = 0;  // rows; 0 without the truth
};

// One annotator, counted.
struct PersonSummary {
  std::string name;
  std::size_t looks = 0, ticks = 0;
  // The share of the row's other annotators who assigned the same label, averaged over the ticks of
  // this person; NaN where nobody else annotated the row.
  double agreement = 0;
};

// The votes of a data set, counted.
struct VoteSummary {
  std::vector<PersonSummary> people;
  std::size_t looks = 0, ticks = 0;
  std::size_t empty_looks = 0;                   // without a tick
  double agreement = 0;                          // as above, over all ticks
  std::size_t fewest_looks = 0, most_looks = 0;  // at a row
  std::size_t unseen_rows = 0, rows_seen_once = 0;
  // A tie: exactly half of those who looked at the row ticked the label.
  std::size_t ties = 0, tied_rows = 0;
};
VoteSummary summarise(const Votes& votes);

// What to know about a data set before learning from it.
struct DatasetSummary {
  std::size_t rows = 0, features = 0, labels = 0;
  bool sparse = false;
  double filled_share = 0;  // features that are not zero
  std::size_t feature_bytes = 0, label_bytes = 0;
  double candidates_per_row = 0, density = 0;
  std::size_t label_sets = 0;  // distinct rows of candidates
  std::optional<LabelNoise> noise;
  std::vector<LabelSummary> per_label;

  std::size_t constant_features = 0, duplicate_rows = 0;
  std::size_t rows_without_candidates = 0, rows_with_all = 0, rows_without_truth = 0;
  bool has_ids = false;
  std::optional<VoteSummary> votes;
  std::vector<std::string> counting_features;  // that only number the rows, as ids do
  std::vector<std::string> list_like_labels;   // "cat|dog": perhaps a list that was not split
};
// Takes memory for a hash of every row.
DatasetSummary summarise(const Dataset& data);

// What a user should know before learning from this set, one sentence each.
std::vector<std::string> warnings_of(const DatasetSummary& summary);

}  // namespace sieve
