#include "report/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kHeight = 300, kTop = 14, kBottom = 36, kLeft = 40, kRight = 14;
constexpr double kRadius = 4;
constexpr std::size_t kMostNamed = 30;  // points in the text alternative

struct Box {
  double left, top, right, bottom;
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// A label, its box and the anchor of its text.
struct Label {
  Box box;
  double x, y;
  const char* anchor;
};

// Beside the point, above, below, and in between: the first place that is free and inside the
// figure.
std::optional<Label> free_place(double x, double y, double width, const std::vector<Box>& taken) {
  constexpr double kOff = kRadius + 3, kHalf = kTextHeight / 2;
  const auto around = [&](double left, double middle) {
    return Box{left, middle - kHalf, left + width, middle + kHalf};
  };
  const double above = y - kRadius - kHalf - 1, below = y + kRadius + kHalf + 1;
  const std::array<Label, 8> places = {
      Label{around(x + kOff, y), x + kOff, y + 4, "start"},
      Label{around(x - kOff - width, y), x - kOff, y + 4, "end"},
      Label{around(x - width / 2, above), x, above + 4, "middle"},
      Label{around(x - width / 2, below), x, below + 4, "middle"},
      Label{around(x + 3, above), x + 3, above + 4, "start"},
      Label{around(x + 3, below), x + 3, below + 4, "start"},
      Label{around(x - 3 - width, above), x - 3, above + 4, "end"},
      Label{around(x - 3 - width, below), x - 3, below + 4, "end"}};
  for (const Label& place : places)
    if (place.box.left >= kLeft && place.box.right <= kFigureWidth - 2 && place.box.top >= 0 &&
        place.box.bottom <= kHeight - kBottom &&
        std::ranges::none_of(taken, [&](const Box& box) { return box.overlaps(place.box); }))
      return place;
  return std::nullopt;
}

std::string tip_of(const ScatterPlot& plot, const ScatterPoint& point) {
  return fmt::format("{}: {}, {}: {}", plot.x_title, value_text(point.x), plot.y_title,
                     value_text(point.y));
}

std::string alternative_of(const ScatterPlot& plot) {
  std::string text =
      fmt::format("{} points: {} against {}.", plot.points.size(), plot.y_title, plot.x_title);
  const std::size_t named = std::min(kMostNamed, plot.points.size());
  for (const ScatterPoint& point : std::span(plot.points).first(named))
    text += fmt::format(" {}: {} at {}.", point.name, value_text(point.y), value_text(point.x));
  if (named < plot.points.size()) text += fmt::format(" And {} more.", plot.points.size() - named);
  return text;
}

Range widened(Range range, double by) {
  const double extra = (range.high - range.low) * by;
  return {range.low - extra, range.high + extra};
}

struct Axes {
  Axis x, y;
  bool shows(const ScatterPoint& point) const { return x.shows(point.x) && y.shows(point.y); }
};

std::vector<double> ends_of(const std::optional<Range>& range) {
  return range ? std::vector<double>{range->low, range->high} : std::vector<double>{};
}

Axes axes_of(const ScatterPlot& plot) {
  Range x, y;
  for (const ScatterPoint& point : plot.points) {
    if (!plot.log_x || point.x > 0) x.include(point.x);
    y.include(point.y);
    for (const double end : ends_of(point.x_range)) x.include(end);
    for (const double end : ends_of(point.y_range)) y.include(end);
  }
  if (plot.unit_square) x = y = {0, 1};
  if (!plot.log_x && !plot.unit_square) x = widened(x, 0.05);
  if (!plot.unit_square) y = widened(y, 0.08);
  const double bottom = kHeight - kBottom;
  return {Axis(x, kLeft + 8, kFigureWidth - kRight - 8,
               plot.log_x ? Axis::Kind::Log : Axis::Kind::Linear),
          plot.small_is_up ? Axis(y, kTop, bottom) : Axis(y, bottom, kTop)};
}

// Lines across and upwards, where no name should stand.
void draw_ranges(Canvas& canvas, const Axes& axes, const ScatterPoint& point,
                 std::vector<Box>& taken) {
  const std::string style = "whisker " + colour_class(point.colour);
  const double x = axes.x.at(point.x), y = axes.y.at(point.y);
  const auto line = [&](double x1, double y1, double x2, double y2) {
    canvas.add(svg_line(x1, y1, x2, y2, style));
    taken.push_back(
        {std::min(x1, x2), std::min(y1, y2), std::max(x1, x2) + 1, std::max(y1, y2) + 1});
  };
  if (point.x_range) line(axes.x.at(point.x_range->low), y, axes.x.at(point.x_range->high), y);
  if (point.y_range) line(x, axes.y.at(point.y_range->low), x, axes.y.at(point.y_range->high));
}

std::vector<Box> boxes_along_diagonal(const Axes& axes) {
  constexpr int kSteps = 60;
  std::vector<Box> boxes;
  for (int k = 0; k < kSteps; ++k) {
    const double x = axes.x.at((k + 0.5) / kSteps), y = axes.y.at((k + 0.5) / kSteps);
    boxes.push_back({x - 1, y - 1, x + 1, y + 1});
  }
  return boxes;
}

void draw_points(Canvas& canvas, const Axes& axes, const ScatterPlot& plot) {
  std::vector<Box> taken = plot.unit_square ? boxes_along_diagonal(axes) : std::vector<Box>();
  for (const ScatterPoint& point : plot.points)
    if (axes.shows(point)) {
      draw_ranges(canvas, axes, point, taken);
      const double x = axes.x.at(point.x), y = axes.y.at(point.y);
      taken.push_back({x - kRadius, y - kRadius, x + kRadius, y + kRadius});
    }
  for (const ScatterPoint& point : plot.points) {
    if (!axes.shows(point)) continue;
    const double x = axes.x.at(point.x), y = axes.y.at(point.y);
    Element dot = svg_point(x, y, kRadius, point.name, tip_of(plot, point));
    canvas.add(dot.set("class", "dot " + colour_class(point.colour)));
    const std::string name = label_text(point.name);
    const auto label = free_place(x, y, label_width(name), taken);
    if (!label) continue;
    taken.push_back(label->box);
    canvas.add(svg_text(label->x, label->y, name,
                        fmt::format("name {} {}", label->anchor, colour_class(point.colour))));
  }
}

}  // namespace

Element draw(const ScatterPlot& plot) {
  const FigureText text{plot.title, plot.note, alternative_of(plot)};
  const Axes axes = axes_of(plot);
  if (std::ranges::none_of(plot.points, [&](const auto& point) { return axes.shows(point); }))
    return empty_figure(text);
  Canvas canvas(kHeight, text);
  canvas.draw_grid(axes.y, kLeft, kFigureWidth - kRight);
  canvas.draw_bottom(axes.x, kHeight - kBottom, plot.x_title);
  if (plot.unit_square)
    canvas.add(svg_line(axes.x.at(0), axes.y.at(0), axes.x.at(1), axes.y.at(1), "guide"));
  draw_points(canvas, axes, plot);
  return canvas.figure();
}

}  // namespace sieve
