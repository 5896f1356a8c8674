#pragma once

#include <string>
#include <vector>

#include "report/markup.h"

namespace sieve {

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

}  // namespace sieve
