#include "report/charts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kAxis = 46, kBarGap = 7, kRow = 16;

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
    const double y = top + kRow * static_cast<double>(left ? i : count - 1 - i);
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
  Canvas canvas(top + kRow * static_cast<double>(half), text);
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
