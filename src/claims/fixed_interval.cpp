#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "claims/quantiles.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr std::size_t kFew = 4;  // ones or zeros in all, below which a beta is matched

double as_double(std::size_t count) {
  return static_cast<double>(count);
}

StratumCount total(std::span<const StratumCount> strata) {
  StratumCount all;
  for (const StratumCount& each : strata) {
    all.ones += each.ones;
    all.decided += each.decided;
    all.cells += each.cells;
  }
  return all;
}

std::vector<StratumCount> mirrored(std::span<const StratumCount> strata) {
  std::vector<StratumCount> others(strata.begin(), strata.end());
  for (StratumCount& each : others) each.ones = each.decided - each.ones;
  return others;
}

// The totals of ones that neither tail of the sample speaks against.
Interval exact_interval(const StratumCount& all, double alpha) {
  const auto tails = [&](std::size_t marked) {
    return hypergeometric_tails(all.ones, all.decided, marked, all.cells);
  };
  const auto near =
      static_cast<std::size_t>(as_double(all.ones) * as_double(all.cells) / as_double(all.decided));
  const std::size_t least = all.ones, most = all.cells - (all.decided - all.ones);
  const std::size_t inside = std::clamp(near, least, most);
  std::size_t out = least, in = inside;  // the smallest total with P(X >= ones) > alpha / 2
  while (out < in) {
    const std::size_t middle = out + (in - out) / 2;
    if (tails(middle).upper > alpha / 2)
      in = middle;
    else
      out = middle + 1;
  }
  const std::size_t low = in;
  in = inside, out = most;  // the largest with P(X <= ones) > alpha / 2
  while (in < out) {
    const std::size_t middle = in + (out - in + 1) / 2;
    if (tails(middle).lower > alpha / 2)
      in = middle;
    else
      out = middle - 1;
  }
  return {as_double(low) / as_double(all.cells), as_double(in) / as_double(all.cells)};
}

double share_of(const StratumCount& stratum) {
  return stratum.decided == 0 ? 0.5 : as_double(stratum.ones) / as_double(stratum.decided);
}

// Wilson's interval with a correction for the finite stratum, widened where Poisson's or the
// normal one is wider.
Interval stratum_interval(const StratumCount& stratum, double alpha) {
  if (stratum.decided == 0) return {};
  const double p = share_of(stratum), n = as_double(stratum.decided),
               all = as_double(stratum.cells);
  if (stratum.decided == stratum.cells) return {p, p};
  const double z = normal_quantile(1 - alpha / 2), ne = n * (all - 1) / (all - n);
  const double middle = (p + z * z / (2 * ne)) / (1 + z * z / ne);
  const double half = z / (1 + z * z / ne) * std::sqrt(p * (1 - p) / ne + z * z / (4 * ne * ne));
  double low = middle - half, high = middle + half;
  const std::size_t ones = stratum.ones, zeros = stratum.decided - stratum.ones;
  const bool both = ones > 0 && zeros > 0;
  if (both && ones <= 3) low = std::min(low, poisson_mean(ones, alpha / 2) / ne);
  if (both && zeros <= 3) high = std::max(high, 1 - poisson_mean(zeros, alpha / 2) / ne);
  if (ones >= 2 && zeros >= 2) {
    const double normal = z * std::sqrt(p * (1 - p) / std::max(ne - 1, 1.0));
    low = std::min(low, p - normal);
    high = std::max(high, p + normal);
  }
  if (ones == 0) low = 0;
  if (zeros == 0) high = 1;
  return {std::max(low, as_double(ones) / all), std::min(high, 1 - as_double(zeros) / all)};
}

Interval mover_interval(std::span<const StratumCount> strata, double value, double alpha) {
  const double cells = as_double(total(strata).cells);
  double below = 0, above = 0;
  for (const StratumCount& stratum : strata) {
    const double weight = as_double(stratum.cells) / cells, p = share_of(stratum);
    const Interval own = stratum_interval(stratum, alpha);
    below += weight * weight * (p - own.low) * (p - own.low);
    above += weight * weight * (own.high - p) * (own.high - p);
  }
  return {value - std::sqrt(below), value + std::sqrt(above)};
}

// Weights of strata that have decisions; one without any gives its weight to the nearest that has.
std::vector<double> weights_of_decided(std::span<const StratumCount> strata) {
  const double cells = as_double(total(strata).cells);
  std::vector<double> weights(strata.size());
  const auto nearest = [&](std::size_t h) {
    for (std::size_t away = 0; away < strata.size(); ++away) {
      if (h >= away && strata[h - away].decided > 0) return h - away;
      if (h + away < strata.size() && strata[h + away].decided > 0) return h + away;
    }
    return h;
  };
  for (std::size_t h = 0; h < strata.size(); ++h)
    weights[nearest(h)] += as_double(strata[h].cells) / cells;
  return weights;
}

