#pragma once

#include <string_view>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

struct OnnxResult {
  Matrix scores;
  LabelMatrix labels;
};

// Computes a graph that encode_onnx() made, one operator after another, without any haste. Numbers
// are rounded to float32 where the graph says so; the sums of a product are taken in float64.
OnnxResult run_onnx(std::string_view file, const Matrix& features);

}  // namespace sieve
