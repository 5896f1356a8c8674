#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/files.h"

// Figures that come with an interval and say what it rests on (docs/audit.md). A guess is a range
// learnt from other crowds; an audited claim rests on random cells that somebody decided, and holds
// whatever a model thinks. Nothing here reads files or depends on the number of threads.
namespace sieve {

// ---- a claim

// Which truth a claim is about: the majority of annotators such as these, or an expert's decisions.
enum class ClaimTruth { Consensus, Expert };
enum class ClaimBasis { Guess, Audit };

struct Claim {
  double value = 0, low = 0, high = 1;  // shares, in [0, 1]
  double level = 0.9;                   // how often such intervals hold
  ClaimTruth truth = ClaimTruth::Expert;
  ClaimBasis basis = ClaimBasis::Audit;
  std::size_t decisions = 0;  // of an audit
  std::string about{};        // "precision"
};

// "guess 28 % (8 to 65)", "audited 47 % (41 to 53), 120 decisions", "audited 10 % exactly, 50
// decisions". Limits are rounded outwards; narrow intervals have one decimal.
std::string claim_text(const Claim& claim);
// The same as a JSON object, with numbers of 9 digits.
std::string claim_json(const Claim& claim);

// ---- the design of an audit: which cells are drawn

struct Interval {
  double low = 0, high = 1;
  double width() const { return high - low; }
};

// A cell that may be drawn: id = row * labels + label, and how probable the answer 1 seems. What an
// answer of 1 means is for the lane to say: a wrong label among those exported, a right one among
// the others.
struct AuditCell {
  std::uint64_t id = 0;
  std::uint32_t label = 0;
  double probability = 0.5;
};

struct LaneDesign {
  std::uint64_t seed = 1;
  std::uint32_t lane = 0;     // below 256; lanes of one seed draw independently
  std::size_t strata = 5;     // 1 for a simple random sample
  std::size_t planned = 120;  // decisions the sequence is tuned to; fixed before the first one
};
// 5 strata, or 1 for fewer than 200 cells.
std::size_t usual_strata(std::size_t cells);

// The stratum of each cell: by probability, of nearly equal uncertainty.
std::vector<std::uint32_t> audit_strata(std::span<const AuditCell> cells, const LaneDesign& design);

// A cell drawn without replacement. The chance that it was drawn now is `probability`.
struct Draw {
  std::size_t number = 0;  // from 1
  std::uint64_t cell = 0;
  std::uint32_t label = 0, stratum = 0;
  double probability = 0;
};

// What one answer says of the share of ones: X with the share as its mean, whatever came before,
// the limits that X cannot leave, and its variance as it looks beforehand. After a decision of
// another origin (`drawn` is false) only what is known counts.
struct AuditStep {
  bool drawn = true;
  double x = 0, low = 0, high = 1, variance = 0;
  double known_low = 0, known_high = 1;  // by the cells decided so far
  double value = 0;                      // the estimate of the share so far
};

// Ones and decisions of a stratum with `cells` cells.
struct StratumCount {
  std::size_t ones = 0, decided = 0, cells = 0;
};

// One lane of an audit: draws its cells in a fixed random order and takes the answers. The order
// depends on the cells, the seed and which cells are decided, never on answers. Not to be shared
// between threads while it changes.
class AuditLane {
 public:
  // Cells with distinct ids and labels below `labels`. Error(Usage) without any.
  AuditLane(std::span<const AuditCell> cells, std::size_t labels, const LaneDesign& design);
  // The same for a simple sample of very many cells, of which no more than `most` will be drawn:
  // `visit_all` hands on every cell, and only the first of the order are kept.
  using VisitCells = std::function<void(const std::function<void(const AuditCell&)>&)>;
  AuditLane(const VisitCells& visit_all, std::size_t labels, const LaneDesign& design,
            std::size_t most);

