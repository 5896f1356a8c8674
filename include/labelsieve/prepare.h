#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/options.h"
#include "labelsieve/threads.h"

namespace sieve {

// ---- labels ------------------------------------------------------------------------------------

struct FilterReport {
  std::size_t labels_before = 0, labels_after = 0;
  std::size_t rows_before = 0, rows_after = 0;
};

// Keeps the `keep` labels that are most frequent in the truth (in the candidates where there is no
// truth; ties: the smaller index), in their old order, then drops rows left without a label.
// keep = 0 keeps all labels; drop_unlabelled = false keeps all rows.
FilterReport filter_labels(Dataset& data, std::size_t keep, bool drop_unlabelled);

// ---- scaling -----------------------------------------------------------------------------------

enum class Scaling { MinMax, Standardise, None };

// A linear map per feature, fitted on some rows and applied to any: x * factor + offset.
//   MinMax       to [-1, 1]; a constant feature becomes 0; values outside the fitted range are
//                not clipped.
//   Standardise  mean 0, variance 1 (divided by n); a constant feature becomes 0.
// Sparse features keep their storage: there the offset is left out so that zeros stay zero (MinMax
// then divides by the largest magnitude, Standardise by the standard deviation).
struct Scaler {
  Scaling scaling = Scaling::None;
  std::vector<float> factor, offset;  // both empty for None
  // Error(Data) if the number of features differs, or a map fitted on dense features with offsets
  // meets sparse ones.
  void apply(Features& x) const;
};
Scaler fit_scaler(const Features& x, Scaling scaling);

// ---- noise: turns a clean set into a partial multi-label one
// -------------------------------------

// All take the truth of `data` and set its candidates (but for a crowd, truth is always inside
// them). Each row draws from its own stream, so a row's noise depends on (seed, row) alone.
// Error(Data) without truth.

// The paper's protocol: rows with fewer than `average` true labels get irrelevant ones, uniformly
// without replacement, up to `average`; others stay clean.
void noise_fill(Dataset& data, std::size_t average, std::uint64_t seed);
// Exactly `extra` irrelevant labels (all, if fewer) on each row with probability `share`.
void noise_extra(Dataset& data, std::size_t extra, double share, std::uint64_t seed);
// `percent` % of the row's true labels (rounded, at least 1 for rows with any), added in the order
// in which a ridge regression trained on the truth finds irrelevant labels plausible.
void noise_plausible(Dataset& data, double percent, std::uint64_t seed, ThreadPool& pool);
// Each irrelevant cell of label k flips on with rate[k]; one entry stands for all labels.
void noise_flip(Dataset& data, std::span<const double> rate, std::uint64_t seed);
// One rate per label, uniform in [low, high].
std::vector<double> draw_flip_rates(std::size_t labels, double low, double high,
                                    std::uint64_t seed);

// A crowd: each row is annotated by `annotations` of `annotators`, and the candidates are the union
// of their ticks. A true label is hidden from all of them with probability `hidden`. Otherwise an
// average annotator ticks it with probability `sensitivity`, and a label that is not true or hidden
// with `false_positive_rate`. `skills` is by how much annotators differ in both, and labels too, as
// a standard deviation of log-odds; an annotator and a label together by half of it. A share
// `confusion` of an annotator's right ticks goes to the label that this annotator takes the right
// one for. Sets the votes of `data`.
struct CrowdNoise {
  std::size_t annotations = 3, annotators = 12;
  double sensitivity = 0.75, false_positive_rate = 0.02;
  double skills = 0.6;
  double hidden = 0.08;
  double confusion = 0;
};
void noise_crowd(Dataset& data, const CrowdNoise& crowd, std::uint64_t seed);

// Adds noise by the protocol and with the settings it was made with.
using AddNoise = std::function<void(Dataset& data, std::uint64_t seed, ThreadPool& pool)>;
// A way to add noise, as plans and the command know it.
struct NoiseProtocol {
  std::string name;                 // "fill"
  std::string summary;              // what it adds, one line
  std::vector<OptionSpec> options;  // the first is the level of a plan, "fill-10"
  // Whether a row's noise depends on the other rows that are there; else a row of the whole set has
  // the same noise in any part of it.
  bool learns = false;
  bool votes = false;  // whether it also makes votes; true labels can be missing then
  AddNoise (*make)(const Options& options) = nullptr;  // Error(Usage) if they do not fit together
};
const std::vector<NoiseProtocol>& noise_protocols();
// Error(Usage) naming the nearest protocol.
const NoiseProtocol& noise_protocol(const std::string& name);

// ---- splits: row indices, ascending within a part
// ------------------------------------------------

struct Split {
  std::vector<std::size_t> train, test;
};
// round(test_share * rows) random rows for the test, at least 1 on either side.
Split split_random(std::size_t rows, double test_share, std::uint64_t seed);
// k parts that differ in size by at most one row.
std::vector<std::vector<std::size_t>> folds_random(std::size_t rows, std::size_t k,
                                                   std::uint64_t seed);
// k parts in which every label has nearly its overall share: iterative stratification (Sechidis et
// al., 2011), seeded, then one sweep that evens out what dealing rare labels first left uneven.
// Parts also have nearly equal size. Time linear in the number of labels set (plus rows * log(k)
// and labels * k; k times the labels of the few rows that the sweep considers), where the textbook
// form counts all rows * labels again for every label.
std::vector<std::vector<std::size_t>> folds_stratified(const LabelMatrix& labels, std::size_t k,
                                                       std::uint64_t seed);
// The same for parts of the given shares (positive; need not sum to 1).
std::vector<std::vector<std::size_t>> stratify(const LabelMatrix& labels,
                                               std::span<const double> shares, std::uint64_t seed);
Split split_stratified(const LabelMatrix& labels, double test_share, std::uint64_t seed);
// Test = fold i, train = the rest.
Split split_of_fold(const std::vector<std::vector<std::size_t>>& folds, std::size_t i);

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
