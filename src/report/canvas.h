#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/markup.h"

namespace sieve {

// The values an axis has to show. Values that no axis can show do not count: those that are not
// finite or beyond 1e300.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value);
  void include(std::span<const double> values);
  bool empty() const { return low > high; }
};

// Maps values to pixels. An empty range shows 0 to 1; a range of one value is widened.
class Axis {
 public:
  enum class Kind { Linear, Log };
  Axis(Range shown, double from, double to, Kind kind = Kind::Linear);

  // False for values that have no place: see Range, and on a log axis those that are not positive.
  bool shows(double value) const;
  double at(double value) const;
  double from() const { return from_; }
  double to() const { return to_; }
  double low() const { return low_; }
  double high() const { return high_; }

  // About `count` round values, ascending, and how they are written.
  std::vector<double> ticks(std::size_t count) const;
  std::string tick_text(double tick, std::size_t count) const;

 private:
  double step(std::size_t count) const;
  double low_, high_, from_, to_;
  bool log_;
};

// What all figures are drawn with. A figure is about as wide as a phone, so that its text has one
// size everywhere; wide screens show several side by side.

constexpr double kFigureWidth = 340;
constexpr double kTextHeight = 14;  // of a line of labels
constexpr std::size_t kTicks = 5;   // values along an axis, about

// The title, a quiet line that says what is shown, and the picture with its text alternative.
struct FigureText {
  std::string title, note, alternative;
};

// About how wide a label comes out, in pixels.
double label_width(const std::string& text);
// Long names end in an ellipsis.
std::string label_text(const std::string& text);

// The class that gives marks their colour; beyond the palette lines are dashed.
std::string colour_class(std::size_t index);

Element svg_text(double x, double y, std::string_view text, std::string_view css_class);
Element svg_line(double x1, double y1, double x2, double y2, std::string_view css_class);
// A point whose value shows under the pointer: `name` on one line, `tip` on the next.
Element svg_point(double x, double y, double radius, const std::string& name,
                  const std::string& tip);
// Sets what shows under the pointer.
void set_tip(Element& mark, const std::string& name, const std::string& tip);

class Canvas {
 public:
  Canvas(double height, const FigureText& text);
  void add(const Element& mark) { svg_.add(mark); }
  // Lines across with their values at the left, values along the bottom.
  void draw_grid(const Axis& y, double left, double right);
  void draw_bottom(const Axis& x, double y, const std::string& title);
  // Lines upwards, for plots whose rows have names.
  void draw_columns(const Axis& x, double top, double bottom);
  Element figure() const;

 private:
  FigureText text_;
  Element svg_;
};

// Moves labels apart so that each has `gap` pixels, within [top, bottom] where they fit. Takes and
// returns middles in the same order.
std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, double top,
                                  double bottom);

// A figure that says there is nothing to draw.
Element empty_figure(const FigureText& text);

}  // namespace sieve
