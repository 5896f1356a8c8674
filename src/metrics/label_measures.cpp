#include "metrics/label_measures.h"

#include <limits>

#include "base/format_text.h"

namespace sieve {
namespace {

double quotient(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : share_of(part, whole);
}

}  // namespace

double LabelMeasures::precision() const {
  return quotient(right, decided);
}

double LabelMeasures::recall() const {
  return quotient(right, truth);
}

double LabelMeasures::f1() const {
  return quotient(2 * right, truth + decided);
}

std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions) {
  std::vector<LabelMeasures> counts(truth.labels());
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    truth.for_each(i, [&](std::size_t k) { ++counts[k].truth; });
    if (decisions == nullptr) continue;
    decisions->for_each(i, [&](std::size_t k) {
      ++counts[k].decided;
      counts[k].right += truth.get(i, k);
    });
  }
  return counts;
}

}  // namespace sieve
