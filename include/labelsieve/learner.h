#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/options.h"
#include "labelsieve/prepare.h"
#include "labelsieve/threads.h"

namespace sieve {

// How a model works on the rows of a block.
enum class RowStorage { Dense, Sparse };

// Which scores of a row mean "on".
enum class DecisionRule {
  Constant,   // score >= threshold
  RowMinMax,  // the row scaled to [0, 1] >= threshold; a row of equal scores has none on
  Regressed,  // score >= [scores of the row, 1] . weights
  Top,        // the `top` highest of a row (ties: the smaller index)
};
// "constant", "row-min-max", "regressed" or "top", as model files have it.
const char* name_of(DecisionRule rule);

// What a guarantee does with one label.
struct GuaranteedLabel {
  float threshold = 0;          // of scores: on from there; infinity: never on
  bool shared = false;          // whether it shares its threshold and its promise with other labels
  std::uint64_t decisions = 0;  // that the promise rests on: see Guarantee
  bool operator==(const GuaranteedLabel&) const = default;
};

// Thresholds that keep a promise for rows like some that were decided and not trained on.
//   precision  of a label: the share of rows with the label on that really have it
//   recall     of a label: the share of rows that really have it with the label on
// Labels with too few decisions share a threshold and a promise: the same share within a row, over
// these labels, as a mean over the rows where there is one. Decisions are the rows that count.
struct Guarantee {
  std::string about{};     // "precision" or "recall"
  double share = 0.9;      // at least
  double level = 0.9;      // the probability that a promise holds
  std::uint64_t rows = 0;  // decided ones
  std::vector<GuaranteedLabel> labels{};
  bool operator==(const Guarantee&) const = default;
};

// Settings of a finished or unfinished training that later work depends on. A field is empty where
// the method has no such choice, or where the version that wrote the file did not keep it.
struct Choices {
  std::optional<std::uint64_t> seed{};
  std::optional<std::uint64_t> rows{};           // trained on
  std::optional<std::uint64_t> data_checksum{};  // a checkpoint goes on with the same data alone
  std::optional<RowStorage> storage{};
  std::optional<DecisionRule> decision{};
  std::optional<std::string> activation{};  // of hidden layers: "leaky-relu"
  std::optional<std::uint64_t> depth{};     // number of hidden layers
  std::optional<double> noise_share{};      // of candidates
  std::optional<double> beta{};             // weight of the adversarial loss
  std::optional<double> share{};            // of the game in what a predictor learns from
  std::vector<Guarantee> guarantees{};      // of a finished model
  // What a checkpoint has counted, by name; of a real number its bits.
  std::map<std::string, std::uint64_t> counters{};

  bool operator==(const Choices&) const = default;
};

class Team;

// A named block of numbers, as a model file or a checkpoint stores it.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row by row
};

// A trained model or an unfinished training, as a file holds it.
struct ModelState {
  std::string method;
  std::map<std::string, std::string> options;   // the effective ones
  Choices choices;                              // what later work depends on
  std::map<std::string, Choices> part_choices;  // of the models it is made of, by name
  std::map<std::string, std::string> notes;     // remarks to display; nothing depends on them
  std::vector<std::string> feature_names, label_names;
  std::size_t features = 0;
  Scaler scaler;
  std::vector<Tensor> tensors;
  std::shared_ptr<const FeatureRecipe> recipe{};  // null: features are the numbers of the data

  const Tensor& tensor(std::string_view name) const;  // Error(Model) if it is not there
  // The notes, and the choices in words, for display.
  std::map<std::string, std::string> display_notes() const;
};

// A trained model. Immutable and safe to share between threads. Inputs are as they come from the
// reader: the model applies its own scaling.
class Model {
 public:
  virtual ~Model() = default;

  // rows x labels, larger = more relevant. Error(Data) if the number of features differs.
  virtual Matrix scores(const Features& x, ThreadPool& pool) const = 0;
  // The model's own rule which scores mean "on".
  virtual LabelMatrix decide(const Matrix& scores) const = 0;
  // rows x labels in [0, 1]: the probability that a candidate is right; 0 outside the candidates.
  virtual Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const = 0;
  virtual const ModelState& state() const = 0;
  // rows x labels, strictly between 0 and 1: the probability that each label is right, whether or
  // not it is a candidate.
  Matrix probabilities(const Features& x, ThreadPool& pool) const;
  Matrix probabilities(Matrix scores) const;  // the same, of scores() of this model

