#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "labelsieve/dataset.h"
#include "labelsieve/threads.h"

namespace sieve {

// A realistic crowd-annotation set, made from a seed. A hidden low-dimensional cause drives both
// the labels (correlated, of very different frequency) and the features (non-linear in it). Each
// row is annotated by `annotators_per_row` of `annotators`. Each annotator has habits: labels they
// assign too often, labels they confuse with similar ones, a general laxness. The candidates are
// the union of their labels and of the truth; the truth is known.
struct SynthOptions {
  std::size_t rows = 2000;
  std::size_t features = 60;
  std::size_t entries = 0;  // non-zero features per row, stored sparsely; 0: dense features
  std::size_t labels = 12;
  std::size_t annotators = 9;
  std::size_t annotators_per_row = 3;
  double cardinality = 2.5;  // true labels per row, on average
  double noise = 2.5;        // noise labels per row, on average
  std::uint64_t seed = 1;
  bool votes = false;  // also who assigned which label; annotators differ in recall
  double missing = 0;  // share of the true labels that nobody assigns: not candidates either
};

// The same options give the same set bit for bit, for any number of threads. Every row has at least
// one true label. Error(Usage) names an option out of range.
Dataset make_synthetic(const SynthOptions& options, ThreadPool& pool);
// The same set block by block, in order, for sets larger than memory.
void make_synthetic(const SynthOptions& options, ThreadPool& pool,
                    const std::function<void(Dataset&&)>& take);

}  // namespace sieve
