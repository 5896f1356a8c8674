#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

// The model of annotators: how often each assigns a label that is right, how often one that is not,
// and the probability of each label given the votes on a row (docs/crowd.md).
//
// Every function gives the same bits for any number of threads. No rate or probability is ever
// exactly 0 or 1, or NaN.
namespace sieve {

// Overlap between annotators. Only rows with several annotations separate one annotator's habits
// from another's, or from the labels themselves. With too few of them, a model of habits makes
// labels worse than no names at all.
struct Overlap {
  std::size_t rows = 0;        // that anybody annotated
  std::size_t single = 0;      // that one annotator did
  std::size_t annotators = 0;  // who annotated any
  std::size_t groups = 0;      // of annotators that share no row with those of another group

  // Whether names tell anything: a fifth of the rows has two annotations or more.
  bool identifies_annotators() const { return rows_missing() == 0; }
  std::size_t rows_missing() const;  // how many more need two annotations
};
Overlap overlap_of(const Votes& votes);
// By annotator: whether the rows of those they are connected with, by rows in common, are enough in
// the same sense. An annotator alone at a site, or a site of single annotations, is not compared,
// even if all others are.
std::vector<bool> comparable_annotators(const Votes& votes);
// "2941 of 3000 rows have one annotation: annotators cannot be compared", or "" if they can be.
// Everything that judges by votes ignores names in the first case.
std::string why_names_are_ignored(const Votes& votes);

// Two labels that nobody combines in an annotation, though many use both: "none" and any other.
struct ExclusivePair {
  std::uint32_t first = 0, second = 0;          // labels, first < second
  std::size_t first_used = 0, second_used = 0;  // annotations with each
  std::size_t annotators = 0;                   // who use both often
  double expected = 0;  // annotations with both, if each annotator combined labels at random
  double p = 1;         // of seeing none of these, in [0, 1]
};

// Pairs that occur together in no annotation, where at least 10 such annotations were expected,
// p < 1e-4 (and small enough for the number of pairs that were tried), and three annotators (or
// all, if there are fewer) used each label three times. The surest first.
//
// An annotator's labels are taken as independent of each other, with that annotator's own
// frequencies; so labels that different annotators prefer are no exclusive pair. Annotations of a
// row are alike, so that all of a row count about as one. Only the 256 most used labels are tried.
// Costs annotations x (their labels, squared) + annotators x (labels they use, squared). None where
// nobody ever combines labels: then each annotation had to be one label.
std::vector<ExclusivePair> exclusive_pairs(const Votes& votes);

// Of each pair that stands in one row, takes out the less probable label. How many those were.
std::size_t keep_apart(std::span<const ExclusivePair> pairs, const CandidateScores& probability,
                       LabelMatrix& labels);

// An estimate with its 90 % interval.
struct Estimate {
  double value = 0, low = 0, high = 1;
};

// A cell decided by an expert.
struct GoldCell {
  std::uint32_t row = 0, label = 0;
  bool on = false;
};

// A cell with the probability that its label is right.
struct CellProbability {
  std::size_t row = 0, label = 0;
  float probability = 0;
};

// The input of the model: votes, and out-of-fold `scores` (rows x labels, clipped to [0, 1]) or
// null without a predictor. Scale and offset of a label's scores are learnt. Nothing is copied: all
// of it must outlive the view.
struct CrowdView {
  const Votes* votes = nullptr;
  std::size_t labels = 0;
  const Matrix* scores = nullptr;

