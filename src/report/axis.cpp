#include "report/axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

}  // namespace sieve
