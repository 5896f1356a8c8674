#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/options.h"
#include "labelsieve/prepare.h"
#include "labelsieve/progress.h"
#include "labelsieve/threads.h"

namespace sieve {

class Team;

// A named block of numbers, as a model file or a checkpoint stores it.
struct Tensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row by row
};

// All there is to know of a trained model or an unfinished training: what a file holds.
struct ModelState {
  std::string method;
  std::map<std::string, std::string> options;  // the effective ones
  std::map<std::string, std::string> notes;    // choices made, measures on record; shown by `info`
  std::vector<std::string> feature_names, label_names;
  std::size_t features = 0;
  Scaler scaler;
  std::vector<Tensor> tensors;
  std::shared_ptr<const FeatureRecipe> recipe{};  // null: features are the numbers of the data

  const Tensor& tensor(std::string_view name) const;  // Error(Model) if it is not there
};

// What a fit yields. Immutable and safe to share between threads. Inputs are as they come from the
// reader: the model applies its own scaling.
class Model {
 public:
  virtual ~Model() = default;

  // rows x labels, larger = more relevant. Error(Data) if the number of features differs.
  virtual Matrix scores(const Features& x, ThreadPool& pool) const = 0;
  // The model's own rule which scores mean "on".
  virtual LabelMatrix decide(const Matrix& scores) const = 0;
  // rows x labels in [0, 1]: how sure the model is that a candidate is right; 0 outside the
  // candidates.
  virtual Matrix confidence(const TrainingData& data, ThreadPool& pool) const = 0;
  virtual const ModelState& state() const = 0;

  // What the parts of the model that did not learn from a row say of it, for all rows of the fit
  // (rows x labels), and how sure they are of those rows' candidates. Null and empty, unless this
  // is a fresh fit by a learner that judges_unseen_rows(): a file does not keep it.
  virtual const Matrix* unseen_scores() const { return nullptr; }
  virtual Matrix unseen_confidence(const LabelMatrix& /*candidates*/) const { return {}; }
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
  std::function<void(std::size_t epoch, const EpochReport&)> on_epoch;
};

// A method that can learn from candidate labels. Stateless: all settings are in its options, all
// randomness in `fit.seed`. The result does not depend on the number of threads.
class Learner {
 public:
  virtual ~Learner() = default;
  // Error(Data) if the data cannot be learnt from, Error(Training) if the training diverges or
  // collapses, Error(Interrupted) after a stop request (a checkpoint was saved if there is a sink).
  virtual std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& fit) const = 0;
  // Whether its models have unseen_scores(): one fit judges every row by what did not see it.
  virtual bool judges_unseen_rows() const { return false; }
  // The same method, but in one fit that judges every row by a model which held out its part of so
  // many (judges_unseen_rows()); null where there is no such way.
  virtual std::unique_ptr<Learner> judging(std::size_t /*folds*/) const { return nullptr; }
  // The same method with those settings fixed that a fit chooses by held-out candidates, as chosen
  // on these rows: for fits on several parts of them, which need not choose again. Null where there
  // is nothing to choose. Only seed, threads and progress of `fit` are used.
  virtual std::unique_ptr<Learner> settled(const TrainingData& /*data*/,
                                           const FitOptions& /*fit*/) const {
    return nullptr;
  }
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
  // Seconds for a million cells (rows x features) of a small set, to the order of magnitude: what
  // to expect of a method that has not run yet.
  double cost = 5;
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

}  // namespace sieve
