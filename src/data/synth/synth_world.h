#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "labelsieve/matrix.h"
#include "labelsieve/prepare.h"

namespace sieve {

// Sparse features of a synthetic set, made as a text makes words: half of the draws are common
// words, the others come from themes, of which there are two to each hidden unit (the unit high,
// the unit low). The lower a feature's number, the more frequent it is.
class SynthWords {
 public:
  SynthWords(std::size_t features, std::size_t entries) : features_(features), entries_(entries) {}

  // Draws until `entries` different features were met: appends them in ascending order, and for
  // each 1 + log(times it was drawn).
  void row(std::span<const double> units, Random& random, std::vector<std::uint32_t>& columns,
           std::vector<float>& values) const;

 private:
  std::size_t features_, entries_;
};

// The labels of the built-in crowd go round the topics: label k belongs to topic k % kTopics.
constexpr std::size_t kTopics = 6;

// A tag word of the label's topic; numbered once the words are used up.
std::string synth_label_name(std::size_t label);

constexpr std::size_t kCauses = 8;
constexpr std::size_t kHidden = 32;  // units between the causes and the features
using Cause = std::array<double, kCauses>;

// The hidden rules behind a synthetic set, all drawn from its seed, and what they make of a row.
// A row's parts depend on (seed, row) alone. Safe to share between threads.
class SynthWorld {
 public:
  explicit SynthWorld(const SynthOptions& options);

  Cause cause(std::size_t row) const;
  void features(const Cause& cause, std::size_t row, std::span<float> out) const;
  // The same for sparse features: appends the row's entries.
  void entries(const Cause& cause, std::size_t row, std::vector<std::uint32_t>& columns,
               std::vector<float>& values) const;
  // How clearly each label applies. Label k is true where its margin is above a common threshold;
  // spread so that, whatever the threshold, some labels are far more frequent than others.
  void truth_margins(const Cause& cause, std::size_t row, std::span<double> out) const;
  // How strongly the row's annotators are drawn to each label that is not true; -inf where it is.
  void noise_margins(std::span<const double> truth_margins, std::span<const std::size_t> truth,
                     std::size_t row, std::span<double> out) const;

  // Whether nobody ticks this true label of a row.
  bool overlooked(std::size_t row, std::size_t label) const;
  // Who looks at a row and what they tick: their share of the true labels, so that each is ticked
  // by somebody, and the labels they are drawn to more than `threshold`.
  struct Annotation {
    std::size_t annotator = 0;
    std::vector<std::size_t> ticked;
  };
  std::vector<Annotation> annotations(std::span<const double> truth_margins,
                                      std::span<const std::size_t> truth, std::size_t row,
                                      double threshold) const;

  // How frequent a label should be before the common threshold is set; very different ones.
  double rate(std::size_t label) const { return labels_[label].rate; }
  // Shifts the margins of label k by -offset[k].
  void set_offsets(std::vector<double> offsets) { offsets_ = std::move(offsets); }

 private:
  struct Label {
    double rate;
    Cause weight, bend_left, bend_right;
  };
  struct Feature {
    std::vector<double> weight;  // of the hidden units; empty for a feature that tells nothing
    double scale, offset;
  };
  struct Annotator {
    double laxness;
    std::vector<double> liking;          // one per label
    std::vector<std::size_t> confusion;  // the label also ticked where this one is true
  };
  // Calls visit(annotator, how strongly each label draws them) for each who looks at the row.
  template <class Visit>
  void for_each_annotator(std::span<const double> truth_margins, std::span<const std::size_t> truth,
                          std::size_t row, Visit&& visit) const;
  std::array<double, kHidden> units(const Cause& cause) const;
  void draw_topics();
  void draw_labels();
  void draw_features();
  void draw_annotators();

  SynthOptions options_;
  std::vector<Cause> topics_;
  std::vector<Label> labels_;
  std::vector<Cause> hidden_;
  std::vector<Feature> features_;
  std::vector<Annotator> annotators_;
  std::vector<double> offsets_;
};

}  // namespace sieve
