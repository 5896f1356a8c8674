#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/observation.h"
#include "labelsieve/threads.h"

// How far annotators agree, in the figures that papers print (docs/agreement.md has the formulas).
//
// An annotator who did not annotate a row has no say there; an annotation without a label says
// "none of them". Same bits for any number of threads, and nothing is ever NaN.
namespace sieve {

// A figure, with an interval that should hold nine times out of ten if other rows were drawn. `why`
// says in a sentence why the value or the interval is missing.
struct AgreementFigure {
  std::optional<double> value;
  std::optional<double> low, high;  // both or none
  std::string why{};
};

// Figures of a question with a few answers. All are at most 1; 0 is what chance would give, but for
// `pairwise`, which is a share.
struct AgreementFigures {
  AgreementFigure alpha;     // Krippendorff's, nominal
  AgreementFigure kappa;     // Fleiss', generalised to any number of annotations per row
  AgreementFigure ac1;       // Gwet's
  AgreementFigure pairwise;  // share of the pairs of annotations that agree, mean over rows
};

// Two annotators on the rows that both annotated.
struct PairAgreement {
  std::uint32_t first = 0, second = 0;  // numbers of annotators, first < second
  std::size_t rows = 0;                 // at least 1
  Estimate similarity;                  // mean of 1 - MASI distance, with a Wilson interval
};

struct Agreement {
  std::size_t rows = 0, annotations = 0, annotators = 0;  // rows that anybody annotated
  std::size_t shared_rows = 0;                            // with two or more annotations
  std::size_t label_sets = 0;                             // that differ
  std::string why{};  // there is nothing to measure: why; all figures are then missing

  AgreementFigure masi_alpha;              // Krippendorff's over label sets, with MASI distance
  AgreementFigure masi_similarity;         // mean of 1 - MASI distance over pairs, mean over rows
  AgreementFigures sets;                   // label sets that are equal or not
  AgreementFigures labels_mean;            // mean over the labels that have the figure
  std::vector<AgreementFigures> labels;    // each label, ticked or not
  std::vector<std::size_t> labels_ticked;  // shared rows where somebody ticked the label

  std::vector<std::uint32_t> compared;  // the annotators of `pairs`, those with most rows first
  std::vector<PairAgreement> pairs;     // that share a row, by number
};

struct AgreementOptions {
  std::uint64_t seed = 1;
  std::size_t resamples = 1000;  // of rows; 0 for no intervals
  std::size_t annotators = 200;  // at most so many are compared in pairs
};

// Linear in annotations (a row also costs the number of its different label sets, squared), and a
// resample is linear in rows; 8 bytes per figure and resample. Beyond 4096 different label sets,
// what MASI expects by chance is measured against 4096 annotations drawn at random. Beyond 4096
// labels, only the most frequent ones get intervals. Error(Usage) if a ticked label is not below
// `labels`.
Agreement measure_agreement(const Votes& votes, std::size_t labels, ThreadPool& pool,
                            const AgreementOptions& options = {});

// Pairs that surely agree least (by the upper end of the interval), and most (by the lower end), in
// that order; places in `pairs`, at most `most`.
std::vector<std::size_t> least_agreeing(const Agreement& agreement, std::size_t most);
std::vector<std::size_t> most_agreeing(const Agreement& agreement, std::size_t most);

// Distance of two sets of labels, each ascending: 1 - (shared / all) * m, where m is 1 if they are
// equal, 2/3 if one contains the other, 1/3 if they overlap (Passonneau, 2006). Two empty sets are
// equal.
double masi_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace sieve