// A beta distribution matched to the estimate moved up by one more 1, as Clopper and Pearson do.
struct MatchedBeta {
  MatchedBeta(std::span<const StratumCount> strata, double of_alpha) : alpha(of_alpha) {
    const std::vector<double> weights = weights_of_decided(strata);
    const double cells = as_double(total(strata).cells);
    for (std::size_t h = 0; h < strata.size(); ++h)
      if (strata[h].decided > 0) y += weights[h] * share_of(strata[h]);
    for (std::size_t h = 0; h < strata.size(); ++h) {
      if (strata[h].decided == 0) continue;
      const double n = as_double(strata[h].decided), weight = weights[h];
      const double s = (as_double(strata[h].ones) + y) / (n + 1);
      const double f = std::min(1.0, n / (weight * cells));
      variance += weight * weight * (1 - f) * s * (1 - s) / n;
      largest = std::max(largest, weight * std::sqrt(1 - f) / n);
    }
  }
  double up(double from) const {
    const double m = (from + largest) / (1 + largest);
    const double c = m * (1 - m) / (variance + largest * largest * (1 - from)) - 1;
    if (!(c > 0) || from >= 1) return 1;
    return beta_quantile(1 - alpha / 2, m * c, (1 - m) * c);
  }
  double alpha, y = 0, variance = 0, largest = 0;
};

// With few ones.
Interval beta_interval(std::span<const StratumCount> strata, const Interval& mover, double alpha) {
  const MatchedBeta beta(strata, alpha);
  return {beta.y == 0 ? 0 : 1 - beta.up(1 - beta.y), std::min(mover.high, beta.up(beta.y))};
}

}  // namespace

std::optional<FixedInterval> fixed_interval(std::span<const StratumCount> strata, double level) {
  const StratumCount all = total(strata);
  if (all.decided == 0) return std::nullopt;
  const double alpha = 1 - level;
  FixedInterval found;
  if (all.decided == all.cells) {
    found.value = as_double(all.ones) / as_double(all.cells);
    found.interval = {found.value, found.value};
    found.method = IntervalMethod::Census;
    return found;
  }
  if (strata.size() == 1) {
    found.value = share_of(all);
    found.interval = exact_interval(all, alpha);
    return found;
  }
  if (all.decided < 4 * strata.size() || 3 * all.decided > all.cells) return std::nullopt;
  for (const StratumCount& stratum : strata)
    found.value += share_of(stratum) * as_double(stratum.cells) / as_double(all.cells);
  const std::size_t zeros = all.decided - all.ones;
  found.interval = mover_interval(strata, found.value, alpha);
  found.method = IntervalMethod::Mover;
  if (all.ones <= kFew && zeros > kFew) {
    found.interval = beta_interval(strata, found.interval, alpha);
    found.method = IntervalMethod::Beta;
  } else if (zeros <= kFew && all.ones > kFew) {
    const Interval mover{1 - found.interval.high, 1 - found.interval.low};
    const Interval other = beta_interval(mirrored(strata), mover, alpha);
    found.interval = {1 - other.high, 1 - other.low};
    found.method = IntervalMethod::Beta;
  }
  const double cells = as_double(all.cells);
  found.interval.low = std::max(found.interval.low, as_double(all.ones) / cells);
  found.interval.high = std::min(found.interval.high, 1 - as_double(zeros) / cells);
  return found;
}

std::optional<FixedInterval> fixed_interval(const AuditLane& lane, double level) {
  if (lane.has_fixes()) return std::nullopt;
  return fixed_interval(lane.counts(), level);
}

Claim sample_claim(const StratumCount& sample, double level, std::string about) {
  const auto found = fixed_interval(std::span(&sample, 1), level);
  require(found.has_value(), "a sample without a decision proves nothing");
  return {.value = found->value,
          .low = found->interval.low,
          .high = found->interval.high,
          .level = level,
          .decisions = sample.decided,
          .about = std::move(about)};
}

std::string_view to_string(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::Census:
      return "census";
    case IntervalMethod::Exact:
      return "exact";
    case IntervalMethod::Mover:
      return "mover";
    case IntervalMethod::Beta:
      return "beta";
  }
  return "";
}

}  // namespace sieve
