#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/claims.h"
#include "labelsieve/crowd.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/predict.h"

// The pipeline: trains models, judges candidates and cleans labels from data, votes, gold cells and
// a method. The command, C, Python, studies and pages all call it, so the same request gives the
// same numbers.
namespace sieve {

// The default number of folds for out-of-fold scores.
constexpr std::size_t kDefaultFolds = 5;

// ---- training

// The labels that a method learns from where there are votes.
enum class LearnFrom {
  VotesAndFeatures,  // the probabilities by votes and out-of-fold scores
  VotesAlone,        // the labels of probability one half or more by votes alone
  Union,             // what anybody ticked
};

struct TrainRequest {
  std::string method{};                           // one of all_methods()
  std::map<std::string, std::string> settings{};  // those that are not at their defaults
  // The method with typed settings, in the place of `settings`: make_blend({.trees = 100}).
  std::shared_ptr<const Learner> learner{};
  LearnFrom learn_from = LearnFrom::VotesAndFeatures;
  Aggregation aggregation = Aggregation::CrowdModel;  // what votes alone make likely
  std::vector<GoldCell> gold{};  // cells that an expert decided: learnt as they are
  // Cells that reviewers decided: learnt as they are, too. Nothing about other cells follows from
  // them, since reviewers decide what looks wrong.
  std::vector<GoldCell> decided{};
  std::optional<std::vector<std::size_t>> rows{};  // to learn from; nothing: all
  // How much each row of the data counts; empty: all alike. Methods that cannot weigh rows take
  // whole numbers, and learn from a row that often. Not where votes are weighed: Error(Usage).
  std::span<const double> weights{};
  std::size_t folds = kDefaultFolds;  // of the predictor that helps to weigh votes
  // Rows nobody annotated, with the features of the data; null: none. Error(Usage) where the method
  // cannot learn from them (MethodInfo::uses_unlabelled), Error(Data) for another number of
  // columns.
  std::shared_ptr<const Features> unlabelled{};
  FitOptions fit{};
};
struct Trained {
  std::unique_ptr<Model> model{};
  std::size_t rows = 0;                 // that it learnt from: those that somebody looked at
  std::size_t candidates = 0;           // of the rows asked for, as they were given
  std::optional<std::size_t> likely{};  // labels in their place, where votes were weighed
  std::string names_ignored{};  // why names were ignored although there are votes; else empty
};
// Fits a method. An oracle learns from the truth: Error(Data) without it. Votes are weighed with a
// predictor that is fitted on the labels which they alone make likely; where annotators cannot be
// compared (Overlap), the method learns from what anybody ticked. Rows that nobody looked at are
// left out, except from a union. Error(Usage) for what the request has wrong; else what fits throw.
Trained train(const Dataset& data, const TrainRequest& request);

// Rows that nobody annotated, for TrainRequest::unlabelled: their features as those of `data`, by
// name where both have names, else by order. Labels are not looked at. Error(Data) for other
// columns. `notes` gets how they differ; it may be null.
std::shared_ptr<const Features> unlabelled_rows(const Dataset& rows, const Dataset& data,
                                                std::vector<std::string>* notes = nullptr);
// The same of files, by the recipe of `data`; `options` say how they are read.
std::shared_ptr<const Features> read_unlabelled(const std::vector<std::string>& paths,
                                                const Dataset& data, ReadOptions options);

// ---- judging

// What is meant by a label being right.
//   Consensus  most of five further annotators like these would tick it; checked by held-out votes
//   Expert     an expert would; needs cells that one has decided
enum class TruthMeans { Consensus, Expert };

// Results about annotators, and from their votes.
struct CrowdFindings {
  std::vector<LabelQuality> labels;
  std::vector<AnnotatorQuality> annotators;  // in the order of the votes' annotators
  std::vector<CellProbability> missing;  // cells that nobody ticked, of probability above one half
  HeldOutCheck check;                    // calibration on held-out votes
  TruthMeans truth = TruthMeans::Consensus;
  // Pairs of annotators who agree more than two honest ones do, the most alike first.
  std::vector<AlikePair> alike{};
  // Labels with too few votes to compare: names are ignored for them.
  std::vector<std::size_t> nameless_labels{};
  std::size_t groups = 1;  // of annotators that never annotated the same row
};

// Results of a union without names.
struct UnionFindings {
  std::vector<UnionLabel> labels;
  std::vector<CellProbability> missing;  // as above, where some were taken to be missing
  // How much of what speaks against a label's ticks counts when clean() removes by default, from 0
  // to 1: features may be blind to some right labels. Empty: all of it.
  std::vector<double> trust{};
};

// A data set with the probability of each candidate.
struct Judged {
  Dataset data;
  CandidateScores probabilities;
  std::string judge;                              // in words: "the votes and pml-gan, 5 folds"
  std::optional<CrowdFindings> crowd{};           // where it is known who ticked what
  std::optional<UnionFindings> union_findings{};  // where it is not, and no finished model judged
  std::shared_ptr<const Model> model{};           // that judged: see JudgeRequest
  std::string names_ignored{};  // why names were ignored although there are votes; else empty
  // Of each label: candidates decided by an expert that probabilities were corrected by; or empty.
  std::vector<std::size_t> gold_cells{};
  // By how much more of these are wrong than their probabilities say, as a mean; or empty.
  std::vector<double> gold_shifts{};
  bool decided = false;  // whether cells that an expert decided were learnt from

