#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format_text.h"
#include "claims/claim_json.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr double kNarrow = 0.1;  // an interval that one decimal does justice to

// In percent, rounded down (-1), to the nearest (0) or up (1). What is whole but for the last bits
// stays where it is.
std::string percent(double share, int towards, int decimals) {
  const double scale = decimals == 0 ? 100 : 1000;
  const double scaled = share * scale;
  const double nearest = std::round(scaled);
  double rounded = nearest;
  if (std::fabs(scaled - nearest) > 1e-7)
    rounded = towards < 0 ? std::floor(scaled) : towards > 0 ? std::ceil(scaled) : nearest;
  std::string text = fmt::format("{:.{}f}", rounded * 100 / scale, decimals);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

Json json_share(double value) {
  return std::round(value * 1e9) / 1e9;
}

std::string claim_text(const Claim& claim) {
  const bool audited = claim.basis == ClaimBasis::Audit;
  const int decimals = claim.high - claim.low < kNarrow ? 1 : 0;
  std::string text =
      fmt::format("{} {} %", audited ? "audited" : "guess", percent(claim.value, 0, decimals));
  if (audited && claim.low == claim.high)
    text += " exactly";
  else
    text += fmt::format(" ({} to {})", percent(claim.low, -1, decimals),
                        percent(claim.high, 1, decimals));
  return audited ? text + ", " + count_text(claim.decisions, "decision") : text;
}

Json json_of(const Claim& claim) {
  Json::Members members = {{"about", claim.about},
                           {"value", json_share(claim.value)},
                           {"low", json_share(claim.low)},
                           {"high", json_share(claim.high)},
                           {"level", claim.level},
                           {"truth", claim.truth == ClaimTruth::Expert ? "expert" : "consensus"},
                           {"basis", claim.basis == ClaimBasis::Audit ? "audit" : "guess"}};
  if (claim.basis == ClaimBasis::Audit) members.emplace_back("decisions", claim.decisions);
  members.emplace_back("text", claim_text(claim));
  return Json::object(members);
}

std::string claim_json(const Claim& claim) {
  return json_of(claim).text();
}

}  // namespace sieve