 private:
  // Scores on a scale from 0 to 1. The scores of most methods are probabilities already.
  virtual Matrix on_unit_scale(Matrix scores) const { return scores; }
};

// Takes checkpoints of an unfinished training. `save` may be called at any time between two steps.
class CheckpointSink {
 public:
  virtual ~CheckpointSink() = default;
  virtual bool due() const = 0;  // whether a checkpoint is wanted now
  virtual void save(const ModelState& state) = 0;
};

// One line of the training log: what an epoch reported.
using EpochReport = std::vector<std::pair<std::string, double>>;

// Everything a fit needs besides data and options. References must outlive the fit.
struct FitOptions {
  std::uint64_t seed = 1;
  ThreadPool* threads = nullptr;            // null: the calling thread alone
  Progress* progress = nullptr;             // null: silent
  CheckpointSink* checkpoints = nullptr;    // null: none
  const ModelState* resume_from = nullptr;  // a checkpoint of the same fit
  // The ranks that share this fit, each with the same data and settings; null: this one alone. Only
  // methods with the option "parts" can be shared. All ranks get the same model; only rank 0 needs
  // a checkpoint sink. Error(Io) if a rank is lost, after what it had reached was saved.
  Team* team = nullptr;
  // May be empty. Epochs count from 1, and on from a checkpoint.
  std::function<void(std::size_t epoch, const EpochReport&)> on_epoch{};
};

// Scores of rows by models that did not learn from them.
struct OutOfFold {
  std::shared_ptr<const Model> model{};  // the only one, or that of the first fold
  Matrix scores{};                       // rows x labels
  CandidateScores probabilities{};       // that each candidate is right
  // Parts that the rows were cut into; 0: one fit was enough.
  std::size_t folds = 0;
};

// A method that can learn from candidate labels. Stateless: all settings are in its options, all
// randomness in `fit.seed`. The result does not depend on the number of threads.
class Learner {
 public:
  virtual ~Learner() = default;
  // Error(Data) if the data cannot be learnt from, Error(Usage) if it has votes that were not
  // weighed (TrainingData::votes), Error(Training) if the training diverges or collapses,
  // Error(Interrupted) after a stop request (a checkpoint was saved if there is a sink).
  virtual std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& fit) const = 0;
  // Scores each row with a model that held it out. By default the rows are cut into `folds` parts,
  // stratified by candidates, and a model of all other parts scores each; some methods need only
  // one fit. Uses seed, threads and progress of `fit`. Error(Usage) for fewer than 2 folds or more
  // than rows; else what the fits throw.
  virtual OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t folds,
                                    const FitOptions& fit) const;
};

// A method as the registry knows it.
struct MethodInfo {
  std::string name;     // "pml-gan"
  std::string title;    // "PML-GAN"
  std::string summary;  // one line
  bool oracle = false;  // is meant to be given the truth as its candidates
  std::vector<OptionSpec> options;
  std::unique_ptr<Learner> (*make)(const Options& options) = nullptr;
  std::unique_ptr<Model> (*load)(ModelState state) = nullptr;
  // Seconds per million cells (rows x features) of a small set, to the order of magnitude: the
  // estimate for a method that has not run yet.
  double cost = 5;
  bool weighs_rows = false;      // whether it can use TrainingData::weights
  bool uses_unlabelled = false;  // and TrainingData::unlabelled
};

const std::vector<MethodInfo>& all_methods();
// Null if there is no such method. A name that a method had in an earlier version will do.
const MethodInfo* find_method(const std::string& name);
// Error(Usage) naming the nearest method.
const MethodInfo& method_info(const std::string& name);
// A method with these of its options set, as in {{"width", "64"}, {"epochs", "20"}}, the others at
// their defaults. Error(Usage) naming the nearest method or option.
std::unique_ptr<Learner> make_learner(const std::string& method,
                                      const std::map<std::string, std::string>& settings = {});
// `typed` if there is one, else the same. Error(Usage) if there are settings beside it.
std::shared_ptr<const Learner> learner_of(const std::string& method,
                                          const std::map<std::string, std::string>& settings,
                                          std::shared_ptr<const Learner> typed);

}  // namespace sieve
