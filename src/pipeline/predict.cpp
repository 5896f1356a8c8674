#include "labelsieve/predict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/error.h"
#include "linalg/paging.h"
#include "pipeline/prediction_writer.h"

namespace sieve {
namespace {

// Finds features whose values lie far outside the range that a model was trained on: another unit,
// another order of columns. Only dense features of a model that scales them are looked at.
class FarValues {
 public:
  explicit FarValues(const ModelState& model) : model_(model) {}

  // How many values of each feature are far outside; empty where that is not known.
  std::vector<std::size_t> count(const Features& x) const;
  void add(const std::vector<std::size_t>& counts, std::size_t rows);
  // The features of which more than half of the values are, by name or as "feature 3".
  std::vector<std::string> features() const;

 private:
  const ModelState& model_;
  std::vector<std::size_t> far_;
  std::size_t rows_ = 0;
};

// Scaled values of the training rows lie within 1 (2, where the mean is 0), or deviate by 1.
double farthest(Scaling scaling) {
  return scaling == Scaling::MinMax ? 5 : 20;
}

std::vector<std::size_t> FarValues::count(const Features& x) const {
  const Scaler& scaler = model_.scaler;
  if (x.is_sparse() || scaler.scaling == Scaling::None || scaler.factor.size() != x.cols())
    return {};
  const double limit = farthest(scaler.scaling);
  std::vector<std::size_t> far(x.cols());
  std::vector<float> row(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.copy_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j)
      far[j] += std::abs(double{row[j]} * scaler.factor[j] + scaler.offset[j]) > limit;
  }
  return far;
}

void FarValues::add(const std::vector<std::size_t>& counts, std::size_t rows) {
  if (counts.empty()) return;
  rows_ += rows;
  far_.resize(counts.size());
  for (std::size_t j = 0; j < counts.size(); ++j) far_[j] += counts[j];
}

std::vector<std::string> FarValues::features() const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < far_.size(); ++j)
    if (2 * far_[j] > rows_)
      names.push_back(j < model_.feature_names.size() ? model_.feature_names[j]
                                                      : "feature " + std::to_string(j + 1));
  return names;
}

// Scores blocks of rows on all threads as they are read, and writes them in order.
class Predictor {
 public:
  Predictor(const Model& model, ThreadPool& pool, PredictionWriter& writer, Progress& progress)
      : model_(model), pool_(pool), writer_(writer), progress_(progress), far_(model.state()) {
    progress_.begin("Predict", 0);
  }

  std::function<void()> take(FeatureBlock& block) {
    FeatureMatch match = match_features(model_.state(), block.features, block.names);
    block.features = matched_features(match, model_.state(), std::move(block.features));
    const Matrix scores = ask_of_block(block.first_row, block.ids,
                                       [&] { return model_.scores(block.features, pool_); });
    const LabelMatrix decisions = writer_.decisions(model_, scores);
    const PredictionWriter::Rows rows{block.first_row, scores, decisions, block.ids};
    return [this, match = std::move(match), text = writer_.text(rows), count = scores.rows(),
            far = far_.count(block.features), with_ids = !block.ids.empty()] {
      far_.add(far, count);
      finish(match, text, count, with_ids);
    };
  }
  FeatureMatch match() const {
    FeatureMatch match = match_;
    match.far = far_.features();
    return match;
  }

 private:
  void finish(const FeatureMatch& match, const std::string& text, std::size_t rows, bool with_ids) {
    const std::size_t absent_before = match_.absent;
    match_ = match;
    match_.absent = std::max(match_.absent, absent_before);
    writer_.write(text, rows, with_ids);
    progress_.update(writer_.rows(), "rows");
  }

  const Model& model_;
  ThreadPool& pool_;
  PredictionWriter& writer_;
  Progress& progress_;
  FeatureMatch match_;
  FarValues far_;
};

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const auto end = names.begin() + static_cast<long>(std::min(names.size(), kShown));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     names.size() > kShown ? ", ..." : "");
}

}  // namespace

Features features_for(const Model& model, const Dataset& data) {
  const FeatureRecipe* own = model.state().recipe.get();
  if (own != nullptr && data.recipe != model.state().recipe &&
      (data.recipe == nullptr || *data.recipe != *own))
    throw Error(Failure::Data, "the features of this data were not made as the model makes them",
                {data.name, 0, 0}, "read it with the recipe of the model");
  const FeatureMatch match = match_features(model.state(), data.features, data.feature_names);
  return matched_features(match, model.state(), data.features);
}

Prediction predict(const Model& model, const Dataset& data, ThreadPool& pool) {
  Matrix scores =
      ask_of_block(0, data.ids, [&] { return model.scores(features_for(model, data), pool); });
  LabelMatrix labels = model.decide(scores);
  return {std::move(scores), std::move(labels)};
}

void predict_blocks(const Model& model, const Dataset& data, ThreadPool& pool, Progress& progress,
                    const TakeScores& take) {
  const Features x = features_for(model, data);
  const std::span<const std::string> ids(data.ids);
  progress.begin("predicting", x.rows());
  for (std::size_t first = 0; first < x.rows(); first += kWindowRows) {
    const std::size_t last = std::min(first + kWindowRows, x.rows());
    const bool all = first == 0 && last == x.rows();
    take(first, ask_of_block(first, ids.subspan(std::min(first, ids.size())),
                             [&] { return model.scores(all ? x : x.slice(first, last), pool); }));
    progress.update(last);
    if (progress.stop_requested() && last < x.rows())
      throw Error(Failure::Interrupted, "stopped on request");
  }
}

Predicted predict_files(const Model& model, const std::vector<std::string>& paths,
                        ReadOptions options, const PredictionLayout& layout, OutputStream& out,
                        Progress& progress) {
  options.labels.optional = true;
  options.known_features = model.state().feature_names;
  options.recipe = model.state().recipe;
  RecipeTally tally;
  options.tally = &tally;
  ThreadPool alone(1);
  PredictionWriter writer(out, layout, model.state().label_names);
  Predictor predictor(model, options.threads != nullptr ? *options.threads : alone, writer,
                      progress);
  read_features(paths, options, [&](FeatureBlock& block) { return predictor.take(block); });
  writer.finish();
  FeatureMatch match = predictor.match();
  match.missing = tally.missing;
  match.unseen = tally.unseen;
  if (options.recipe)
    for (const std::string& name : tally.ignored)  // once, in however many files
      if (std::ranges::find(match.ignored, name) == match.ignored.end())
        match.ignored.push_back(name);
  return {writer.rows(), std::move(match)};
}

std::vector<std::string> notes_on(const FeatureMatch& match) {
  std::vector<std::string> notes;
  if (!match.ignored.empty())
    notes.push_back(fmt::format("ignored {} the model does not use: {}",
                                count_text(match.ignored.size(), "column"),
                                first_of(match.ignored)));
  if (!match.far.empty())
    notes.push_back(fmt::format(
        "most values of {} lie far outside the range the model was trained on: check the units "
        "and the order of the columns",
        first_of(match.far)));
  if (match.absent != 0)
    notes.push_back(
        fmt::format("the data has no value for the last {} features of the model: "
                    "they were taken as 0",
                    match.absent));
  if (match.missing != 0)
    notes.push_back("filled in " + count_text(match.missing, "missing value"));
  if (match.unseen != 0)
    notes.push_back(fmt::format("{} of categories not seen in training: no feature is set for them",
                                count_text(match.unseen, "value")));
  return notes;
}

}  // namespace sieve
