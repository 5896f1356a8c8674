#include "labelsieve/dataset.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "data/recipe/table.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

LabelMatrix stacked(LabelMatrix above, const LabelMatrix& below) {
  const std::size_t before = above.rows();
  above.resize_rows(before + below.rows());
  for (std::size_t i = 0; i < below.rows(); ++i)
    std::ranges::copy(below.words(i), above.words(before + i).begin());
  return above;
}

void require_same_names(const std::vector<std::string>& above,
                        const std::vector<std::string>& below, const std::string& what,
                        const std::string& second) {
  for (std::size_t i = 0; i < above.size() && i < below.size(); ++i)
    if (above[i] != below[i])
      throw Error(Failure::Data,
                  what + " " + std::to_string(i + 1) + " is '" + below[i] + "' here but '" +
                      above[i] + "' in the file before",
                  {second, 0, 0}, "both files need the same " + what + "s in the same order");
}

std::shared_ptr<const Votes> votes_of_rows(const std::shared_ptr<const Votes>& votes,
                                           std::span<const std::size_t> rows) {
  return votes ? std::make_shared<const Votes>(votes->select_rows(rows)) : nullptr;
}

void require_new_ids(const std::vector<std::string>& above, const std::vector<std::string>& below,
                     const std::string& second) {
  const std::unordered_set<std::string_view> known(above.begin(), above.end());
  for (const std::string& id : below)
    if (known.contains(id))
      throw Error(Failure::Data, "the id '" + id + "' is in the file before as well",
                  {second, 0, 0}, "each row needs an id of its own");
}

bool same_votes(const Dataset& a, const Dataset& b) {
  return a.votes == b.votes || (a.votes && b.votes && *a.votes == *b.votes);
}

bool same_recipe(const Dataset& a, const Dataset& b) {
  return a.recipe == b.recipe || (a.recipe && b.recipe && *a.recipe == *b.recipe);
}

}  // namespace

Dataset Dataset::select_rows(std::span<const std::size_t> rows) const {
  Dataset out;
  out.name = name;
  out.features = features.select_rows(rows);
  out.candidates = candidates.select_rows(rows);
  if (truth) out.truth = truth->select_rows(rows);
  out.votes = votes_of_rows(votes, rows);
  if (!ids.empty())
    for (const std::size_t row : rows) out.ids.push_back(ids[row]);
  out.recipe = recipe;
  if (cells) out.cells = std::make_shared<const RawTable>(cells->select_rows(rows));
  out.feature_names = feature_names;
  out.label_names = label_names;
  return out;
}

Dataset Dataset::clone() const {
  Dataset out;
  out.name = name;
  out.features = features;
  out.candidates = candidates.clone();
  if (truth) out.truth = truth->clone();
  out.votes = votes;
  out.ids = ids;
  out.recipe = recipe;
  out.cells = cells;
  out.feature_names = feature_names;
  out.label_names = label_names;
  return out;
}

namespace {

std::shared_ptr<const std::vector<float>> selected(
    const std::shared_ptr<const std::vector<float>>& weights, std::span<const std::size_t> rows) {
  if (!weights) return nullptr;
  std::vector<float> some;
  for (const std::size_t row : rows) some.push_back((*weights)[row]);
  return std::make_shared<const std::vector<float>>(std::move(some));
}

}  // namespace

TrainingData TrainingData::subset(std::span<const std::size_t> rows) const {
  return {features.subset(rows),
          candidates.select_rows(rows),
          feature_names,
          label_names,
          votes_of_rows(votes, rows),
          probabilities ? std::make_shared<const CandidateScores>(probabilities->select_rows(rows))
                        : nullptr,
          recipe,
          selected(weights, rows),
          unlabelled};
}

TrainingData TrainingData::without_votes() const {
  return {features, candidates.share(), feature_names, label_names, nullptr, probabilities, recipe,
          weights,  unlabelled};
}

TrainingData training_data(const Dataset& data) {
  return {data.features,      data.candidates.share(),
          data.feature_names, data.label_names,
          data.votes,         nullptr,
          data.recipe};
}

TrainingData with_probabilities(const TrainingData& data, const Matrix& probabilities) {
  constexpr float kUnit = 256;  // hides the last bits of logarithms
  Matrix rounded(probabilities.rows(), probabilities.cols());
  LabelMatrix possible(probabilities.rows(), probabilities.cols()),
      likely(probabilities.rows(), probabilities.cols());
  for (std::size_t i = 0; i < probabilities.rows(); ++i)
    for (std::size_t k = 0; k < probabilities.cols(); ++k) {
      const float probability = rounded(i, k) = std::round(probabilities(i, k) * kUnit) / kUnit;
      possible.set(i, k, probability != 0);
      likely.set(i, k, probability >= 0.5F);
    }
  return {data.features,
          std::move(likely),
          data.feature_names,
          data.label_names,
          nullptr,
          std::make_shared<const CandidateScores>(rounded, std::move(possible)),
          data.recipe,
          data.weights,
          data.unlabelled};
}

Dataset stack_rows(Dataset above, const Dataset& below) {
  const auto refuse = [&](const std::string& what, std::size_t a, std::size_t b) {
    throw Error(
        Failure::Data,
        std::to_string(b) + " " + what + " here but " + std::to_string(a) + " in the file before",
        {below.name, 0, 0}, "both files must belong to the same data set");
  };
  if (above.features.cols() != below.features.cols())
    refuse("features", above.features.cols(), below.features.cols());
  if (above.labels() != below.labels()) refuse("labels", above.labels(), below.labels());
  require_same_names(above.label_names, below.label_names, "label", below.name);
  require_same_names(above.feature_names, below.feature_names, "feature", below.name);
  const auto require_both = [&](bool a, bool b, const std::string& what) {
    if (a != b) throw Error(Failure::Data, "only one of the files has " + what, {below.name, 0, 0});
  };
  require_both(above.truth.has_value(), below.truth.has_value(), "true labels");
  require_both(above.votes != nullptr, below.votes != nullptr, "votes");
  require_both(above.ids.empty(), below.ids.empty(), "ids");
  require_new_ids(above.ids, below.ids, below.name);
  if (!same_recipe(above, below))
    throw Error(Failure::Data, "its features are made in another way than those before it",
                {below.name, 0, 0}, "read both files as one set");

  above.features = stack_rows(std::move(above.features), below.features);
  above.candidates = stacked(std::move(above.candidates), below.candidates);
  if (above.truth) above.truth = stacked(std::move(*above.truth), *below.truth);
  if (above.votes)
    above.votes = std::make_shared<const Votes>(stack_rows(*above.votes, *below.votes));
  above.cells.reset();  // files that are read together keep theirs: they are stacked before
  above.ids.insert(above.ids.end(), below.ids.begin(), below.ids.end());
  return above;
}

bool same_content(const Dataset& a, const Dataset& b) {
  return a.label_names == b.label_names && a.feature_names == b.feature_names &&
         a.candidates == b.candidates && a.truth == b.truth && a.ids == b.ids && same_votes(a, b) &&
         same_values(a.features, b.features);
}

}  // namespace sieve
