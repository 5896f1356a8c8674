#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kBottom = 36, kBarRow = 16, kBar = 10, kLegend = 20;

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
  const double bottom = kLegend + kBarRow * static_cast<double>(chart.rows.size());
  const Axis x(range.high == 0 ? Range{0, 1} : range, left, kFigureWidth - 14);
  Canvas canvas(bottom + kBottom, text);
  canvas.draw_columns(x, kLegend, bottom);
  canvas.draw_bottom(x, bottom, chart.x_title);
  draw_legend(canvas, chart, left);
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const BarRow& row = chart.rows[i];
    const double middle = kLegend + kBarRow * (static_cast<double>(i) + 0.5);
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

namespace {

constexpr double kBoxTop = 6, kBoxRow = 20, kBox = 10;

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
  const double bottom = kBoxTop + kBoxRow * static_cast<double>(plot.rows.size());
  const Axis x(range, left + 6, kFigureWidth - 14);
  Canvas canvas(bottom + kBottom, text);
  canvas.draw_columns(x, kBoxTop, bottom);
  canvas.draw_bottom(x, bottom, plot.x_title);
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    const double middle = kBoxTop + kBoxRow * (static_cast<double>(i) + 0.5);
    canvas.add(svg_text(left - 4, middle + 4, label_text(plot.rows[i].name), "name end"));
    draw_row(canvas, x, middle, plot.rows[i]);
  }
  return canvas.figure();
}

namespace {

constexpr double kMapTop = 18, kRight = 14, kLargest = 24, kPale = 0.08;
constexpr std::size_t kNumberEvery = 5;

std::string alternative_of(const HeatMap& map) {
  const auto [least, most] = std::ranges::minmax_element(map.cells, {}, &HeatCell::value);
  const auto named = [&](const HeatCell& cell) {
    return fmt::format("{} and {}: {}", map.names[cell.first], map.names[cell.second], cell.tip);
  };
  return fmt::format("{} pairs of {} names. The smallest value: {}. The largest: {}.",
                     map.cells.size(), map.names.size(), named(*least), named(*most));
}

Element box(double x, double y, double width, double height, double shade) {
  Element cell("rect");
  cell.set("x", x).set("y", y).set("width", width - 1).set("height", height - 1);
  cell.set("class", "bar c0").set("fill-opacity", fmt::format("{:.2f}", shade));
  return cell;
}

}  // namespace

Element draw(const HeatMap& map) {
  if (map.cells.empty()) return empty_figure({map.title, map.note, ""});
  Range range;
  for (const HeatCell& cell : map.cells) range.include(cell.value);
  std::vector<std::string> names;
  double left = 10;
  for (std::size_t k = 0; k < map.names.size(); ++k) {
    names.push_back(fmt::format("{} {}", label_text(map.names[k]), k + 1));
    left = std::max(left, label_width(names[k]) + 12);
  }
  const auto count = static_cast<double>(names.size());
  const double size = std::min(kLargest, (kFigureWidth - kRight - left) / count);
  // Names need the height of a line, so that cells may be higher than wide.
  const double height = std::max(size, 13.0);
  Canvas canvas(kMapTop + height * count + 6, {map.title, map.note, alternative_of(map)});
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto place = static_cast<double>(k);
    canvas.add(svg_text(left - 6, kMapTop + height * (place + 0.5) + 4, names[k], "name end"));
    if (k == 0 || (k + 1) % kNumberEvery == 0)
      canvas.add(
          svg_text(left + size * (place + 0.5), kMapTop - 6, std::to_string(k + 1), "tick middle"));
  }
  const double wide = std::max(range.high - range.low, 1e-9);
  for (const HeatCell& cell : map.cells) {
    const double shade = kPale + (1 - kPale) * (cell.value - range.low) / wide;
    for (const auto& [row, column] :
         {std::pair(cell.first, cell.second), std::pair(cell.second, cell.first)}) {
      Element mark = box(left + size * static_cast<double>(column),
                         kMapTop + height * static_cast<double>(row), size, height, shade);
      set_tip(mark, fmt::format("{} and {}", map.names[row], map.names[column]), cell.tip);
      canvas.add(mark);
    }
  }
  return canvas.figure();
}

