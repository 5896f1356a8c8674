#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/files.h"
#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/observation.h"
#include "labelsieve/predict.h"

// How data, votes, decided cells and a method become a model, judged candidates and cleaned labels.
// Whatever trains, judges or cleans asks here, so that the same request gives the same numbers.
namespace sieve {

// Parts that rows are cut into where nobody says otherwise, to be judged by models of the others.
constexpr std::size_t kDefaultFolds = 5;

// ---- training

// What a method learns from where it is known who ticked what.
enum class LearnFrom {
  VotesAndFeatures,  // how likely votes, and a predictor that has not seen the row, make each label
  VotesAlone,        // the labels that votes alone make likely
  Union,             // what anybody ticked
};

struct TrainRequest {
  std::string method{};                           // one of all_methods()
  std::map<std::string, std::string> settings{};  // those that are not at their defaults
  LearnFrom learn_from = LearnFrom::VotesAndFeatures;
  Aggregation aggregation = Aggregation::HeldOut;  // what votes alone make likely
  std::vector<GoldCell> gold{};  // cells that an expert decided: learnt as they are
  // Cells that reviewers decided: learnt as they are, too. Nothing about other cells follows from
  // them, since reviewers decide what looks wrong.
  std::vector<GoldCell> decided{};
  std::optional<std::vector<std::size_t>> rows{};  // to learn from; nothing: all
  std::size_t folds = kDefaultFolds;               // of the predictor that helps to weigh votes
  FitOptions fit{};
};
struct Trained {
  std::unique_ptr<Model> model{};
  std::size_t rows = 0;                 // that it learnt from: those that somebody looked at
  std::size_t candidates = 0;           // of the rows asked for, as they were given
  std::optional<std::size_t> likely{};  // labels in their place, where votes were weighed
  std::string names_ignored{};  // why it did not count who ticked what, although that is known
};
// Fits a method. An oracle learns from the truth: Error(Data) without it. Votes are weighed with a
// predictor that is fitted on the labels which they alone make likely; where annotators cannot be
// compared (Overlap), the method learns from what anybody ticked. Rows that nobody looked at are
// left out, except from a union. Error(Usage) for what the request has wrong; else what fits throw.
Trained train(const Dataset& data, const TrainRequest& request);

// ---- judging

// What is meant by a label being right.
//   Consensus  most of five further annotators like these would tick it; checked by held-out votes
//   Expert     an expert would; needs cells that one has decided
enum class TruthMeans { Consensus, Expert };

// What was found out about the people who ticked, and by them.
struct CrowdFindings {
  std::vector<LabelQuality> labels;
  std::vector<PersonQuality> people;  // in the order of the votes' people
  std::vector<CellBelief> missing;    // cells nobody ticked that are more likely right than not
  HeldOutCheck check;                 // do held-out votes come true as often as claimed?
  TruthMeans truth = TruthMeans::Consensus;
  // Pairs of annotators who agree more than two honest ones do, the most alike first.
  std::vector<AlikePair> alike{};
  // Labels with too few votes to compare: names are ignored for them.
  std::vector<std::size_t> nameless_labels{};
  std::size_t groups = 1;  // of annotators that never annotated the same row
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
  std::string judge;                        // in words: "the votes and pml-gan, 5 folds"
  std::optional<CrowdFindings> crowd{};     // where it is known who ticked what
  std::optional<UnionFindings> nameless{};  // where it is not, and no finished model judged
  std::shared_ptr<const Model> model{};     // that judged: see JudgeRequest
  std::string names_ignored{};  // why it did not count who ticked what, although that is known

  // Whether there are intervals of noise: see NoiseOfLabel.
  bool has_intervals() const { return crowd || nameless; }
  // Cells nobody ticked that are more likely right than not, the likeliest first.
  std::span<const CellBelief> missing() const;
};

// Who judges: votes, where they are used and annotators can be compared (Overlap), and besides them
// one of a method, a finished model, scores, or nobody.
struct JudgeRequest {
  // A method, by models that have not seen the rows they judge. Takes 4 bytes per row and label.
  std::string method{};                           // one of all_methods(), no oracle; "" for none
  std::map<std::string, std::string> settings{};  // those that are not at their defaults
  std::size_t folds = kDefaultFolds;
  // A finished model, though it may have seen the rows; the labels come out in its order.
  const Model* model = nullptr;
  // What anybody says of the rows (rows x labels), in [0, 1].
  const Matrix* scores = nullptr;
  std::string name{};  // of the model or the scores, for Judged::judge

