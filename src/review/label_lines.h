#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "review/cells.h"
#include "review/ledger.h"

// How decisions move the probabilities of a label's cells.
namespace sieve {

// How often a reviewer is taken to be right.
constexpr double kReviewerIsRight = 0.95;

// How much the log-odds of a label's cells are worth: those that follow from votes are well
// calibrated beforehand, those of a predictor alone may be far off.
enum class Trust { Votes, Predictor };

// Of one label: its log-odds are shifted and stretched, and shifted by how likely the labels are
// that stand in the same rows.
struct LabelLine {
  double offset = 0, temper = 1;
  struct Companion {
    std::uint32_t label = 0;
    double usual = 0;  // its mean probability in the rows of this label
    double weight = 0;
  };
  std::vector<Companion> companions{};
};

// What all labels have in common is learnt from all decisions. What was decided by a rule teaches
// nothing. Costs decisions x companions^2, and two passes over all cells.
std::vector<LabelLine> fit_label_lines(const ReviewCells& cells, std::size_t labels,
                                       std::span<const DecidedCell> decided, Trust trust);

// Of each cell, decisions about itself aside.
std::vector<float> probabilities_by(const ReviewCells& cells, const std::vector<LabelLine>& lines);

}  // namespace sieve