  std::size_t cells() const { return cells_; }
  std::size_t draws() const { return draws_; }  // answered so far
  std::size_t ones() const { return ones_; }    // of all decided cells
  std::size_t decided() const { return decided_; }
  const LaneDesign& design() const { return design_; }
  std::vector<double> stratum_models() const;  // the mean probability in each
  std::vector<StratumCount> counts() const;    // of draws alone, by stratum
  // The label's part of each stratum, where it has cells there.
  std::vector<StratumCount> counts(std::uint32_t label) const;
  bool has_label(std::size_t stratum, std::uint32_t label) const {
    return strata_[stratum].of_label[label] > 0;
  }
  double label_model(std::uint32_t label) const;  // the mean probability of its cells
  std::size_t label_cells(std::uint32_t label) const;
  std::size_t labels() const { return label_sums_.size(); }

  // The cell to decide next; nothing once all are decided, or `most` of a simple sample drawn.
  std::optional<Draw> next();
  void answer(bool one);  // to next()
  // A decision that was not drawn (a label that was fixed): it counts as known, and the cell is not
  // drawn any more. Only of a lane that holds all its cells.
  void fix(std::uint64_t cell, bool one);
  bool has_fixes() const { return fixes_ > 0; }

  const std::vector<AuditStep>& steps() const { return steps_; }
  double value() const;  // as far as known; not clamped to any interval

 private:
  struct Queued {
    std::uint64_t key = 0, id = 0;
    std::uint32_t label = 0;
    friend bool operator<(const Queued& a, const Queued& b) {
      return a.key != b.key ? a.key < b.key : a.id < b.id;
    }
  };
  struct Stratum {
    std::vector<Queued> queue{};
    std::size_t first = 0;  // in the queue, that may be undecided
    std::size_t cells = 0, left = 0, ones = 0, draws = 0;
    double model = 0;
    std::vector<std::uint32_t> of_label{}, left_of_label{}, ones_of_label{}, draws_of_label{};
  };
  struct Past {  // of a label: decisions drawn, and what the strata did not foresee
    double surprise = 0, draws = 0;
  };
  void add(Stratum& stratum, const AuditCell& cell);
  void finish();
  double expected(const Stratum& stratum) const;
  double expected(const Stratum& stratum, std::size_t label) const;
  AuditStep step_for(const Draw& draw, bool one) const;
  void know(AuditStep& step) const;

  LaneDesign design_;
  std::vector<Stratum> strata_;
  std::vector<double> label_sums_;
  std::vector<Past> past_;
  struct CellPlace {
    std::uint32_t stratum = 0, label = 0;
  };
  std::unordered_map<std::uint64_t, CellPlace> places_{};  // of all cells, once one is fixed
  std::unordered_set<std::uint64_t> gone_{};               // fixed ones, and with them drawn ones
  std::optional<Draw> drawn_{};
  std::size_t cells_ = 0, draws_ = 0, ones_ = 0, decided_ = 0, fixes_ = 0, most_ = 0;
  bool keeps_all_ = true;
  double sum_x_ = 0;
  std::vector<AuditStep> steps_{};
};

// ---- intervals of a share of ones

enum class IntervalMethod { Census, Exact, Mover, Beta };
std::string_view to_string(IntervalMethod method);

struct FixedInterval {
  double value = 0;
  Interval interval{};
  IntervalMethod method = IntervalMethod::Exact;
};
// For a number of decisions that was fixed beforehand. Nothing where it would not hold: several
// strata with fewer than 4 decisions each on average, or more than a third decided.
std::optional<FixedInterval> fixed_interval(std::span<const StratumCount> strata, double level);
// Of the draws of a lane; nothing after fixes between them.
std::optional<FixedInterval> fixed_interval(const AuditLane& lane, double level);
// What a simple random sample, of a size fixed beforehand, proves of all cells.
Claim sample_claim(const StratumCount& sample, double level, std::string about);

enum class Acceptance { NotYet, Yes, No };
std::string_view to_string(Acceptance acceptance);

// An interval that holds at every moment at once: look after each decision, stop when you like.
// Betting on and against every share (Waudby-Smith and Ramdas, 2023). Never widens.
class ConfidenceSequence {
 public:
  ConfidenceSequence(double level, std::size_t planned);
  void add(const AuditStep& step);
  Interval interval() const { return {low_, high_}; }
  // Whether the share of ones is at most `share`; either answer is wrong at most 1 - level of the
  // time. Of the steps so far: keep the first answer that is not NotYet.
  Acceptance at_most(double share) const;

