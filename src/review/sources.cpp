// Where the probabilities of a review come from.
#include "labelsieve/review.h"

namespace sieve {
namespace {

constexpr std::size_t kMostMissing = 200'000;
constexpr double kWorthAsking = 0.1;  // labels that nobody ticked are shown from here on

}  // namespace

JudgeRequest for_review(JudgeRequest request) {
  request.most_missing = kMostMissing;
  request.missing_from = kWorthAsking;
  request.check_votes = false;
  return request;
}

}  // namespace sieve