  std::size_t rows() const { return votes->rows(); }
};

struct CrowdOptions {
  std::size_t rounds = 40;   // of expectation and maximisation, at most
  bool other_labels = true;  // whether ticks of other labels may speak for or against a label
  // For each annotator the number of a declared group, or kNoGroup; empty: those of the votes. The
  // annotations of a group count once in a row, together.
  std::vector<std::uint32_t> groups{};
  bool find_copies = true;  // whether annotators who hardly ever differ count once, too
};

// How far a label is judged by names and by the covariate (scores, and ticks of other labels).
//   names     false: too few votes of the label can be compared, and names are ignored for it
//   votes     that have a tick of somebody else beside them
//   gain      how surely the covariate predicts these votes beyond what the others tell, in
//   standard
//             deviations
//   coins, strength  how far either member of the model goes by it, in [0, 1]
struct LabelWeights {
  bool names = true;
  std::size_t votes = 0;
  double gain = 0, coins = 0, strength = 0;
};

// The correction of a label by gold cells. The log-odds are scaled and shifted; then the expert
// rejects a share `mistaken` of the labels that the crowd sees, and adds a share `overlooked` of
// those that it does not. The result counts for `trust` beside the log-odds as they were, which is
// near 0 unless the correction foretells gold cells that it has not seen.
struct GoldWeights {
  double offset = 0, temper = 1, overlooked = 0, mistaken = 0;
  std::size_t cells = 0;
  double trust = 1;
};

// Two annotators who agree far more than two honest ones do.
struct AlikePair {
  std::size_t a = 0, b = 0;
  std::size_t rows = 0;    // that both annotated
  double correlation = 0;  // of their votes
  double discount = 0;     // how far they count as one, in [0, 1]
};

struct CrowdMembers;  // private to the library
class CrowdRow;
struct LabelQuality;

// A model of annotators, fitted to the rows of one view and of use for these alone. Two models
// stand side by side: each label is right or not, and annotators tick it with one rate in either
// case (Dawid and Skene); or each cell has a strength, and annotators differ in where they draw the
// line and how sharply. Probabilities are those of a consensus: that most of five further
// annotators would tick the label. docs/crowd.md has the formulas. Immutable, cheap to copy, safe
// to share between threads. Memory: 350 bytes per annotator and label, twice that with scores, and
// with scores 4 bytes per row and label.
class CrowdModel {
 public:
  std::size_t annotators() const;
  std::size_t labels() const;
  // How often an annotator ticks a label where it is right, and where it is not.
  Estimate sensitivity(std::size_t annotator, std::size_t label) const;
  Estimate false_positive_rate(std::size_t annotator, std::size_t label) const;
  const LabelWeights& weights(std::size_t label) const;
  const GoldWeights& gold(std::size_t label) const { return gold_[label]; }
  // Pairs that agree more than their rates allow, the most alike first.
  std::span<const AlikePair> alike() const;

  // The probability of each label of a row; `into` has one number per label. Costs the annotations
  // of the row times the labels.
  void probabilities(const CrowdView& view, std::size_t row, std::span<float> into) const;
  // The same with buffers of the caller's thread.
  void probabilities(CrowdRow& buffers, std::size_t row, std::span<float> into) const;

