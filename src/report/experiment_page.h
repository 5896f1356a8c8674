#pragma once

#include <vector>

#include "experiment/comparison.h"
#include "report/charts.h"

// The figures of an experiment. A method has the same colour in all of them.

namespace sieve {

// One a measure for which the methods could be ranked.
std::vector<RankDiagram> rank_diagrams(const Comparison& all);

// Data sets that were tried with several amounts of noise of which the candidates differ.
std::vector<std::string> noisy_sets(const Comparison& all);
// One a measure: the mean against the candidates per row.
std::vector<LinePlot> noise_curves(const Comparison& all, const std::string& data_set);

// One a measure: the repeats of every method on one variant. None with a single repeat.
std::vector<BoxPlot> repeat_boxes(const Comparison& all, std::size_t variant);

// One a measure: mean rank against the mean time of a training.
std::vector<ScatterPlot> time_plots(const Comparison& all, const std::vector<Result>& results);

}  // namespace sieve