  // Whether the noise can be guessed: see NoiseOfLabel.
  bool has_intervals() const { return crowd || union_findings; }
  // Cells that nobody ticked, of probability above one half, the most probable first.
  std::span<const CellProbability> missing() const;
};

// The source of probabilities: votes, where annotators can be compared (Overlap), and besides them
// at most one of a method, a finished model or scores.
struct JudgeRequest {
  // A method, scored out of fold. Takes 4 bytes per row and label.
  std::string method{};                           // one of all_methods(), no oracle; "" for none
  std::map<std::string, std::string> settings{};  // those that are not at their defaults
  std::shared_ptr<const Learner> learner{};       // as of TrainRequest
  std::size_t folds = kDefaultFolds;
  // Where names of annotators count, a linear regression of how strong the votes make each label
  // takes the place of the method: it is quicker by far, and on texts it is better. The method is
  // then for data whose names have to be ignored. No `keep_model`.
  bool regress = false;
  // A finished model, though it may have seen the rows; the labels come out in its order.
  const Model* model = nullptr;
  // Scores from elsewhere (rows x labels), in [0, 1].
  const Matrix* scores = nullptr;
  std::string name{};  // of the model or the scores, for Judged::judge

  // With votes. Nothing: an expert's where there is gold, else a consensus. Error(Usage) for an
  // expert's without gold; for a consensus, gold is not learnt from.
  std::optional<TruthMeans> truth{};
  bool use_votes = true;         // false: the union alone
  std::vector<GoldCell> gold{};  // cells that an expert decided; of use to votes or a method
  // The share of the right labels that nobody ticked, for a method without votes: with 0, there are
  // none to find.
  double missing = 0;
  // With votes: cells that nobody ticked are listed from this probability on, up to `most_missing`.
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

// Decided cells from a table (CSV, a sheet, JSON) with a line per cell: the row's id (or number,
// where there are no ids), the label, and 1 or 0 (yes or no, true or false). The answered list of
// an audit will do, too: its second answers and open lines are left out, and third ones take the
// place of first ones. Error(Data) with file and line for a row or label that is not in the data,
// and for a cell decided twice in two ways.
std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data);

// The noise rate of a label, estimated and real; NaN where unknown. The claim is a guess; a
// finished model, which may have seen the rows, gives none.
struct NoiseOfLabel {
  std::size_t candidates = 0;
  double estimated = 0, real = 0;
  double low = 0, high = 0;  // of the claim; NaN without one
  std::optional<Claim> claim{};
  std::string why_none{};  // where there is no claim
};
std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged);

// The share of all candidates that is wrong, as a guess; nothing where why_no_claim() has a reason.
std::optional<Claim> noise_claim(const Judged& judged);
std::string why_no_claim(const Judged& judged);

// Rates of an annotator as guesses.
struct AnnotatorClaims {
  Claim recall, false_positive_rate;
};
AnnotatorClaims annotator_claims(const AnnotatorQuality& annotator, TruthMeans truth);

// The same by what aggregate() made of the data's votes.
std::optional<Claim> noise_claim(const Dataset& data, const Matrix& aggregated, Aggregation how);
std::string why_no_claim(const Dataset& data, Aggregation how);

// The share of an annotator's ticks that is wrong, or of several annotators, as a guess.
std::optional<Claim> wrong_ticks_claim(const PartlyDecided& ticks, ClaimTruth truth);

// The mean over all candidates; 0 for none.
double mean_noise(const std::vector<NoiseOfLabel>& labels);

// How well the probabilities separate right candidates from noise; empty where the truth is not
// known. Takes 8 bytes per candidate meanwhile.
struct CleaningQuality {
  double auc = 0, average_precision = 0;
};
std::optional<CleaningQuality> cleaning_quality(const Judged& judged);

// ---- cleaning

struct CleanRequest {
  // Candidates of less confidence are removed ...
  // Nothing: 0.5, of labels that features may be blind to with less weight on what these say
  // (UnionFindings::trust); with names, what gives the best F1 up to 0.5; where names are ignored,
  // nobody decided a cell and there are no features, 0.
  std::optional<double> threshold{};
  std::optional<CleanFor> best{};  // ... or of lower probability than is best for this measure
  bool keep_apart = true;  // whether labels that nobody ticks together stay apart, with names
  std::size_t most_suspects = std::numeric_limits<std::size_t>::max();
};
struct Cleaned {
  Judged judged;  // the data as it came, with the probability of each candidate
  CleanedLabels labels;
  std::vector<JudgedCandidate> suspects;     // candidates, the most suspicious first
  std::optional<CleaningQuality> quality{};  // where the truth is known
  double threshold = 0.5;
  std::vector<ExclusivePair> exclusive{};  // pairs of labels that nobody ticks together
  std::size_t kept_apart = 0;              // labels removed because of these
};
// Removes candidates below the threshold. Of two labels that exclude each other, the more probable
// one stays.
Cleaned clean(Judged judged, const CleanRequest& request = {});