namespace {

constexpr double kAxis = 46, kBarGap = 7, kRankRow = 16;

// Methods in the order of their ranks.
struct Ranked {
  std::vector<std::string> names;
  std::vector<double> ranks;
};

Ranked ranked(const RankDiagram& diagram) {
  std::vector<std::size_t> order(diagram.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !std::isfinite(diagram.mean_ranks[i]); });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return diagram.mean_ranks[i]; });
  Ranked sorted;
  for (const std::size_t i : order) {
    sorted.names.push_back(diagram.names[i]);
    sorted.ranks.push_back(diagram.mean_ranks[i]);
  }
  return sorted;
}

std::string alternative_of(const Ranked& sorted, const RankDiagram& diagram) {
  std::string text = fmt::format("Critical-difference diagram. Mean ranks differ from {} on.",
                                 value_text(diagram.critical_difference));
  for (std::size_t i = 0; i < sorted.names.size(); ++i)
    text += fmt::format(" {}: {}.", sorted.names[i], value_text(sorted.ranks[i]));
  for (const auto& group : diagram.groups) {
    std::string names;
    for (const std::size_t i : group) names += (names.empty() ? "" : ", ") + diagram.names[i];
    text += " No difference between " + names + ".";
  }
  return text;
}

void draw_scale(Canvas& canvas, const Axis& x, double critical_difference) {
  canvas.add(svg_line(x.from(), kAxis, x.to(), kAxis, "axis"));
  const auto last = static_cast<std::size_t>(std::lround(x.high()));
  const std::size_t every = last > 12 ? 2 : 1;
  for (std::size_t rank = 1; rank <= last; rank += every) {
    const double at = x.at(static_cast<double>(rank));
    canvas.add(svg_line(at, kAxis - 4, at, kAxis, "axis"));
    canvas.add(svg_text(at, kAxis - 8, std::to_string(rank), "tick middle"));
  }
  const double end = std::min(x.at(1 + critical_difference), x.to());
  canvas.add(svg_line(x.from(), 14, end, 14, "difference"));
  canvas.add(svg_text(end + 6, 18, fmt::format("CD {:.2f}", critical_difference), "tick"));
}

// The better half goes down the left side, best first; the others the right, last first.
void draw_methods(Canvas& canvas, const Axis& x, const Ranked& sorted, double top) {
  const std::size_t count = sorted.names.size(), half = (count + 1) / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const bool left = i < half;
    const double y = top + kRankRow * static_cast<double>(left ? i : count - 1 - i);
    const double at = x.at(sorted.ranks[i]), side = left ? x.from() - 6 : x.to() + 6;
    canvas.add(svg_line(at, kAxis, at, y, "axis"));
    canvas.add(svg_line(at, y, side, y, "axis"));
    Element name = svg_text(left ? side - 4 : side + 4, y + 4, label_text(sorted.names[i]),
                            left ? "name end" : "name");
    canvas.add(name);
    Element dot =
        svg_point(at, kAxis, 3, sorted.names[i], fmt::format("mean rank {:.2f}", sorted.ranks[i]));
    canvas.add(dot.set("class", i == 0 ? "dot c0" : "dot ink"));
  }
}

}  // namespace

Element draw(const RankDiagram& diagram) {
  const Ranked sorted = ranked(diagram);
  const FigureText text{diagram.title, diagram.note, alternative_of(sorted, diagram)};
  if (sorted.names.size() < 2) return empty_figure(text);
  double side = 0;
  for (const std::string& name : sorted.names) side = std::max(side, label_width(label_text(name)));
  side += 14;
  const Axis x({1, static_cast<double>(sorted.names.size())}, side, kFigureWidth - side);
  const double top = kAxis + 14 + kBarGap * static_cast<double>(diagram.groups.size());
  const std::size_t half = (sorted.names.size() + 1) / 2;
  Canvas canvas(top + kRankRow * static_cast<double>(half), text);
  draw_scale(canvas, x, diagram.critical_difference);
  draw_methods(canvas, x, sorted, top);
  for (std::size_t g = 0; g < diagram.groups.size(); ++g) {
    Range ranks;
    for (const std::size_t i : diagram.groups[g]) ranks.include(diagram.mean_ranks[i]);
    const double y = kAxis + 8 + kBarGap * static_cast<double>(g);
    canvas.add(svg_line(x.at(ranks.low) - 3, y, x.at(ranks.high) + 3, y, "group"));
  }
  return canvas.figure();
}

}  // namespace sieve
