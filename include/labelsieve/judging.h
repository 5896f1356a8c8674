#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/clean.h"
#include "labelsieve/files.h"
#include "labelsieve/learner.h"
#include "labelsieve/observation.h"

// How much of a data set's candidates a method believes.
namespace sieve {

// What was found out about the people who ticked, and by them.
struct CrowdFindings {
  std::vector<LabelQuality> labels;
  std::vector<PersonQuality> people;  // in the order of the votes' people
  std::vector<CellBelief> missing;    // cells nobody ticked that are more likely right than not
  HeldOutCheck check;                 // do held-out votes come true as often as claimed?
};

// What ticks without names say.
struct UnionFindings {
  std::vector<UnionLabel> labels;
  std::vector<CellBelief> missing;  // as above, where some were taken to be missing
};

// A data set and how sure a method is of its candidates.
struct Judged {
  Dataset data;
  CandidateScores confidence;
  std::string judge;                        // "pml-gan, 5 folds"
  std::optional<CrowdFindings> crowd{};     // where it is known who ticked what
  std::optional<UnionFindings> nameless{};  // where it is not, and no finished model judged
  std::shared_ptr<const Model> model{};     // one that judged, where it was asked for

  // Whether there are intervals of noise: see NoiseOfLabel.
  bool has_intervals() const { return crowd || nameless; }
  // Cells nobody ticked that are more likely right than not, the likeliest first.
  std::span<const CellBelief> missing() const;
};

// By a finished model, though it may have seen the rows. The labels come out in the order of the
// model's.
Judged judge_in_sample(Dataset data, const Model& model, std::string judge, ThreadPool& pool);

// Every row by models that have not seen it, and by how ticks come about (observation.h): where it
// is known who ticked what, by the habits of the people; else by how often each label is ticked
// where it is not right. `gold` are cells that an expert decided. `missing` is the share of the
// right labels that nobody ticked, if it is not known who did: with 0, there are none to find.
// Takes 4 bytes per row and label.
struct JudgeOptions {
  std::span<const GoldCell> gold{};
  double missing = 0;
  bool keep_model = false;  // Judged::model: the only one, or that of the last fold
};
Judged judge_out_of_fold(Dataset data, const Learner& learner, std::string judge, std::size_t folds,
                         const FitOptions& fit, const JudgeOptions& options = {});

// By what people ticked alone. Error(Usage) if it is not known who ticked what.
Judged judge_by_votes_alone(Dataset data, ThreadPool& pool);

// The same rows with what is likely taken for certain: beliefs of 1 for labels that are at least as
// likely right (rows x labels) as not, of 0 for all others.
TrainingData with_likely_labels(const TrainingData& data, Matrix right);

// What a method should learn from where it is known who ticked what: beliefs are how likely votes,
// and a predictor that has not seen the row, make each label; cells of `gold` are as decided, and
// rows that nobody looked at are left out. The predictor is fitted on the labels that the votes
// alone make likely. Error(Usage) without votes; else what the fits throw.
TrainingData labels_by_votes(const TrainingData& data, const Learner& learner, std::size_t folds,
                             const FitOptions& fit, std::span<const GoldCell> gold = {});

// Decided cells from a CSV file with a line per cell: the row's id (or number, where there are no
// ids), the label, and 1 or 0 (yes or no, true or false). Error(Data) with file and line for a row
// or label that is not in the data, and for a cell decided twice in two ways.
std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data);

struct CleanOptions {
  std::size_t folds = 5;         // how often the method is trained, each time on the other rows
  double threshold = 0.5;        // candidates of less confidence are removed
  FitOptions fit;                // seed, threads and progress
  std::vector<GoldCell> gold{};  // cells an expert decided
  double missing = 0;            // see JudgeOptions
};
struct Cleaned {
  Judged judged;  // the data as it came, with the confidence in each candidate
  CleanedLabels labels;
  std::vector<JudgedCandidate> suspects;  // all candidates, the most suspicious first
};
// Judges every candidate out of fold and removes those that are more likely noise than not.
Cleaned clean(Dataset data, const Learner& learner, const CleanOptions& options = {});

// How much of a label's candidates is noise, as the judge sees it and in truth; NaN where unknown.
// The interval should hold the real share nine times out of ten; a finished model, which may have
// seen the rows, has none to offer.
struct NoiseOfLabel {
  std::size_t candidates = 0;
  double estimated = 0, real = 0;
  double low = 0, high = 0;
};
std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged);

// The mean over all candidates; 0 for none.
double mean_noise(const std::vector<NoiseOfLabel>& labels);

// How well the confidences tell right candidates from noise; nothing where the truth is not known.
// Takes 8 bytes per candidate meanwhile.
struct CleaningQuality {
  double auc = 0, average_precision = 0;
};
std::optional<CleaningQuality> cleaning_quality(const Judged& judged);

// The candidates in the order given, with their confidence (and the id of the row and the truth,
// where known) as CSV.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file);
// How likely each label of each row is (rows x labels), as predictions are written: CSV with a
// column of ids where there are any, of row numbers, and one per label.
void write_posterior(const Dataset& data, const Matrix& posterior, OutputStream& file);
// Labels that nobody ticked but that are likely right, the likeliest first, as CSV.
void write_missing(const Judged& judged, OutputStream& file);
// What to ask next, as ask_next() lists it, as CSV.
void write_questions(const Dataset& data, std::span<const Question> questions, OutputStream& file);

}  // namespace sieve