// ---- annotators

// The ticks of an annotator, and about how many of them are wrong: the sum of one minus the
// probability.
struct TickedWrong {
  std::size_t ticks = 0;
  double wrong = 0;
};
std::vector<TickedWrong> wrong_ticks(const Votes& votes, const CandidateScores& probabilities);
// Annotators by number, most wrong ticks first.
std::vector<std::size_t> most_wrong_first(std::span<const TickedWrong> annotators);

struct AnnotatorDetails {
  std::vector<CellProbability> worst;  // ticks least likely right
  std::vector<Confusion> confused;
};
// How annotators compare by their votes alone.
struct AnnotatorComparison {
  CrowdFindings found{};                    // annotators, check, pairs and groups
  std::vector<TickedWrong> ticked{};        // one per annotator
  std::vector<std::size_t> order{};         // annotators by number, most wrong ticks first
  std::vector<AnnotatorDetails> details{};  // of the first ones
  std::string names_ignored{};              // why they cannot be compared: all else is then empty
};
// The first `most` with details. The data must have votes.
AnnotatorComparison compare_annotators(const Dataset& data, std::size_t most, ThreadPool& pool);

// What to annotate next by votes alone: where one more annotation is expected to help most; where
// annotators cannot be compared, rows that would make them comparable.
struct NextQuestions {
  std::vector<Question> questions{};
  std::string names_ignored{};  // why annotators cannot be compared; else empty
};
NextQuestions next_questions(const Dataset& data, AskFor what, std::size_t budget,
                             ThreadPool& pool);

// ---- guarantees for predictions (docs/guarantees.md)

struct GuaranteeGoal {
  std::string about{};  // "precision" or "recall"
  double share = 0.9;
  friend bool operator==(const GuaranteeGoal&, const GuaranteeGoal&) = default;
};
// "precision=0.9", "recall=0.9", or "fdr=0.1", which is a precision of 0.9. Error(Usage) else.
GuaranteeGoal parse_guarantee(const std::string& text);
std::string to_string(const GuaranteeGoal& goal);
GuaranteeGoal goal_of(const Guarantee& guarantee);

// Rows that were drawn at random and not trained on, with decided cells.
struct DecidedRows {
  Matrix scores{};                // of the model, rows x labels
  std::vector<GoldCell> cells{};  // `row` counts among these rows
};
// Decided rows of another data set than the one trained on: its truth, or its labels where it has
// none, decide every cell. Throws what features_for() and match_columns() do.
DecidedRows decided_rows(const Model& model, const Dataset& data, ThreadPool& pool);
// Rows of the data that have decided cells; they must not have been trained on. Error(Data) if the
// cells were plainly not drawn at random: candidates are far more or less frequent among them.
DecidedRows decided_rows(const Model& model, const Dataset& data, std::span<const GoldCell> cells,
                         ThreadPool& pool);
std::vector<std::size_t> rows_without(std::span<const GoldCell> cells, std::size_t rows);

// Chooses the thresholds: a label with enough decisions by itself, the others together. Labels for
// which nothing is shown are never on for a precision, and always on for a recall. Error(Data) says
// how many decisions are missing where nothing can be promised at all.
Guarantee guarantee(const Model& model, const DecidedRows& decided, const GuaranteeGoal& goal,
                    double level = 0.9);
// The one that a model keeps; null if there is none.
const Guarantee* find_guarantee(const ModelState& state, const GuaranteeGoal& goal);

// ---- files

// Writes candidates in the given order as CSV, with their probability, and the id of the row and
// the truth where known.
void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file);
// Writes the probability of each label of each row (rows x labels), as predictions are written: CSV
// with a column of ids where there are any, of row numbers, and one per label. Error(Data) without
// labels.
void write_probabilities(const Dataset& data, const Matrix& probabilities, OutputStream& file);
// Writes the probable labels that nobody ticked as CSV, the most probable first.
void write_missing(const Judged& judged, OutputStream& file);
// Writes the questions of ask_next() as CSV.
void write_questions(const Dataset& data, std::span<const Question> questions, OutputStream& file);

// Probabilities of candidates from a file: a table of scores (docs/formats/scores.md), or a list of
// cells with their probability, as write_suspects() makes it. Candidates that a list does not name
// get 0.5. Error(Data) with file and line for a row or label that is not in the data.
struct ProbabilityFile {
  std::optional<Matrix> scores{};  // rows x labels, if it is a table
  CandidateScores candidates{};
};
ProbabilityFile read_probability_file(const std::string& path, const Dataset& data);

}  // namespace sieve
