#include <algorithm>
#include <array>
#include <cmath>

#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr std::array kHorizons = {0.5, 1.0, 2.5, 10.0};  // of the planned decisions
constexpr std::array kWeights = {0.3, 0.3, 0.3, 0.1};
constexpr double kMostLost = 0.9;   // of the stake, at worst
constexpr std::size_t kBlock = 24;  // factors between 0.1 and 1e10 that fit into a double

// The logarithm of sum_j w_j prod(factors): `factor(bet, j)` is one of them.
template <class Bets, class Factor>
double log_wealth(const Bets& bets, Factor&& factor) {
  std::array<double, kWeights.size()> log{};
  for (std::size_t start = 0; start < bets.size(); start += kBlock) {
    const std::size_t end = std::min(start + kBlock, bets.size());
    std::array<double, kWeights.size()> product;
    product.fill(1);
    for (std::size_t t = start; t < end; ++t)
      for (std::size_t j = 0; j < product.size(); ++j) product[j] *= factor(bets[t], j);
    for (std::size_t j = 0; j < product.size(); ++j) log[j] += std::log(product[j]);
  }
  const double most = *std::ranges::max_element(log);
  double sum = 0;
  for (std::size_t j = 0; j < log.size(); ++j) sum += kWeights[j] * std::exp(log[j] - most);
  return most + std::log(sum);
}

double most_to_bet(double room) {
  return room > 0 ? kMostLost / room : HUGE_VAL;
}

// Where a function that is at least `level` at `in` and below it at `out` crosses it. The
// steps of the secant (Illinois) make 60 bisections a dozen evaluations.
template <class Function>
double crossing(Function&& log_wealth_at, double level, double in, double out) {
  double at_in = log_wealth_at(in) - level, at_out = log_wealth_at(out) - level;
  int side = 0;
  for (int step = 0; step < 100 && std::fabs(out - in) > 1e-13; ++step) {
    double s = in + (out - in) * at_in / (at_in - at_out);
    const double least = std::min(in, out), most = std::max(in, out);
    if (!(s > least && s < most) || step % 8 == 7) s = (in + out) / 2;
    const double here = log_wealth_at(s) - level;
    if (here >= 0) {
      in = s;
      at_in = here;
      if (side == 1) at_out /= 2;
      side = 1;
    } else {
      out = s;
      at_out = here;
      if (side == -1) at_in /= 2;
      side = -1;
    }
  }
  return in;
}

}  // namespace

ConfidenceSequence::ConfidenceSequence(double level, std::size_t planned)
    : alpha_(1 - level), planned_(static_cast<double>(std::max<std::size_t>(planned, 1))) {}

// What a bettor has who holds that the share is above `share`.
double ConfidenceSequence::log_up(double share) const {
  return log_wealth(bets_, [&](const Bet& bet, std::size_t j) {
    return 1 + std::min(bet.size[j], most_to_bet(share - bet.low)) * (bet.x - share);
  });
}

double ConfidenceSequence::log_down(double share) const {
  return log_wealth(bets_, [&](const Bet& bet, std::size_t j) {
    return 1 - std::min(bet.size[j], most_to_bet(bet.high - share)) * (bet.x - share);
  });
}

void ConfidenceSequence::add(const AuditStep& step) {
  known_low_ = step.known_low;
  known_high_ = step.known_high;
  const double enough = std::log(2 / alpha_);
  if (step.drawn) {
    Bet bet{step.x, step.low, step.high, {}};
    for (std::size_t j = 0; j < kBets; ++j)
      bet.size[j] = std::sqrt(2 * enough / (step.variance * kHorizons[j] * planned_));
    bets_.push_back(bet);
    // A limit moves only if its own place is out of the question by now.
    const auto up = [&](double s) { return log_up(s); };
    const auto down = [&](double s) { return log_down(s); };
    if (up(low_) >= enough) low_ = up(1) >= enough ? 1 : crossing(up, enough, low_, 1);
    if (down(high_) >= enough) high_ = down(0) >= enough ? 0 : crossing(down, enough, high_, 0);
  }
  low_ = std::max(low_, known_low_);
  high_ = std::min(high_, known_high_);
  // Of a census both limits are known, and may differ in the last digit either way.
  if (low_ > high_) low_ = high_ = std::max(known_low_, std::min(step.value, known_high_));
}

Acceptance ConfidenceSequence::at_most(double share) const {
  const double enough = std::log(1 / alpha_);
  if (known_high_ <= share || (!bets_.empty() && log_down(share) >= enough)) return Acceptance::Yes;
  if (known_low_ > share || (!bets_.empty() && log_up(share) >= enough)) return Acceptance::No;
  return Acceptance::NotYet;
}

Interval sequence_interval(const AuditLane& lane, double level) {
  ConfidenceSequence sequence(level, lane.design().planned);
  for (const AuditStep& step : lane.steps()) sequence.add(step);
  return sequence.interval();
}

Acceptance sequence_at_most(const AuditLane& lane, double share, double level) {
  ConfidenceSequence sequence(level, lane.design().planned);
  for (const AuditStep& step : lane.steps()) {
    sequence.add(step);
    if (const Acceptance said = sequence.at_most(share); said != Acceptance::NotYet) return said;
  }
  return Acceptance::NotYet;
}

std::string_view to_string(Acceptance acceptance) {
  return acceptance == Acceptance::Yes ? "yes" : acceptance == Acceptance::No ? "no" : "not yet";
}

}  // namespace sieve
