#include "report/charts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/canvas.h"

namespace sieve {
namespace {

constexpr double kTop = 18, kRight = 14, kLargest = 24, kPale = 0.08;
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
  Canvas canvas(kTop + height * count + 6, {map.title, map.note, alternative_of(map)});
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto place = static_cast<double>(k);
    canvas.add(svg_text(left - 6, kTop + height * (place + 0.5) + 4, names[k], "name end"));
    if (k == 0 || (k + 1) % kNumberEvery == 0)
      canvas.add(
          svg_text(left + size * (place + 0.5), kTop - 6, std::to_string(k + 1), "tick middle"));
  }
  const double wide = std::max(range.high - range.low, 1e-9);
  for (const HeatCell& cell : map.cells) {
    const double shade = kPale + (1 - kPale) * (cell.value - range.low) / wide;
    for (const auto& [row, column] :
         {std::pair(cell.first, cell.second), std::pair(cell.second, cell.first)}) {
      Element mark = box(left + size * static_cast<double>(column),
                         kTop + height * static_cast<double>(row), size, height, shade);
      set_tip(mark, fmt::format("{} and {}", map.names[row], map.names[column]), cell.tip);
      canvas.add(mark);
    }
  }
  return canvas.figure();
}

}  // namespace sieve
