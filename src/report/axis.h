#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace sieve {

// The values an axis has to show. Values that no axis can show do not count: those that are not
// finite or beyond 1e300.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value);
  void include(std::span<const double> values);
  bool empty() const { return low > high; }
};

// Maps values to pixels. An empty range shows 0 to 1; a range of one value is widened.
class Axis {
 public:
  enum class Kind { Linear, Log };
  Axis(Range shown, double from, double to, Kind kind = Kind::Linear);

  // False for values that have no place: see Range, and on a log axis those that are not positive.
  bool shows(double value) const;
  double at(double value) const;
  double from() const { return from_; }
  double to() const { return to_; }
  double low() const { return low_; }
  double high() const { return high_; }

  // About `count` round values, ascending, and how they are written.
  std::vector<double> ticks(std::size_t count) const;
  std::string tick_text(double tick, std::size_t count) const;

 private:
  double step(std::size_t count) const;
  double low_, high_, from_, to_;
  bool log_;
};

}  // namespace sieve
