#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "labelsieve/model_io.h"
#include "model_io/onnx/run.h"

namespace sieve {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The columns of the table that these features were made of; NaN where a value was missing.
Matrix table_of(const FeatureRecipe& recipe, const Matrix& features) {
  Matrix out(features.rows(), recipe.columns.size());
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t k = 0, at = 0; k < out.cols(); at += recipe.columns[k++].width(recipe.text)) {
      const bool missing = recipe.columns[k].marks_missing && features(i, at + 1) != 0;
      out(i, k) = missing ? std::numeric_limits<float>::quiet_NaN() : features(i, at);
    }
  return out;
}

constexpr std::size_t kRowsAtOnce = 256;

}  // namespace

OnnxDifference compare_with_onnx(const Model& model, const Features& x, ThreadPool& pool) {
  const std::string file = encode_onnx(model);
  const Matrix scores = model.scores(x, pool);
  const LabelMatrix labels = model.decide(scores);
  const FeatureRecipe* recipe = model.state().recipe.get();
  std::vector<OnnxDifference> blocks((x.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
  pool.for_each(blocks.size(), [&](std::size_t b) {
    const std::size_t first = b * kRowsAtOnce, last = std::min(x.rows(), first + kRowsAtOnce);
    const Matrix rows = x.slice(first, last).to_dense(std::numeric_limits<std::size_t>::max());
    const OnnxResult result =
        recipe != nullptr ? run_onnx(file, table_of(*recipe, rows)) : run_onnx(file, rows);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = 0; k < scores.cols(); ++k) {
        const double apart = std::abs(double{result.scores(i - first, k)} - double{scores(i, k)});
        blocks[b].scores = std::max(blocks[b].scores, std::isnan(apart) ? kInfinite : apart);
        blocks[b].labels += result.labels.get(i - first, k) != labels.get(i, k);
      }
  });
  OnnxDifference all;
  for (const OnnxDifference& block : blocks) {
    all.scores = std::max(all.scores, block.scores);
    all.labels += block.labels;
  }
  return all;
}

}  // namespace sieve