 private:
  static constexpr std::size_t kBets = 4;
  struct Bet {
    double x, low, high;
    std::array<double, kBets> size;
  };
  double log_up(double share) const;
  double log_down(double share) const;

  double alpha_, planned_;
  std::vector<Bet> bets_{};
  double low_ = 0, high_ = 1, known_low_ = 0, known_high_ = 1;
};
// All steps of a lane.
Interval sequence_interval(const AuditLane& lane, double level);
// The first answer of the sequence; NotYet if there is none.
Acceptance sequence_at_most(const AuditLane& lane, double share, double level);

// ---- measures of exported labels

enum class LabelMeasure { Precision, Recall, F1, Hamming };
inline constexpr std::array kLabelMeasures = {LabelMeasure::Precision, LabelMeasure::Recall,
                                              LabelMeasure::F1, LabelMeasure::Hamming};
std::string_view to_string(LabelMeasure measure);

// A share with its interval.
struct Estimated {
  double value = 0;
  Interval interval{};
};
// Exported labels of which a share is wrong, and other cells of which a share is right.
struct TwoLanes {
  std::size_t exported = 0, others = 0;
  Estimated wrong{}, right{};
};
double measure_at(LabelMeasure measure, double exported, double others, double wrong, double right);
// From intervals of a fixed number of decisions in each lane, which are independent.
Estimated fixed_measure(LabelMeasure measure, const TwoLanes& lanes);
// From two sequences, each at level (1 + level) / 2: holds at every moment.
Estimated sequence_measure(LabelMeasure measure, const TwoLanes& lanes);

// ---- labels one by one

enum class LabelBasis { Direct, Borrowed, Refused };
std::string_view to_string(LabelBasis basis);
struct LabelShare {
  LabelBasis basis = LabelBasis::Refused;
  std::size_t decisions = 0;
  double share = 0, effective = 0;  // of its own decisions, and what they weigh
  Estimated estimate{};             // not to be shown where refused
};
// The share of ones of each label: from its own decisions where they are enough, else with what the
// other labels show of the model's errors, else (below 5, or wider than half) refused.
std::vector<LabelShare> label_shares(const AuditLane& lane, double level);

// ---- guesses

// Of one crowd with a known truth: the real shares of its labels and what the model said.
struct ReferenceCrowd {
  std::string name{};
  std::vector<double> real{}, estimated{};
};
struct GuessSpread {
  double shift = 0, crowd_variance = 0, label_variance = 0;
  double deviation = 0;  // tau, in log-odds
  double quantile = 0;   // deviations on each side of an estimate
};
// What the crowds teach, but for the one named. Error(Usage) for fewer than two.
GuessSpread guess_spread(std::span<const ReferenceCrowd> crowds, std::string_view without,
                         double level);
// Around an estimate with the standard error `error` in log-odds; and around estimate + shift.
Interval guess_range(double estimate, double error, const GuessSpread& spread, double shift = 0);

// What the reference crowds of docs/results/claims.md taught (bench/guess_bench.cpp): how far
// estimates lie from the truth, in log-odds, by what was estimated and from what.
//   Noise, LabelNoise          the share of all candidates, or of those of a label, that is wrong
//   Recall, FalsePositiveRate  of an annotator
//   AnnotatorNoise             the share of an annotator's ticks that is wrong
enum class GuessAbout { Noise, LabelNoise, Recall, FalsePositiveRate, AnnotatorNoise };
enum class GuessFrom { Votes, Union };
std::string_view to_string(GuessAbout about);
std::string_view to_string(GuessFrom from);
// Of one reference crowd: its figures, their mean error in log-odds, the squares around that mean.
struct ReferenceErrors {
  std::string_view crowd{};
  std::size_t figures = 0;
  double mean = 0, squares = 0;
};
// The built-in table; empty for what no crowd taught.
std::span<const ReferenceErrors> reference_errors(GuessAbout about, GuessFrom from);
ReferenceErrors errors_of(const ReferenceCrowd& crowd);  // its name must outlive them
GuessSpread guess_spread(std::span<const ReferenceErrors> crowds, std::string_view without,
                         double level);

struct GuessBasis {
  GuessAbout about = GuessAbout::Noise;
  GuessFrom from = GuessFrom::Votes;
  ClaimTruth truth = ClaimTruth::Consensus;
  double error = 0;            // standard error of the estimate in log-odds
  std::size_t gold = 0;        // cells decided by an expert that it was corrected by
  double shift = 0;            // what these cells would add to it: the range covers that, too
  std::string_view without{};  // a reference crowd that does not count
};
// A share with the range that reference crowds teach; nothing where none did.
std::optional<Claim> guess(double estimate, const GuessBasis& basis, double level = 0.9);
// Cells of which some were decided.
struct PartlyDecided {
  std::size_t cells = 0, open = 0;  // all, and those that nobody decided
  double found = 0, estimated = 0;  // wrong: among the decided ones, and among the open ones
};
// The share of these that is wrong: decided ones count as they are, the range is about the others.
// Where all are decided, the claim is exact and no guess. Nothing without cells.
std::optional<Claim> guess(const PartlyDecided& cells, GuessBasis basis, double level = 0.9);
// The chance error of a share of `count` cells, in log-odds.
double chance_error(double share, std::size_t count);
// A deviation after `gold` cells were decided: they narrow it as a sample would.
double gold_deviation(double deviation, double estimate, std::size_t gold);

// What decided cells say of the share of wrong candidates over all labels. A correction by them may
// be held back where it has not proved itself; they do not agree with the estimate then.
struct GoldEvidence {
  std::size_t cells = 0;  // of a simple sample that would say as much
  double shift = 0;       // by how much the share among them is above the estimated one
};
// For each label: candidates, those of them that were decided, and by how much more of these are
// wrong than estimated.
GoldEvidence gold_evidence(std::span<const std::size_t> candidates,
                           std::span<const std::size_t> gold, std::span<const double> shifts);

// ---- planning

struct PlannedStratum {
  std::size_t cells = 0;
  double model = 0.5;  // mean probability
};
struct AuditPlan {
  std::size_t fixed = 0, sequential = 0;  // decisions
};
// How many decisions an interval of value -+ half_width takes.
AuditPlan plan_audit(std::span<const PlannedStratum> strata, double half_width, double level);

// ---- reviewers

struct ReviewerErrors {
  double likely = 0;     // how often a reviewer errs, most likely
  Interval error{};      // and its range
  Interval corrected{};  // the interval of the share, were it decided without errors
};
// From cells that were decided twice, assuming independent errors, equal both ways.
ReviewerErrors correct_for_reviewers(const Interval& share, std::size_t disagreements,
                                     std::size_t pairs);
// The same as a claim, in the place of one that takes reviewers at their word.
Claim corrected_claim(Claim claim, const ReviewerErrors& errors);

// ---- probabilities corrected by decisions

struct WeighedDecision {
  double probability = 0.5;
  std::uint32_t label = 0;
  bool one = false;
  double weight = 1;  // cells it stands for
};
struct Recalibration {
  double offset = 0, temper = 1;
  std::vector<double> label{};  // added for each label
  double apply(double probability, std::size_t of_label) const;
};
struct RecalibrationCandidate {
  std::string name{};
  Recalibration change{};
  double left_out = 0;  // log likelihood of each decision by the others
  double weight = 0;
};
struct Recalibrated {
  std::vector<RecalibrationCandidate> candidates{};
  Recalibration applied{};  // their weighted mean
};
Recalibrated recalibrate(std::span<const WeighedDecision> decided, std::size_t labels);

// ---- guarantees for predictions

// A decided row: its score for one label, and whether the label is right.
struct ScoredDecision {
  double score = 0;
  bool right = false;
};
// The lowest of `thresholds` (descending) down to which the precision at least `share` is shown,
// but for a chance of `risk`; nothing where the decisions are too few.
std::optional<double> precision_threshold(std::span<const ScoredDecision> decided,
                                          std::span<const double> thresholds, double share,
                                          double risk = 0.1);
// The largest threshold that keeps the recall at least `share`; scores equal to it pass.
std::optional<double> recall_threshold(std::span<const ScoredDecision> decided, double share,
                                       double risk = 0.1);
// Decisions (above the threshold, or of right labels) without which nothing can be promised, if so
// many of them are wrong (or missed).
std::size_t fewest_decisions(double share, double risk = 0.1, std::size_t wrong = 0);

// The same for several labels with one threshold. Cells of a row depend on each other, so that a
// row counts once: with its share of wrong labels among those above the threshold, or of missed
// labels among the right ones. The promise is about the mean over rows that have any of those.
using ScoredRow = std::vector<ScoredDecision>;
struct SharedThreshold {
  double threshold = 0;
  std::size_t rows = 0;  // that counted
};
// `thresholds` descend in both.
std::optional<SharedThreshold> shared_precision_threshold(std::span<const ScoredRow> rows,
                                                          std::span<const double> thresholds,
                                                          double share, double risk = 0.1);
std::optional<SharedThreshold> shared_recall_threshold(std::span<const ScoredRow> rows,
                                                       std::span<const double> thresholds,
                                                       double share, double risk = 0.1);

// Audits of the labels of a data set (docs/audit.md): which cells somebody has to decide, what
// their answers prove, and a certificate of it that others can check.

// What is audited, and what is believed of it. The data must outlive the audit.
struct AuditSubject {
  const Dataset* data = nullptr;  // rows, ids, names of labels
  LabelMatrix exported{};         // the labels as they are used: of the same rows and labels
  // Probabilities that labels are right: of all cells, or of candidates, or unknown. They make
  // intervals narrower; intervals hold whatever they are.
  std::optional<Matrix> probabilities{};
  std::optional<CandidateScores> of_candidates{};
  std::string probabilities_from{};  // "votes", a file; "" where there are none
};

struct AuditRequest {
  std::uint64_t seed = 1;
  std::size_t budget = 120;  // decisions planned in all; more than there are cells: a census
  bool others = true;        // also ask about cells without a label: recall, F1, Hamming loss
  bool per_label = false;    // the same number of decisions for each label
  bool rows = false;         // whole rows instead of cells: their share without a wrong or
                             // missing label; the budget counts rows, and `others` is off
  std::size_t twice = 10;    // one cell (or row) in this many is asked a second time; 0: none
  friend bool operator==(const AuditRequest&, const AuditRequest&) = default;
};

// The labels of a file with the same columns as the data or with labels alone, such as cleaned
// labels: its candidates, for the rows of the data, by id where both have ids, else by order.
// `options` are those that the data were read with. Error(Data) for other rows or labels.
LabelMatrix read_exported_labels(const std::string& path, const Dataset& data, ReadOptions options);

// SHA-256 of what an audit is about, as hexadecimal text.
struct AuditFingerprints {
  std::string data{}, labels{}, probabilities{};
  friend bool operator==(const AuditFingerprints&, const AuditFingerprints&) = default;
};

// What every line of a list carries, so that answers find back: the request and the first eight
// digits of each fingerprint.
struct AuditCode {
  AuditRequest request{};
  AuditFingerprints short_prints{};
};
std::string to_string(const AuditCode& code);
// Whether an audit was about these labels.
bool is_about(const AuditCode& code, const LabelMatrix& exported);
std::optional<AuditCode> parse_audit_code(std::string_view text);  // nothing: not one

// One cell to decide.
struct AuditQuestion {
  std::size_t lane = 0;  // among Audit::lanes()
  Draw draw{};
  std::size_t row = 0, label = 0;
};

// A lane with its part of the decisions. An answer of 1 is a wrong label in lanes of exported
// labels, and a right one in the lane of others. In the lane of rows, whose cells are rows, it is a
// row with a wrong or missing label.
struct AuditLaneInfo {
  std::string name{};  // "exported", "others", "label <name>" or "rows"
  bool of_exported = true;
  AuditLane lane;         // without answers
  std::size_t asked = 0;  // decisions asked for so far
};

class Audit {
 public:
  // Error(Usage) if no label is exported, or other than the data's rows; the same for more than 250
  // labels one by one. `asked` decisions are drawn, if that is more than the budget.
  Audit(AuditSubject subject, const AuditRequest& request, std::size_t asked = 0);

