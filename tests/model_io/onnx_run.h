#pragma once

#include <string_view>

#include "labelsieve/model_io.h"

// ONNX as far as export uses it, so that what a file says is known where no runtime can be had;
// tests/onnx asks ONNX Runtime itself.
namespace sieve {

struct OnnxResult {
  Matrix scores, probabilities;
  LabelMatrix labels;
};

// Computes a graph that encode_onnx() made, one operator after another, without any haste. Numbers
// are rounded to float32 where the graph says so; the sums of a product are taken in float64.
OnnxResult run_onnx(std::string_view file, const Matrix& features);

// The same of a graph of classes, which are numbers.
struct OnnxClassesFound {
  std::vector<double> label;
  Matrix probabilities;
};
OnnxClassesFound run_onnx_classes(std::string_view file, const Matrix& features);

// How far the ONNX form of a model is from the model itself.
struct OnnxDifference {
  double scores = 0;         // the largest difference of two scores
  double probabilities = 0;  // and of two probabilities
  std::size_t labels = 0;    // cells that are decided otherwise
};
// On these rows, which are features as the model takes them. The graph is computed step by step as
// its file says, in float32 where that says so: slow, and the same everywhere. Throws what
// encode_onnx() and Model::scores() do.
OnnxDifference compare_with_onnx(const Model& model, const Features& x, ThreadPool& pool);

}  // namespace sieve
