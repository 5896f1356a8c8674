#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/canvas.h"
#include "report/markup.h"

namespace sieve {

// Bars of up to a few parts; one part a name in `parts`.
struct BarRow {
  std::string name;
  std::vector<double> parts;  // not negative; NaN counts as 0
};

struct BarChart {
  std::string title, note;
  std::string x_title;
  std::vector<std::string> parts;
  std::vector<BarRow> rows;
};

// Horizontal bars, names at the left.
Element draw(const BarChart& chart);

// Quartiles as most libraries give them (linear between order statistics); whiskers reach the
// farthest values within 1.5 times the box.
struct BoxSummary {
  double low = 0, first = 0, median = 0, third = 0, high = 0;
  std::vector<double> outliers;
};
// NaN values do not count; at least one value must be left.
BoxSummary summarise_box(std::span<const double> values);

struct BoxRow {
  std::string name;
  std::size_t colour = 0;
  std::vector<double> values;
};

struct BoxPlot {
  std::string title, note;
  std::string x_title;
  std::vector<BoxRow> rows;
};

// One box a row, names at the left.
Element draw(const BoxPlot& plot);

// A value for two of the names, each pair once, in any order.
struct HeatCell {
  std::size_t first = 0, second = 0;  // places in `names`
  double value = 0;                   // finite
  std::string tip{};
};

struct HeatMap {
  std::string title, note;
  std::vector<std::string> names;  // rows and columns alike; at most about 30 stay readable
  std::vector<HeatCell> cells;     // pairs without one stay blank
};

// A square with a cell for every two names, the darker the larger the value. Names at the left,
// their numbers at the top.
Element draw(const HeatMap& map);

// One line. x and y have the same size; where y is not finite the line has a gap.
struct Series {
  std::string name;
  std::size_t colour = 0;
  std::vector<double> x, y;
  std::vector<double> spread{};      // half the length of error bars; empty for none
  std::vector<std::string> notes{};  // more to tell of each point; empty for none
};

struct LinePlot {
  std::string title, note;
  std::string x_title;
  std::vector<Series> series;
  bool points = false;  // mark the points, for lines of few
  // Calibration: both axes from 0 to 1 and the diagonal drawn.
  bool unit_square = false;
};

// Lines named at their right ends. A point under the pointer shows its value.
Element draw(const LinePlot& plot);

// Mean ranks of methods, 1 the best, and how far apart two must be to differ (Demsar, 2006).
struct RankDiagram {
  std::string title, note;
  std::vector<std::string> names;
  std::vector<double> mean_ranks;  // one a name
  double critical_difference = 0;
  std::vector<std::vector<std::size_t>> groups;  // indices of methods that do not differ
};

// The critical-difference diagram: methods on a line of ranks, bars join those that do not differ.
Element draw(const RankDiagram& diagram);

struct ScatterPoint {
  std::string name;
  double x = 0, y = 0;
  std::size_t colour = 0;
  // What x and y may be as well, drawn as a cross; empty for none.
  std::optional<Range> x_range{}, y_range{};
};

struct ScatterPlot {
  std::string title, note;
  std::string x_title, y_title;
  std::vector<ScatterPoint> points;
  bool log_x = false;
  bool small_is_up = false;  // for ranks: the best at the top
  // Both axes from 0 to 1 and the diagonal drawn.
  bool unit_square = false;
};

// Points with their names beside them, where there is room. Points that are not finite (or, on a
// log axis, not positive) are left out.
Element draw(const ScatterPlot& plot);

}  // namespace sieve
