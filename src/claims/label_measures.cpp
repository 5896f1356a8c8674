#include <algorithm>
#include <cmath>

#include "base/length.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Of right labels, exported (A) and not (B).
double measure_of(LabelMeasure measure, double exported, double others, double a, double b) {
  switch (measure) {
    case LabelMeasure::Precision:
      return ratio(a, exported);
    case LabelMeasure::Recall:
      return ratio(a, a + b);
    case LabelMeasure::F1:
      return ratio(2 * a, exported + a + b);
    case LabelMeasure::Hamming:
      return ratio(exported - a + b, exported + others);
  }
  return 0;
}

}  // namespace

std::string_view to_string(LabelMeasure measure) {
  switch (measure) {
    case LabelMeasure::Precision:
      return "precision";
    case LabelMeasure::Recall:
      return "recall";
    case LabelMeasure::F1:
      return "f1";
    case LabelMeasure::Hamming:
      return "hamming";
  }
  return "";
}

double measure_at(LabelMeasure measure, double exported, double others, double wrong,
                  double right) {
  return measure_of(measure, exported, others, exported * (1 - wrong), others * right);
}

namespace {

// The limits of both lanes at which the measure is smallest or largest: it falls with wrong labels
// and with missing ones, but for the Hamming loss, which rises.
struct Corner {
  double wrong, right;
};
Corner corner(LabelMeasure measure, const TwoLanes& lanes, bool largest) {
  const bool good = (measure == LabelMeasure::Hamming) != largest;
  return good ? Corner{lanes.wrong.interval.low, lanes.right.interval.low}
              : Corner{lanes.wrong.interval.high, lanes.right.interval.high};
}

double at(LabelMeasure measure, const TwoLanes& lanes, double wrong, double right) {
  return measure_at(measure, static_cast<double>(lanes.exported), static_cast<double>(lanes.others),
                    wrong, right);
}

}  // namespace

Estimated fixed_measure(LabelMeasure measure, const TwoLanes& lanes) {
  const double value = at(measure, lanes, lanes.wrong.value, lanes.right.value);
  const auto away = [&](bool largest) {
    const Corner limits = corner(measure, lanes, largest);
    return length(at(measure, lanes, limits.wrong, lanes.right.value) - value,
                  at(measure, lanes, lanes.wrong.value, limits.right) - value);
  };
  return {value, {std::max(0.0, value - away(false)), std::min(1.0, value + away(true))}};
}

Estimated sequence_measure(LabelMeasure measure, const TwoLanes& lanes) {
  const Corner low = corner(measure, lanes, false), high = corner(measure, lanes, true);
  const Interval box{at(measure, lanes, low.wrong, low.right),
                     at(measure, lanes, high.wrong, high.right)};
  const double value = at(measure, lanes, lanes.wrong.value, lanes.right.value);
  return {std::max(box.low, std::min(value, box.high)), box};
}

}  // namespace sieve