 private:
  friend class CrowdFit;
  friend class CrowdRow;
  friend std::vector<LabelQuality> label_qualities(const CrowdModel& model, const CrowdView& view,
                                                   ThreadPool& pool);
  friend CrowdModel with_gold(CrowdModel model, const CrowdView& view,
                              std::span<const GoldCell> gold);
  std::shared_ptr<const CrowdMembers> members_;
  std::vector<GoldWeights> gold_;
};

// Fits both models by expectation and maximisation, once without the covariate and once with it,
// and weighs it label by label by votes held out. Linear in annotations x labels. Error(Usage) if
// shapes differ, a ticked label is not below `labels`, or a score is not a number.
CrowdModel fit_crowd(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options = {});

// The same model, corrected by cells that an expert has decided, label by label; what all labels
// have in common is learnt from all cells. Error(Usage) for a cell outside the view.
CrowdModel with_gold(CrowdModel model, const CrowdView& view, std::span<const GoldCell> gold);

// The probabilities of all cells (4 bytes each), of the candidates alone, and the most probable
// cells that nobody ticked, the best first (at most `most`, none below `least`).
Matrix crowd_probabilities(const CrowdModel& model, const CrowdView& view, ThreadPool& pool);
// How strong each cell is by the votes: a number around 0 that grows with the probability, rows x
// labels. What a predictor should learn, to be the scores of a second fit.
Matrix crowd_strengths(const CrowdModel& model, const CrowdView& view, ThreadPool& pool);
CandidateScores crowd_candidate_probabilities(const CrowdModel& model, const CrowdView& view,
                                              const LabelMatrix& candidates, ThreadPool& pool);
std::vector<CellProbability> missing_labels(const CrowdModel& model, const CrowdView& view,
                                            ThreadPool& pool, std::size_t most = 1000,
                                            double least = 0.5);

// The quality of a label. `noise` is its noise rate: the share of its ticked rows where it is not
// right. `unseen` is the number of rows that should have it but that nobody ticked.
struct LabelQuality {
  std::size_t rows_ticked = 0;
  double expected = 0, unseen = 0;  // rows that have the label; of these, ticked by nobody
  Estimate noise, sensitivity, false_positive_rate;
};
std::vector<LabelQuality> label_qualities(const CrowdModel& model, const CrowdView& view,
                                          ThreadPool& pool);

// An annotator over all labels. `agreement` is the share of their votes that side with the
// probability of the others' votes; `guesses` says that their ticks hardly depend on what is right:
// label by label, the odds of a tick on a right label are not surely twice those on another.
struct AnnotatorQuality {
  std::size_t annotations = 0, ticks = 0;
  Estimate sensitivity, false_positive_rate;
  double agreement = 0;
  bool guesses = false;
  bool compared = true;  // false: no other number here means anything (comparable_annotators)
};
std::vector<AnnotatorQuality> annotator_qualities(const CrowdModel& model, const CrowdView& view,
                                                  ThreadPool& pool);

// What to show an annotator, or to ask about them. Their ticks that are least likely right, the
// worst first; and pairs of labels they confuse: how often they are expected to have ticked
// `ticked`, which is not right, on a row where `right` is and they did not tick it. At most `most`
// of each.
std::vector<CellProbability> worst_ticks(const CrowdModel& model, const CrowdView& view,
                                         std::size_t annotator, std::size_t most = 10);
struct Confusion {
  std::size_t right = 0, ticked = 0;
  double times = 0;
};
std::vector<Confusion> confusions(const CrowdModel& model, const CrowdView& view,
                                  std::size_t annotator, std::size_t most = 10);

// What to ask next. `gain` is by how much one more look of an average annotator is expected to
// lower the number of cells decided wrongly (right if the probability is above one half): of a
// cell, or of all labels of a row together (`label` is then the one that gains most). The largest
// first.
struct Question {
  std::size_t row = 0, label = 0;
  double gain = 0;
};
enum class AskFor { Cells, Rows };
// Where names are ignored, no gain can be told (NaN), and what helps is one more annotation of rows
// that have one, or else two: rows of each annotator in turn. `label` means nothing.
std::vector<Question> ask_for_overlap(const Votes& votes, std::size_t budget);
std::vector<Question> ask_next(const CrowdModel& model, const CrowdView& view, AskFor what,
                               std::size_t budget, ThreadPool& pool);

// Labels with a probability of at least this are kept: for the least expected number of wrong cells
// one half, for the largest expected F1 over all cells half of that F1 (at most one half).
enum class CleanFor { Hamming, F1 };
double keeping_threshold(const Matrix& probabilities, CleanFor what);
// The same where only candidates are kept or not.
double keeping_threshold(const CandidateScores& probabilities, const LabelMatrix& candidates,
                         CleanFor what);

// A check of calibration without the truth: every vote is predicted from the votes of the others
// alone, and the predictions are sorted into ten classes.
struct HeldOutCheck {
  struct Class {
    std::size_t votes = 0;
    double claimed = 0, ticked = 0;  // means; 0 in an empty class
  };
  std::vector<Class> classes;
  double error = 0;           // mean of |claimed - ticked| over the votes
  double log_likelihood = 0;  // of a vote
};
HeldOutCheck check_by_held_out_annotators(const CrowdModel& model, const CrowdView& view,
                                          ThreadPool& pool);

// ---- votes alone
// ---------------------------------------------------------------------------------

// Ways to combine several annotations. All give numbers in [0, 1], rows x labels; a row without
// annotations gets 0.
enum class Aggregation {
  Union,       // 1 if anybody ticked it
  Share,       // of the row's annotators
  AtLeast,     // 1 if `at_least` annotators ticked it
  Majority,    // 1 if more than half of the row's annotators ticked it
  OneCoin,     // Dawid and Skene, each annotator right with one probability per label
  TwoCoins,    // Dawid and Skene, a probability for right labels and one for others
  CrowdModel,  // fit_crowd(), or Share where why_names_are_ignored()
};
Matrix aggregate(const Votes& votes, std::size_t labels, Aggregation how, ThreadPool& pool,
                 std::size_t at_least = 2);

// ---- without names: only the union
// -----------------------------------------------------------

struct UnionOptions {
  double missing = 0;  // share of the right labels that nobody ticked, in [0, 0.9]
};
// A label of a union. Rates are those of all annotators together.
//   noise          the share of the ticked rows without the label: if no gold cells were given, as
//                  far as wrong ticks do not follow the features
//   noise_at_most  in any case. Without gold cells that is never below 0.8: as much is known of
//                  real crowds, and a union cannot rule it out, since wrong ticks that follow the
//                  features look like right ones.
struct UnionLabel {
  double offset = 0, score = 1;  // right labels: log-odds = offset + score * log-odds of the score
  Estimate false_positive_rate;  // how often a row without the label has the tick
  Estimate noise;
  double noise_at_most = 1;
};
struct UnionModel {
  double missing = 0;
  std::vector<UnionLabel> labels;
  std::vector<GoldWeights> gold;