  // With votes. Nothing: an expert's where there is gold, else a consensus. Error(Usage) for an
  // expert's without gold; for a consensus, gold is not learnt from.
  std::optional<TruthMeans> truth{};
  // For each annotator the number of a declared group, or kNoGroup: see CrowdOptions.
  std::vector<std::uint32_t> annotator_groups{};
  bool use_votes = true;         // false: as if it were not known who ticked what
  std::vector<GoldCell> gold{};  // cells that an expert decided; of use to votes or a method
  // The share of the right labels that nobody ticked, for a method without votes: with 0, there are
  // none to find.
  double missing = 0;
  // With votes: cells that nobody ticked are listed from this probability on, so many at most.
  double missing_from = 0.5;
  std::size_t most_missing = 1'000'000;
  bool check_votes = true;  // CrowdFindings::check
  bool keep_model = false;  // Judged::model: the only one of a method, or that of the first fold
  FitOptions fit{};         // seed, threads and progress
};
// Where there are no votes to use, a method says how often each label is ticked where it is not
// right (fit_union), a model or scores say how sure they are, and with nobody else ticks are
// counted: (ticks + 1) / (annotations + 2). Error(Usage) if there is nothing to judge by, or too
// much.
Judged judge(Dataset data, const JudgeRequest& request);

// Decided cells from a CSV file with a line per cell: the row's id (or number, where there are no
// ids), the label, and 1 or 0 (yes or no, true or false). Error(Data) with file and line for a row
// or label that is not in the data, and for a cell decided twice in two ways.
std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data);

// Declared groups of annotators from a CSV file with a line per annotator: their name and that of
// the group. One number per annotator of the votes, kNoGroup where none is named. Error(Data) with
// file and line for an annotator who did not annotate or stands in two groups.
std::vector<std::uint32_t> read_annotator_groups(const std::string& path, const Votes& votes);

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

// ---- cleaning

struct CleanRequest {
  // Candidates of less confidence are removed ...
  std::optional<double> threshold{};  // nothing: 0.5, with names what gives the best F1 up to that
  std::optional<CleanFor> best{};     // ... or of less than what is best for this
  bool keep_apart = true;  // whether labels that nobody ticks together stay apart, with names
  std::size_t most_suspects = std::numeric_limits<std::size_t>::max();
};
struct Cleaned {
  Judged judged;  // the data as it came, with the confidence in each candidate
  CleanedLabels labels;
  std::vector<JudgedCandidate> suspects;     // candidates, the most suspicious first
  std::optional<CleaningQuality> quality{};  // where the truth is known
  double threshold = 0.5;
  std::vector<ExclusivePair> exclusive{};  // pairs of labels that nobody ticks together
  std::size_t kept_apart = 0;              // labels removed because of these
};
// Removes candidates that are more likely noise than not.
// Of two labels that exclude each other, the more probable one stays.
Cleaned clean(Judged judged, const CleanRequest& request = {});

// ---- files

// The candidates in the order given, with their confidence (and the id of the row and the truth,
// where known) as CSV.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file);
// How likely each label of each row is (rows x labels), as predictions are written: CSV with a
// column of ids where there are any, of row numbers, and one per label. Error(Data) without labels.
void write_posterior(const Dataset& data, const Matrix& posterior, OutputStream& file);
// Labels that nobody ticked but that are likely right, the likeliest first, as CSV.
void write_missing(const Judged& judged, OutputStream& file);
// What to ask next, as ask_next() lists it, as CSV.
void write_questions(const Dataset& data, std::span<const Question> questions, OutputStream& file);

}  // namespace sieve
