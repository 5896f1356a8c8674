#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Settings for features of text: its words and pairs of adjacent words, lower-cased by the rules of
// Unicode. Each is weighted by TF-IDF (1 + ln(count), times its inverse document frequency), and
// the terms of one text together have length 1.
struct TextOptions {
  std::size_t terms = 20000;   // the most frequent ones have a feature each; 0: all are hashed ...
  std::size_t hash_bits = 18;  // ... to this many bits
  bool pairs = true;
  std::size_t char_grams = 0;  // also up to this many letters in a row (from 2 on); 0: none
  friend bool operator==(const TextOptions&, const TextOptions&) = default;
};

// The kinds of columns of a table, where its cells do not show them. Columns go by name.
struct TableOptions {
  std::vector<std::string> text;      // free text
  std::vector<std::string> category;  // categories, though they may be numbers or seldom repeat
  std::vector<std::string> date;      // dates, as days since 1970-01-01
  std::vector<std::string> ignore;    // neither features nor labels
  TextOptions terms;                  // of text columns
  std::size_t most_values = 100;      // a category of more is hashed to 256 features
  char decimal = '.';
  char thousands = 0;  // between groups of three digits; 0: none
};

// How one column of a table becomes features.
struct RecipeColumn {
  enum class Kind { Number, Category, Text, Date };
  Kind kind = Kind::Number;
  std::string name;                 // empty where the table has no names
  float fill = 0;                   // number, date: the median; category: 1 if compared as text
  bool marks_missing = false;       // one more feature is 1 where the value is missing
  bool hashed = false;              // category: by hash; text: terms have no features of their own
  std::vector<std::string> values;  // category: one feature each; text: the terms, one each
  std::vector<float> weights;       // text: the inverse document frequency of each feature
  std::size_t missing = 0;          // values that were missing in the rows it was learnt from

  std::size_t width(const TextOptions& text) const;  // how many features it makes
  friend bool operator==(const RecipeColumn&, const RecipeColumn&) = default;
};

// The medians, categories, terms and weights learnt from the columns of a table. The model keeps
// them, and makes the features of new tables with them.
struct FeatureRecipe {
  std::vector<RecipeColumn> columns;  // in the order of their features
  TextOptions text;
  char decimal = '.', thousands = 0;
  std::size_t rows = 0;  // that it was learnt from

  std::size_t width() const;  // all features
  bool is_sparse() const;     // how its features are stored
  // One name per feature, as in "age", "age is missing", "colour=red", "review: great"; none where
  // terms are hashed or columns have no names.
  std::vector<std::string> feature_names() const;
  friend bool operator==(const FeatureRecipe&, const FeatureRecipe&) = default;
};

// The recipe in words, a sentence each: "filled in 3 missing values by the median of their column
// (age 2, height 1)".
std::vector<std::string> notes_on(const FeatureRecipe& recipe);

// Counts of unusual values when a recipe is used on new rows.
struct RecipeTally {
  std::atomic<std::size_t> missing{0};  // values that were filled in
  std::atomic<std::size_t> unseen{0};   // categories that were not there when it was learnt
  std::vector<std::string> ignored{};   // columns that it does not use
};

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
  // The probability that each label is right, where it is known (with_probabilities(), train() of
  // pipeline.h); else null. Unlisted labels have probability 0. Methods that can learn from
  // probabilities do. The others learn from the candidates, which are then the labels of
  // probability one half or more.
  std::shared_ptr<const CandidateScores> probabilities{};
  std::shared_ptr<const FeatureRecipe> recipe{};  // for the model to keep
  // How much each row counts, above 0 and 1 on average (with_weights()); null: all alike. Only some
  // methods can use it (MethodInfo::weighs_rows).
  std::shared_ptr<const std::vector<float>> weights{};
  // Rows nobody annotated, with the same columns; null: none. Only some methods can use them
  // (MethodInfo::uses_unlabelled). A subset of the annotated rows keeps all of these.
  std::shared_ptr<const Features> unlabelled{};

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
TrainingData with_probabilities(const TrainingData& data, const Matrix& probabilities);

// The rows of weight above 0, each to count by its weight; only the ratios of weights matter. Where
// weights differ, rows are in the order of their content, so that it does not matter where a row
// stood; where they are all the same, nothing changes. Error(Data) for a weight that is negative or
// not finite, for another number of them than rows, and if all are 0.
TrainingData with_weights(TrainingData data, std::span<const double> weights);

// The same for methods that cannot weigh rows: each is there as often as its weight says, without a
// copy of its features. Nothing if a weight is not a whole number.
std::optional<TrainingData> with_rows_repeated(TrainingData data, std::span<const double> weights);

// Rows of `below` appended to `above`. Throws Error(Data) if features or labels differ in number,
// name or order, or only one of them has the truth, votes or ids, or an id stands in both, or their
// features were made by different recipes.
Dataset stack_rows(Dataset above, const Dataset& below);

// Equal in all parts, numbers bit for bit; the name of the set does not count.
bool same_content(const Dataset& a, const Dataset& b);

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
struct AnnotatorSummary {
  std::string name;
  std::size_t annotations = 0, ticks = 0, unsure = 0;  // unsure: votes that are no yes and no no
  bool program = false;
  // The share of the row's other annotators who assigned the same label, averaged over the ticks of
  // this annotator; NaN where nobody else annotated the row.
  double agreement = 0;
};

// The votes of a data set, counted.
struct VoteSummary {
  std::vector<AnnotatorSummary> annotators;
  std::size_t annotations = 0, ticks = 0, unsure = 0;
  std::size_t empty_annotations = 0;                         // without a tick
  double agreement = 0;                                      // as above, over all ticks
  std::size_t fewest_annotations = 0, most_annotations = 0;  // at a row
  std::size_t unseen_rows = 0, rows_seen_once = 0;
  // A tie: exactly half of those who said yes or no to the label of the row ticked it.
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
