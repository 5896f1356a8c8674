#include "report/canvas.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/table.h"

namespace sieve {
namespace {

constexpr std::size_t kPalette = 7;        // colours that the style sheet has
constexpr std::size_t kLongestLabel = 16;  // characters

}  // namespace

double label_width(const std::string& text) {
  // From this lead byte on characters are as wide as high (Chinese, Japanese, Korean, emoji).
  constexpr unsigned char kWide = 0xe3;
  const auto wide =
      std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) >= kWide; });
  return 6.2 * static_cast<double>(display_width(text)) + 5 * static_cast<double>(wide);
}

std::string label_text(const std::string& text) {
  return shortened(text, kLongestLabel);
}

std::string colour_class(std::size_t index) {
  const std::size_t round = std::min<std::size_t>(index / kPalette, 2);
  return fmt::format("c{}{}", index % kPalette, round == 0 ? "" : fmt::format(" dash{}", round));
}

Element svg_text(double x, double y, std::string_view text, std::string_view css_class) {
  return Element("text").set("x", x).set("y", y).set("class", css_class).add_text(text);
}

Element svg_line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return Element("line").set("x1", x1).set("y1", y1).set("x2", x2).set("y2", y2).set("class",
                                                                                     css_class);
}

void set_tip(Element& mark, const std::string& name, const std::string& tip) {
  mark.set("data-name", name).set("data-tip", tip);
}

Element svg_point(double x, double y, double radius, const std::string& name,
                  const std::string& tip) {
  Element point("circle");
  point.set("cx", x).set("cy", y).set("r", radius);
  set_tip(point, name, tip);
  return point;
}

Canvas::Canvas(double height, const FigureText& text) : text_(text), svg_("svg") {
  svg_.set("viewBox", fmt::format("0 0 {} {}", pixels_text(kFigureWidth), pixels_text(height)))
      .set("role", "img")
      .set("aria-label", text.title + ". " + text.alternative);
}

void Canvas::draw_grid(const Axis& y, double left, double right) {
  for (const double tick : y.ticks(kTicks)) {
    add(svg_line(left, y.at(tick), right, y.at(tick), "grid"));
    add(svg_text(left - 6, y.at(tick) + 4, y.tick_text(tick, kTicks), "tick end"));
  }
}

void Canvas::draw_bottom(const Axis& x, double y, const std::string& title) {
  for (const double tick : x.ticks(kTicks))
    add(svg_text(x.at(tick), y + kTextHeight, x.tick_text(tick, kTicks), "tick middle"));
  add(svg_text((x.from() + x.to()) / 2, y + 2 * kTextHeight + 2, title, "tick middle"));
}

void Canvas::draw_columns(const Axis& x, double top, double bottom) {
  for (const double tick : x.ticks(kTicks))
    add(svg_line(x.at(tick), top, x.at(tick), bottom, "grid"));
}

Element Canvas::figure() const {
  Element caption("figcaption");
  caption.add(with_text("strong", text_.title));
  if (!text_.note.empty()) caption.add(with_text("span", text_.note));
  return Element("figure").add(caption).add(svg_);
}

std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, double top,
                                  double bottom) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<double> placed = wanted;
  double least = top;
  for (const std::size_t i : order) {
    placed[i] = std::max(placed[i], least);
    least = placed[i] + gap;
  }
  double most = bottom;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    placed[*i] = std::min(placed[*i], most);
    most = placed[*i] - gap;
  }
  return placed;
}

Element empty_figure(const FigureText& text) {
  Canvas canvas(60, {text.title, text.note, "There are no values to show."});
  canvas.add(svg_text(kFigureWidth / 2, 34, "no values", "tick middle"));
  return canvas.figure();
}

}  // namespace sieve
