#include "report/charts.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kBottom = 36, kRow = 16, kBar = 10, kLegend = 20;

double length_of(double part) {
  return part > 0 ? part : 0;  // NaN too
}

std::string tip_of(const BarChart& chart, const BarRow& row) {
  std::string tip;
  for (std::size_t p = 0; p < row.parts.size(); ++p)
    tip += fmt::format("{}{} {}", p == 0 ? "" : ", ", value_text(row.parts[p]), chart.parts[p]);
  return tip;
}

std::string alternative_of(const BarChart& chart) {
  std::string text = "Bars of " + chart.x_title + ".";
  for (const BarRow& row : chart.rows)
    text += fmt::format(" {}: {}.", row.name, tip_of(chart, row));
  return text;
}

// The names of the parts, each in its colour.
void draw_legend(Canvas& canvas, const BarChart& chart, double left) {
  double x = left;
  for (std::size_t p = 0; p < chart.parts.size(); ++p) {
    canvas.add(Element("rect")
                   .set("x", x)
                   .set("y", 3)
                   .set("width", kBar)
                   .set("height", kBar)
                   .set("class", "bar " + colour_class(p)));
    canvas.add(svg_text(x + kBar + 4, 12, chart.parts[p], "tick"));
    x += kBar + 18 + label_width(chart.parts[p]);
  }
}

}  // namespace

Element draw(const BarChart& chart) {
  const FigureText text{chart.title, chart.note, alternative_of(chart)};
  if (chart.rows.empty()) return empty_figure(text);
  Range range{0, 0};
  double left = 10;
  for (const BarRow& row : chart.rows) {
    double length = 0;
    for (const double part : row.parts) length += length_of(part);
    range.include(length);
    left = std::max(left, label_width(label_text(row.name)) + 10);
  }
  const double bottom = kLegend + kRow * static_cast<double>(chart.rows.size());
  const Axis x(range.high == 0 ? Range{0, 1} : range, left, kFigureWidth - 14);
  Canvas canvas(bottom + kBottom, text);
  canvas.draw_columns(x, kLegend, bottom);
  canvas.draw_bottom(x, bottom, chart.x_title);
  draw_legend(canvas, chart, left);
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const BarRow& row = chart.rows[i];
    const double middle = kLegend + kRow * (static_cast<double>(i) + 0.5);
    canvas.add(svg_text(left - 6, middle + 4, label_text(row.name), "name end"));
    double start = 0;
    for (std::size_t p = 0; p < row.parts.size(); ++p) {
      Element bar("rect");
      bar.set("x", x.at(start)).set("y", middle - kBar / 2);
      start += length_of(row.parts[p]);
      bar.set("width", x.at(start) - x.at(start - length_of(row.parts[p])));
      bar.set("height", kBar).set("class", "bar " + colour_class(p));
      set_tip(bar, row.name, tip_of(chart, row));
      canvas.add(bar);
    }
  }
  return canvas.figure();
}

}  // namespace sieve