  // The probability of each label of a row, from its scores and ticks.
  void probabilities(const LabelMatrix& candidates, const Matrix& scores, std::size_t row,
                     std::span<float> into) const;
};
// How often a row without a label has its tick is read off from the rows with the lowest
// out-of-fold scores, through a curve fitted to all; where they say little, the label is drawn
// towards the others. Gold cells settle what a union cannot know. Intervals by Laplace's method,
// widened for curves of another form. Error(Usage) if shapes differ or a score is not a number.
UnionModel fit_union(const LabelMatrix& candidates, const Matrix& scores, ThreadPool& pool,
                     const UnionOptions& options = {}, std::span<const GoldCell> gold = {});

// How likely each candidate is right, and the cells without a tick that are most likely right (none
// to speak of, unless some were taken to be missing); see missing_labels() above.
CandidateScores union_candidate_probabilities(const UnionModel& model,
                                              const LabelMatrix& candidates, const Matrix& scores,
                                              ThreadPool& pool);
std::vector<CellProbability> missing_labels(const UnionModel& model, const LabelMatrix& candidates,
                                            const Matrix& scores, ThreadPool& pool,
                                            std::size_t most = 1000, double least = 0.5);

// Scores of any method as the models here want them: as they are if all lie in [0, 1]; else those
// of each label are centred, scaled and bent into (0, 1), in the same order.
Matrix as_probabilities(Matrix scores);

// How far annotators agree, in the figures that papers print (docs/agreement.md has the formulas).
//
// An annotator who did not annotate a row has no say there; an annotation without a label says
// "none of them". Same bits for any number of threads, and nothing is ever NaN.

// A figure, with an interval that should hold nine times out of ten if other rows were drawn. `why`
// says in a sentence why the value or the interval is missing.
struct AgreementFigure {
  std::optional<double> value;
  std::optional<double> low, high;  // both or none
  std::string why{};
};

// Figures of a question with a few answers. All are at most 1; 0 is what chance would give, but for
// `pairwise`, which is a share.
struct AgreementFigures {
  AgreementFigure alpha;     // Krippendorff's, nominal
  AgreementFigure kappa;     // Fleiss', generalised to any number of annotations per row
  AgreementFigure ac1;       // Gwet's
  AgreementFigure pairwise;  // share of the pairs of annotations that agree, mean over rows
};

// Two annotators on the rows that both annotated.
struct PairAgreement {
  std::uint32_t first = 0, second = 0;  // numbers of annotators, first < second
  std::size_t rows = 0;                 // at least 1
  Estimate similarity;                  // mean of 1 - MASI distance, with a Wilson interval
};

struct Agreement {
  std::size_t rows = 0, annotations = 0, annotators = 0;  // rows that anybody annotated
  std::size_t shared_rows = 0;                            // with two or more annotations
  std::size_t label_sets = 0;                             // that differ
  std::string why{};  // there is nothing to measure: why; all figures are then missing

  AgreementFigure masi_alpha;              // Krippendorff's over label sets, with MASI distance
  AgreementFigure masi_similarity;         // mean of 1 - MASI distance over pairs, mean over rows
  AgreementFigures sets;                   // label sets that are equal or not
  AgreementFigures labels_mean;            // mean over the labels that have the figure
  std::vector<AgreementFigures> labels;    // each label, ticked or not
  std::vector<std::size_t> labels_ticked;  // shared rows where somebody ticked the label

  std::vector<std::uint32_t> compared;  // the annotators of `pairs`, those with most rows first
  std::vector<PairAgreement> pairs;     // that share a row, by number
};

struct AgreementOptions {
  std::uint64_t seed = 1;
  std::size_t resamples = 1000;  // of rows; 0 for no intervals
  std::size_t annotators = 200;  // the most that are compared in pairs
};

// Linear in annotations (a row also costs the number of its different label sets, squared), and a
// resample is linear in rows; 8 bytes per figure and resample. Beyond 4096 different label sets,
// what MASI expects by chance is measured against 4096 annotations drawn at random. Beyond 4096
// labels, only the most frequent ones get intervals. Error(Usage) if a ticked label is not below
// `labels`.
Agreement measure_agreement(const Votes& votes, std::size_t labels, ThreadPool& pool,
                            const AgreementOptions& options = {});

// Pairs that surely agree least (by the upper end of the interval), and most (by the lower end), in
// that order; places in `pairs`, at most `most`.
std::vector<std::size_t> least_agreeing(const Agreement& agreement, std::size_t most);
std::vector<std::size_t> most_agreeing(const Agreement& agreement, std::size_t most);

// Distance of two sets of labels, each ascending: 1 - (shared / all) * m, where m is 1 if they are
// equal, 2/3 if one contains the other, 1/3 if they overlap (Passonneau, 2006). Two empty sets are
// equal.
double masi_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace sieve
