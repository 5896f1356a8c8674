#include "report/charts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kTop = 6, kBottom = 36, kRow = 20, kBox = 10;

std::vector<double> finite_sorted(std::span<const double> values) {
  std::vector<double> sorted;
  std::ranges::copy_if(values, std::back_inserter(sorted),
                       [](double value) { return std::isfinite(value); });
  std::ranges::sort(sorted);
  return sorted;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

std::string tip_of(const BoxSummary& box, std::size_t count) {
  return fmt::format("median {}, half of {} within {} to {}, all but outliers {} to {}",
                     value_text(box.median), count, value_text(box.first), value_text(box.third),
                     value_text(box.low), value_text(box.high));
}

std::string alternative_of(const BoxPlot& plot) {
  std::string text = "Box plots of " + plot.x_title + ".";
  for (const BoxRow& row : plot.rows)
    if (const auto sorted = finite_sorted(row.values); sorted.empty())
      text += fmt::format(" {}: no values.", row.name);
    else
      text += fmt::format(" {}: {}.", row.name, tip_of(summarise_box(sorted), sorted.size()));
  return text;
}

void draw_row(Canvas& canvas, const Axis& x, double middle, const BoxRow& row) {
  const std::vector<double> sorted = finite_sorted(row.values);
  if (sorted.empty()) return;
  const BoxSummary box = summarise_box(sorted);
  const std::string colour = colour_class(row.colour);
  const double first = x.at(box.first), third = x.at(box.third);
  canvas.add(svg_line(x.at(box.low), middle, x.at(box.high), middle, "whisker " + colour));
  Element body("rect");
  body.set("x", first).set("y", middle - kBox / 2).set("width", std::max(third - first, 1.0));
  body.set("height", kBox).set("class", "box " + colour);
  set_tip(body, row.name, tip_of(box, sorted.size()));
  canvas.add(body);
  canvas.add(svg_line(x.at(box.median), middle - kBox / 2, x.at(box.median), middle + kBox / 2,
                      "median " + colour));
  for (const double value : box.outliers) {
    Element dot = svg_point(x.at(value), middle, 2, row.name, value_text(value));
    canvas.add(dot.set("class", "dot " + colour));
  }
}

}  // namespace

BoxSummary summarise_box(std::span<const double> values) {
  const std::vector<double> sorted = finite_sorted(values);
  BoxSummary box{sorted.back(),          quantile(sorted, 0.25), quantile(sorted, 0.5),
                 quantile(sorted, 0.75), sorted.front(),         {}};
  const double reach = 1.5 * (box.third - box.first);
  for (const double value : sorted)
    if (value < box.first - reach || value > box.third + reach) {
      box.outliers.push_back(value);
    } else {
      box.low = std::min(box.low, value);
      box.high = std::max(box.high, value);
    }
  return box;
}

Element draw(const BoxPlot& plot) {
  const FigureText text{plot.title, plot.note, alternative_of(plot)};
  Range range;
  double left = 10;
  for (const BoxRow& row : plot.rows) {
    range.include(row.values);
    left = std::max(left, label_width(label_text(row.name)) + 10);
  }
  if (range.empty()) return empty_figure(text);
  const double bottom = kTop + kRow * static_cast<double>(plot.rows.size());
  const Axis x(range, left + 6, kFigureWidth - 14);
  Canvas canvas(bottom + kBottom, text);
  canvas.draw_columns(x, kTop, bottom);
  canvas.draw_bottom(x, bottom, plot.x_title);
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    const double middle = kTop + kRow * (static_cast<double>(i) + 0.5);
    canvas.add(svg_text(left - 4, middle + 4, label_text(plot.rows[i].name), "name end"));
    draw_row(canvas, x, middle, plot.rows[i]);
  }
  return canvas.figure();
}

}  // namespace sieve
