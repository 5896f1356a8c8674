#include "report/charts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kHeight = 210, kSquareHeight = 300, kTop = 10, kBottom = 36;

struct Axes {
  Axis x, y;
};

struct Point {
  double x = 0, y = 0;
};

std::optional<Point> last_shown(const Series& series) {
  for (std::size_t i = series.x.size(); i-- > 0;)
    if (std::isfinite(series.y[i])) return Point{series.x[i], series.y[i]};
  return std::nullopt;
}

// A single line may leave its name to the title of the plot.
std::string name_of(const LinePlot& plot, const Series& series) {
  return series.name.empty() ? plot.title : series.name;
}

std::string sentence_of(const std::string& name, const Series& series) {
  Range range;
  range.include(series.y);
  const std::optional<Point> last = last_shown(series);
  if (!last) return name + ": no values.";
  return fmt::format("{}: {} points, from {} to {}, at last {}.", name, series.y.size(),
                     value_text(range.low), value_text(range.high), value_text(last->y));
}

std::string alternative_of(const LinePlot& plot) {
  std::string text = "Lines over " + plot.x_title + ".";
  for (const Series& series : plot.series) text += " " + sentence_of(name_of(plot, series), series);
  return text;
}

Axes axes_of(const LinePlot& plot, double height) {
  Range x, y;
  for (const Series& series : plot.series) {
    x.include(series.x);
    y.include(series.y);
    for (std::size_t i = 0; i < series.spread.size(); ++i) {
      y.include(series.y[i] - series.spread[i]);
      y.include(series.y[i] + series.spread[i]);
    }
  }
  if (plot.unit_square) x = y = {0, 1};
  double names = 10;
  for (const Series& series : plot.series)
    if (!series.name.empty()) names = std::max(names, label_width(label_text(series.name)) + 14);
  const Axis rows(y, height - kBottom, kTop);
  double left = 12;
  for (const double tick : rows.ticks(kTicks))
    left = std::max(left, label_width(rows.tick_text(tick, kTicks)) + 10);
  return {Axis(x, left + 4, kFigureWidth - names), rows};
}

// The stretches between gaps, each one line, each point with its tip.
void draw_line(Canvas& canvas, const Axes& axes, const LinePlot& plot, const Series& series) {
  std::string points, tips;
  std::size_t count = 0;
  Point only;
  const auto finish = [&] {
    if (count == 1) {
      Element dot = svg_point(only.x, only.y, 2.5, name_of(plot, series), tips);
      canvas.add(dot.set("class", "dot " + colour_class(series.colour)));
    } else if (count > 1) {
      Element line("polyline");
      line.set("points", points).set("data-name", name_of(plot, series)).set("data-tips", tips);
      canvas.add(line.set("class", "line " + colour_class(series.colour)));
    }
    points.clear(), tips.clear(), count = 0;
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!axes.x.shows(series.x[i]) || !axes.y.shows(series.y[i])) {
      finish();
      continue;
    }
    only = {axes.x.at(series.x[i]), axes.y.at(series.y[i])};
    points +=
        fmt::format("{}{},{}", count == 0 ? "" : " ", pixels_text(only.x), pixels_text(only.y));
    tips +=
        fmt::format("{}{} {}: {}{}", count == 0 ? "" : "|", plot.x_title, value_text(series.x[i]),
                    value_text(series.y[i]), i < series.notes.size() ? series.notes[i] : "");
    ++count;
  }
  finish();
}

void draw_points(Canvas& canvas, const Axes& axes, const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!axes.x.shows(series.x[i]) || !axes.y.shows(series.y[i])) continue;
    const double x = axes.x.at(series.x[i]);
    if (i < series.spread.size() && std::isfinite(series.spread[i]))
      canvas.add(svg_line(x, axes.y.at(series.y[i] - series.spread[i]), x,
                          axes.y.at(series.y[i] + series.spread[i]),
                          "whisker " + colour_class(series.colour)));
    canvas.add(Element("circle")
                   .set("cx", x)
                   .set("cy", axes.y.at(series.y[i]))
                   .set("r", 2.5)
                   .set("class", "dot " + colour_class(series.colour)));
  }
}

void draw_names(Canvas& canvas, const Axes& axes, const LinePlot& plot) {
  std::vector<const Series*> named;
  std::vector<double> wanted;
  for (const Series& series : plot.series)
    if (const auto last = last_shown(series); last && !series.name.empty()) {
      named.push_back(&series);
      wanted.push_back(axes.y.at(last->y));
    }
  const auto placed = spread_labels(wanted, kTextHeight - 2, kTop, axes.y.from());
  for (std::size_t i = 0; i < named.size(); ++i)
    canvas.add(svg_text(axes.x.to() + 8, placed[i] + 4, label_text(named[i]->name),
                        "name " + colour_class(named[i]->colour)));
}

}  // namespace

Element draw(const LinePlot& plot) {
  const FigureText text{plot.title, plot.note, alternative_of(plot)};
  if (std::ranges::none_of(plot.series, [](const Series& s) { return last_shown(s).has_value(); }))
    return empty_figure(text);
  const double names = static_cast<double>(plot.series.size()) * (kTextHeight - 2);
  const double height =
      std::max(plot.unit_square ? kSquareHeight : kHeight, names + kTop + kBottom);
  const Axes axes = axes_of(plot, height);
  Canvas canvas(height, text);
  canvas.draw_grid(axes.y, axes.x.from() - 4, axes.x.to());
  canvas.draw_bottom(axes.x, axes.y.from(), plot.x_title);
  if (plot.unit_square)
    canvas.add(svg_line(axes.x.at(0), axes.y.at(0), axes.x.at(1), axes.y.at(1), "guide"));
  for (const Series& series : plot.series) {
    draw_line(canvas, axes, plot, series);
    if (plot.points) draw_points(canvas, axes, series);
  }
  draw_names(canvas, axes, plot);
  return canvas.figure();
}

}  // namespace sieve
