#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiment/paper_figures.h"
#include "experiment/store.h"
#include "labelsieve/metrics.h"
#include "labelsieve/significance.h"

// What the results of a store say: means, ranks and tests, without any formatting.
namespace sieve {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A data set under one kind of noise: a row of a table.
struct Variant {
  std::string data_set, noise;
  std::size_t train_rows = 0, test_rows = 0, features = 0, labels = 0;
  double candidates = kNaN;  // candidates a training row, mean over the repeats
};

// One method on one variant by one measure.
struct Cell {
  std::vector<double> values;  // one a repeat that is done, in the order of the seeds
  std::size_t planned = 0;     // repeats that the plan wants
  // The following only where all planned repeats are done and the measure is defined, else NaN.
  double mean = kNaN;
  double std = kNaN;   // sample standard deviation; NaN for a single repeat
  double rank = kNaN;  // among the complete cells of the row, 1 is best, ties share the mean rank
  bool best = false;   // no other complete cell of the row is better in three decimals
  const PaperFigure* paper = nullptr;

  bool complete() const { return mean == mean; }
};

struct Counts {
  std::size_t wins = 0, ties = 0, losses = 0;
};

// The control against one other method: paired t-tests over the repeats of every variant on which
// both are complete, at level 0.05, plain and corrected for overlapping training sets.
struct Duel {
  std::size_t method = 0;  // index in Comparison::methods
  Counts plain, corrected;
};

// Friedman's test over the variants on which every method is complete.
struct Ranking {
  FriedmanResult friedman;                       // mean_ranks in the order of Comparison::methods
  double critical_difference = 0;                // Nemenyi, level 0.05
  std::vector<std::vector<std::size_t>> groups;  // methods whose ranks do not differ, best first
};

struct MeasureTable {
  MetricInfo metric;
  std::vector<std::vector<Cell>> cells;  // variants x methods
  std::vector<Duel> duels;               // one for each method but the control; none if < 2 repeats
  std::optional<Ranking> ranking;        // with at least 2 methods and 2 complete variants
};

struct Comparison {
  PlanInfo plan;
  std::vector<Variant> variants;     // those with at least one complete cell
  std::vector<std::string> methods;  // those with at least one complete cell, in plan order
  std::size_t control = 0;           // index of the method that the duels are about
  std::vector<MeasureTable> tables;  // one a measure
  std::size_t planned = 0, done = 0, failed = 0;  // tasks
  std::vector<std::string> missing;               // what is not complete and why, one line each
};

struct CompareOptions {
  std::vector<std::string> only;      // as select_tasks takes it
  std::vector<std::string> measures;  // none: those of the plan
  std::string control;                // "": the first method of the plan
};

// Error(Usage) for a measure or method that is not there, Error(Data) if nothing is complete.
Comparison compare(const StoredResults& stored, const CompareOptions& options = {});

}  // namespace sieve
