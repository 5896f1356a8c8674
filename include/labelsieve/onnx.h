#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "labelsieve/files.h"
#include "labelsieve/learner.h"

// Models as ONNX files, for runtimes that know nothing of LabelSieve.
namespace sieve {

// A graph (opset 13, for forests ai.onnx.ml 2, too) from `features`, float [rows, columns], to
// `scores`, float [rows, labels], and `labels`, int64 [rows, labels]: 1 where the model decides for
// a label. Any number of rows. Scaling is part of it; where the model was trained on a table with
// missing values, its columns are those of the table, and NaN is a missing value. The metadata
// tells method, version, names of columns and labels, and the decision rule with its thresholds.
// Linear methods, networks, forests and blends of them can be written. Error(Model) names what
// cannot: kernels, votes of pairs, columns of text or categories, more than 2 GiB. Takes a few
// times the memory of the model.
std::string encode_onnx(const Model& model);

// Writes that to a file, which appears only when complete; gives its size in bytes.
std::uint64_t export_onnx(const Model& model, const std::string& path,
                          IfExists if_exists = IfExists::Refuse,
                          FileSystem& files = FileSystem::real());

// How far the ONNX form of a model is from the model itself.
struct OnnxDifference {
  double scores = 0;       // the largest difference of two scores
  std::size_t labels = 0;  // cells that are decided otherwise
};
// On these rows, which are features as the model takes them. The graph is computed step by step as
// its file says, in float32 where that says so: slow, and the same everywhere. Throws what
// encode_onnx() and Model::scores() do.
OnnxDifference compare_with_onnx(const Model& model, const Features& x, ThreadPool& pool);

}  // namespace sieve
