#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/axis.h"
#include "report/markup.h"

namespace sieve {

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
