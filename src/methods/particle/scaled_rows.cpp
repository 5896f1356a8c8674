#include "methods/particle/scaled_rows.h"

#include "labelsieve/error.h"

namespace sieve {

ScaledRows scaled_rows(const Features& x, const Scaler& scaler) {
  if (x.cols() != scaler.factor.size())
    throw Error(Failure::Data,
                "the rows have " + std::to_string(x.cols()) +
                    " features, the model was trained on " + std::to_string(scaler.factor.size()),
                {}, "give the model the same features it was trained on");
  ScaledRows out{x.clone(), std::vector<double>(x.cols())};
  if (x.is_sparse()) {
    CsrMatrix& rows = out.x.sparse();
    for (std::size_t e = 0; e < rows.nonzeros(); ++e)
      rows.values[e] *= scaler.factor[rows.columns[e]];
    out.shift.assign(scaler.offset.begin(), scaler.offset.end());
  } else {
    scaler.apply(out.x);
  }
  return out;
}

}  // namespace sieve