  const Dataset& data() const { return *subject_.data; }
  const AuditSubject& subject() const { return subject_; }
  const AuditRequest& request() const { return request_; }
  const AuditFingerprints& fingerprints() const { return prints_; }
  AuditCode code() const;
  const std::vector<AuditLaneInfo>& lanes() const { return lanes_; }
  // In the order in which they are to be decided; lanes take turns in random order. All labels of a
  // row that was drawn as a whole stand together.
  const std::vector<AuditQuestion>& questions() const { return questions_; }
  std::size_t asked() const;  // decisions asked for: questions, or whole rows
  std::size_t exported_cells() const { return exported_; }
  std::size_t other_cells() const { return cells_ - exported_; }
  bool asked_twice(const AuditQuestion& question) const;
  std::string item(std::size_t row) const;  // the id of a row, or its number from 0
  // The question about a cell; nothing if it was not asked.
  const AuditQuestion* find(std::size_t row, std::size_t label) const;

 private:
  void add_lanes();
  void add_lane_of_rows();
  void ask(std::size_t decisions);
  void ask_rows(std::size_t rows);
  void add_question(std::size_t lane, const Draw& draw, std::size_t row, std::size_t label);

  AuditSubject subject_;
  AuditRequest request_;
  AuditFingerprints prints_;
  std::vector<AuditLaneInfo> lanes_;
  std::vector<AuditQuestion> questions_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;  // of cells in questions_
  std::size_t exported_ = 0, cells_ = 0;
};

// How many decisions an exported share within -+ half_width takes.
AuditPlan plan_audit(const Audit& audit, double half_width, double level);

// ---- answers

enum class AuditAnswer : std::uint8_t { None, Right, Wrong, Unsure };
std::string_view to_string(AuditAnswer answer);  // "1", "0", "?" or ""

// The answers to all questions, the first ones and the second ones, and what a third person says
// where these two differ.
struct AuditAnswers {
  std::vector<AuditAnswer> first{}, second{}, third{};  // by question
  std::size_t answered() const;                         // first ones that say something
  static AuditAnswers none(const Audit& audit);         // to any question
  // Whether the first two answers differ: a conflict, which the third lane is for.
  bool conflict(std::size_t question) const;
  std::vector<AuditAnswer>& of_pass(std::size_t pass);  // 1, 2 or 3
};

// A line for each question: id, text where the rows have any, label, an empty answer, and by what
// to find back. Nothing tells whether the cell has the label now, nor what anybody thinks of it.
// Questions that `answered` has already are left out; its conflicts are asked a third time. With
// `truth`, it answers: a simulated reviewer.
// As CSV, as a sheet of Excel, or as tasks for Label Studio.
enum class AuditListForm { Table, Sheet, Tasks };
AuditListForm audit_list_form(const std::string& path);  // by its ending: .xlsx, .json
void write_audit_list(const Audit& audit, OutputStream& file,
                      const AuditAnswers* answered = nullptr, const LabelMatrix* truth = nullptr,
                      AuditListForm form = AuditListForm::Table);
std::size_t questions_left(const Audit& audit, const AuditAnswers* answered);

// The audit that a list belongs to; nothing if its lines do not say. Error(Data) for several.
std::optional<AuditCode> read_audit_code(const std::string& path,
                                         FileSystem& files = FileSystem::real());
// Error(Data) that says what has changed since a list was made, and how to go on.
void check_audit_code(const AuditCode& code, const Audit& audit, const std::string& path);
// Error(Data) with file and line for a cell that was not asked or is answered twice, and for an
// answer that is none (1 0, yes no, true false, ? for cannot tell).
AuditAnswers read_answers(const std::string& path, const Audit& audit,
                          FileSystem& files = FileSystem::real());

// ---- what they prove

// One figure. Before all planned decisions are made, and after more than those, only the claim that
// holds at any time is there.
struct AuditedFigure {
  std::string about{};
  std::optional<Claim> fixed{}, any_time{};
  std::string why_none{};  // where both are missing
  const Claim* best() const { return fixed ? &*fixed : any_time ? &*any_time : nullptr; }
};
struct AuditedLabel {
  std::size_t label = 0, decisions = 0;
  LabelBasis basis = LabelBasis::Refused;
  std::optional<Claim> claim{};  // of the share of its exported labels that are wrong
};
struct ReviewerAgreement {
  std::size_t pairs = 0, same = 0;
  // Conflicts with a third answer, and those where it is the first one.
  std::size_t settled = 0, first_right = 0;
  std::optional<ReviewerErrors> errors{};  // from ten pairs on
  std::optional<Claim> corrected{};        // of the share of wrong labels, by these
};
struct AuditResult {
  double level = 0.9;
  std::size_t decisions = 0, asked = 0, unsure = 0, skipped = 0;
  bool complete = false, census = false;
  // wrong, precision, recall, f1, hamming; of whole rows: perfect
  std::vector<AuditedFigure> figures{};
  std::vector<AuditedLabel> labels{};
  ReviewerAgreement agreement{};
  std::vector<std::string> notes{};
};
// Error(Data) without any answer.
AuditResult audit_result(const Audit& audit, const AuditAnswers& answers, double level);

// Of the labels that an annotator ticked and that are exported: the share that is wrong. From their
// own decisions alone, 20 or more; without a claim where that would not hold.
struct AuditedAnnotator {
  std::size_t annotator = 0, decisions = 0;
  std::optional<Claim> claim{};
};
// In the order of the votes' annotators. Error(Usage) without votes, for labels one by one, and for
// whole rows. No claims before all planned decisions are made.
std::vector<AuditedAnnotator> annotator_claims(const Audit& audit, const AuditAnswers& answers,
                                               double level);

// "precision >= 0.95", "recall >= 0.9", "f1 >= 0.8", "hamming <= 0.02", "wrong <= 0.05"; of whole
// rows "perfect >= 0.9".
struct AuditGoal {
  std::string about{};
  bool at_least = true;
  double share = 0;
};
AuditGoal parse_goal(const std::string& text);  // Error(Usage)
std::string to_string(const AuditGoal& goal);
// Yes or no once it is clear at any time, whenever somebody looks; wrong at most 1 - level of the
// time. Error(Usage) for what this audit does not ask.
Acceptance judge_goal(const Audit& audit, const AuditAnswers& answers, const AuditGoal& goal,
                      double level);

// ---- the certificate (docs/formats/certificate.md)

// `made` is when, as in "2026-01-31T12:00:00Z"; "" for now.
std::string certificate_json(const Audit& audit, const AuditAnswers& answers, double level,
                             std::string made = {});

struct Certificate {
  AuditRequest request{};
  std::size_t asked = 0;
  double level = 0.9;
  std::string probabilities_from{}, version{}, made{}, data_name{}, chain{};
  struct Decision {
    std::string item{}, label{}, answer{};
    std::size_t pass = 1;
  };
  std::vector<Decision> decisions{};
  std::string text{};  // all of it
};
// Error(Data) for what is not one; `path` is for messages.
Certificate parse_certificate(std::string text, const std::string& path);
Certificate read_certificate(const std::string& path, FileSystem& files = FileSystem::real());
// What does not come out the same when it is computed again from the data; nothing: it holds.
std::vector<std::string> certificate_differences(const Certificate& certificate,
                                                 AuditSubject subject);
// The decisions of a certificate as answers; those that fit no question go to `problems`.
AuditAnswers answers_of(const Certificate& certificate, const Audit& audit,
                        std::vector<std::string>& problems);

}  // namespace sieve
