#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/store.h"
#include "labelsieve/metrics.h"

namespace sieve {

// One figure of the paper's tables, in our names; plans/paper_figures.csv gives the source.
struct PaperFigure {
  int table = 0;              // 1 data sets, 2 results, 3 win/tie/loss, 4 ablation
  std::string what;           // a measure; "rows", "features" or "labels"; "hamming-loss/win"
  std::string data_set;       // "" in table 3
  std::string noise;          // "fill-10", "given"; "" in tables 1 and 3
  std::string method;         // in table 3 the one PML-GAN is compared with; "" in table 1
  double value = 0, std = 0;  // std is NaN where the paper has none
};

const std::vector<PaperFigure>& paper_figures();

// The paper's mean for a cell of table 2, or of table 4 if it is not in table 2; otherwise null.
const PaperFigure* paper_result(const std::string& measure, const std::string& data_set,
                                const std::string& noise, const std::string& method);
// "rows", "features" or "labels" of a data set in the paper; else null.
const PaperFigure* paper_shape(const std::string& what, const std::string& data_set);

// What the results of a store say: means, ranks and tests, without any formatting.

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A data set under one kind of noise: a row of a table.
struct Variant {
  std::string data_set, noise;
  std::size_t train_rows = 0, test_rows = 0, features = 0, labels = 0;
  double candidates = kNaN;  // candidates per training row, mean over the repeats
};

// One method on one variant by one measure.
struct MeanCell {
  std::vector<double> values;        // one per repeat that is done and has the measure
  std::vector<std::uint64_t> seeds;  // their seeds, in the order of the plan
  std::size_t planned = 0;           // repeats that the plan asks for
  // Set only where all planned repeats are done and the measure is defined, otherwise NaN.
  double mean = kNaN;
  double std = kNaN;  // sample standard deviation; NaN for a single repeat
  double rank =
      kNaN;  // among the complete non-oracle cells of the row; 1 is best, ties share the mean rank
  bool best = false;  // no other of them is better in three decimals
  const PaperFigure* paper = nullptr;

  bool complete() const { return mean == mean; }
};

struct Counts {
  std::size_t wins = 0, ties = 0, losses = 0;
};

constexpr double kLevel = 0.05;  // of all tests

// The control against one other method: paired t-tests over the common seeds of every variant on
// which both are complete, plain and corrected for overlapping training sets.
struct Duel {
  std::size_t method = 0;  // index in Comparison::methods
  Counts plain, corrected;
  std::size_t repeats = 0;  // of the variant with the fewest
};

// Friedman's test of the methods that are not oracles and complete somewhere, over the variants on
// which all of them are complete.
struct Ranking {
  std::vector<std::size_t> methods;              // those that take part, in the order of the plan
  FriedmanResult friedman;                       // mean_ranks in that order
  double critical_difference = 0;                // Nemenyi
  std::vector<std::vector<std::size_t>> groups;  // two or more methods whose ranks do not differ
};

struct MeasureTable {
  MetricInfo metric;
  std::vector<std::vector<MeanCell>> cells;  // variants x methods
  std::vector<Duel> duels;         // for each method that shares 2 repeats with the control
  std::optional<Ranking> ranking;  // with at least 2 methods and 2 complete variants
};

// Where the results of a method come from.
struct Origin {
  std::set<std::string> versions, processors;  // of LabelSieve; of the computers
  std::string first, last;                     // day of the first and of the last result
  double fit_seconds = 0;                      // of one training, mean over all results
};

struct Comparison {
  PlanInfo plan;
  std::vector<Variant> variants;     // those with at least one complete cell
  std::vector<std::string> methods;  // those with at least one complete cell, in plan order
  std::vector<Origin> origins;       // for each
  std::vector<bool> oracle;          // for each: learns from the truth, so it is out of competition
  std::size_t control = 0;           // index of the method that the duels are about
  std::vector<MeasureTable> tables;  // one per measure, at least one
  std::size_t planned = 0, done = 0, failed = 0;  // tasks
  std::vector<std::string> missing;               // what is not complete and why, one line each
  std::vector<std::string> left_out;  // results that do not belong to the others, one line each

  bool has_duels() const {
    return std::ranges::any_of(tables, [](const auto& table) { return !table.duels.empty(); });
  }
};

struct CompareOptions {
  std::vector<std::string> only{};      // as select_tasks takes it
  std::vector<std::string> measures{};  // none: those of the plan
  std::string control{};                // "": the first method that is not an oracle
};

// A figure that moved between two comparisons by more than its standard error.
struct Change {
  std::string measure, data_set, noise, method;
  double before = kNaN, now = kNaN, error = kNaN;  // means, and the standard error of `now`
};
// Of the cells that are complete in both; `compared` is how many there are.
std::vector<Change> changes_since(const Comparison& before, const Comparison& now,
                                  std::size_t& compared);

// Error(Usage) for an unknown measure or method, Error(Data) if nothing is complete or
// there is no measure to show.
Comparison compare(const StoredResults& stored, const CompareOptions& options = {});

// The largest sets of two or more methods whose mean ranks lie within `difference` of each other.
std::vector<std::vector<std::size_t>> indistinct_groups(const std::vector<double>& mean_ranks,
                                                        double difference);

// nullopt for fewer than two methods, or if all are complete together in fewer than two rows.
std::optional<Ranking> rank_methods(const std::vector<std::vector<MeanCell>>& cells,
                                    const std::vector<bool>& oracle, bool larger_is_better);

}  // namespace sieve
