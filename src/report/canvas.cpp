#include "report/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/table.h"

namespace sieve {
namespace {

bool can_be_shown(double value) {
  return std::abs(value) <= 1e300;  // false for NaN
}

}  // namespace

void Range::include(double value) {
  if (!can_be_shown(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Range::include(std::span<const double> values) {
  for (const double value : values) include(value);
}

Axis::Axis(Range shown, double from, double to, Kind kind)
    : low_(shown.low), high_(shown.high), from_(from), to_(to), log_(kind == Kind::Log) {
  if (shown.empty() || (log_ && high_ <= 0)) low_ = log_ ? 0.1 : 0, high_ = 1;
  if (log_) {
    low_ = std::log10(std::max(low_, high_ * 1e-12));
    high_ = std::log10(high_);
  }
  if (high_ - low_ > 1e-9 * std::max(std::abs(low_), std::abs(high_))) return;
  const double around = log_ ? 0.5 : std::max(std::abs(low_) * 0.1, 1e-6);
  low_ -= around;
  high_ += around;
}

bool Axis::shows(double value) const {
  return can_be_shown(value) && (!log_ || value > 0);
}

double Axis::at(double value) const {
  const double place = log_ ? std::log10(value) : value;
  return from_ + (place - low_) / (high_ - low_) * (to_ - from_);
}

// 1, 2 or 5 times a power of ten.
double Axis::step(std::size_t count) const {
  const double rough = (high_ - low_) / static_cast<double>(std::max<std::size_t>(count, 1));
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999) return factor * power;
  return 10 * power;
}

std::vector<double> Axis::ticks(std::size_t count) const {
  const double by = log_ ? std::max(1.0, step(count)) : step(count);
  std::vector<double> ticks;
  for (double k = std::ceil(low_ / by - 1e-9); k * by <= high_ + by * 1e-9; ++k)
    ticks.push_back(log_ ? std::pow(10, k * by) : k * by);
  // Less than a decade has no power of ten in it: its ends will do.
  if (log_ && ticks.size() < 2) ticks = {std::pow(10, low_), std::pow(10, high_)};
  return ticks;
}

std::string Axis::tick_text(double tick, std::size_t count) const {
  const double magnitude = std::max(std::abs(low_), std::abs(high_));
  if (log_ || magnitude >= 1e5 || magnitude < 1e-3) return fmt::format("{:.3g}", tick + 0.0);
  const int places = std::max(0, static_cast<int>(std::ceil(-std::log10(step(count)) - 1e-9)));
  return fmt::format("{:.{}f}", tick == 0 ? 0.0 : tick, places);
}

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
