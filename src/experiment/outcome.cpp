#include "experiment/outcome.h"

#include "base/pack.h"

namespace sieve {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, status, reason, measures, seconds, fit_seconds,
                                   candidates, peak_bytes, train_rows, test_rows, features, labels)

std::string pack_outcome(const Result& result) {
  return pack(result);
}

bool unpack_outcome(const std::string& bytes, Result& result) {
  return unpack(bytes, result);
}

}  // namespace sieve
