#include "report/headlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"

namespace sieve {
namespace {

constexpr std::size_t kNamed = 3;  // labels or annotators in a sentence
constexpr double kWide = 0.4;      // a claim that is no single figure
constexpr double kHardlyKnown = 0.7;
constexpr double kDoubtLow = 0.1, kDoubtHigh = 0.9;  // probabilities in doubt

// "four in five": the nearest fraction with a small number below.
std::string fraction_words(double share) {
  if (share < 0.05) return "fewer than one in twenty";
  if (share > 0.95) return "nearly all";
  static constexpr std::array<const char*, 11> kWords = {
      "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  std::size_t some = 1, all = 2;
  const auto away = [&](std::size_t a, std::size_t b) {
    return std::abs(static_cast<double>(a) / static_cast<double>(b) - share);
  };
  for (const std::size_t b : {2U, 3U, 4U, 5U, 10U})
    for (std::size_t a = 1; a < b; ++a)
      if (away(a, b) < away(some, all) - 1e-9) some = a, all = b;
  return 2 * some == all ? "half" : fmt::format("{} in {}", kWords[some], kWords[all]);
}

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

std::vector<Headline> what_to_fix(const Judged& judged) {
  const Dataset& data = judged.data;
  std::vector<std::size_t> doubtful(data.labels()), order(data.labels());
  for (std::size_t row = 0; row < data.rows(); ++row)
    judged.probabilities.for_each(row, [&](std::size_t label, float probability) {
      const auto p = double{probability};
      doubtful[label] += p >= kDoubtLow && p <= kDoubtHigh;
    });
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return doubtful[k]; });
  const std::size_t all = std::accumulate(doubtful.begin(), doubtful.end(), std::size_t{0});
  std::size_t some = 0;
  std::vector<std::string> names;
  for (const std::size_t label : order)
    if (names.size() < kNamed && doubtful[label] > 0) {
      names.push_back(data.label_names[label]);
      some += doubtful[label];
    }
  if (names.empty()) return {};
  return {{fmt::format("Fix {} first.", listed(names)),
           fmt::format("Doubtful ticks (10 to 90 %) with {}: {} of {}.",
                       names.size() == 1 ? "this label" : "these labels", some, all)}};
}

}  // namespace

std::optional<Claim> claim_of(const TickedWrong& ticked, TruthMeans truth) {
  return wrong_ticks_claim(
      {.cells = ticked.ticks, .open = ticked.ticks, .estimated = ticked.wrong},
      truth == TruthMeans::Expert ? ClaimTruth::Expert : ClaimTruth::Consensus);
}

std::string wrong_sentence(const Claim& claim) {
  const char* verb = claim.basis == ClaimBasis::Audit ? "are wrong" : "may be wrong";
  const double width = claim.high - claim.low;
  if (width > kHardlyKnown) return "How many labels are wrong is hardly known yet.";
  if (width > kWide && claim.low < 0.05)
    return fmt::format("Up to {} of the labels {}.", fraction_words(claim.high), verb);
  if (width > kWide)
    return fmt::format("Between {} and {} of the labels {}.", fraction_words(claim.low),
                       fraction_words(claim.high), verb);
  if (claim.value < 0.05) return fmt::format("Fewer than one in twenty labels {}.", verb);
  if (claim.value > 0.95) return fmt::format("Nearly all labels {}.", verb);
  const std::string share = fraction_words(claim.value);
  return fmt::format("About {} labels {}.", share == "half" ? "half of the" : share, verb);
}

std::string missing_sentence(std::size_t missing) {
  return fmt::format("{} that nobody ticked {} right{}", count_text(missing, "label"),
                     missing == 1 ? "seems" : "seem",
                     missing == 0 ? "" : "; nothing is claimed about them");
}

std::vector<Headline> headline_about_annotators(const Votes& votes,
                                                std::span<const TickedWrong> ticked,
                                                TruthMeans truth) {
  std::vector<std::string> names;
  TickedWrong sum;
  for (const std::size_t k : most_wrong_first(ticked))
    if (names.size() < kNamed && ticked[k].wrong >= 1) {
      names.emplace_back(votes.annotators()[k]);
      sum.ticks += ticked[k].ticks;
      sum.wrong += ticked[k].wrong;
    }
  if (names.empty()) return {};
  return {{fmt::format("{} may add the most wrong ticks.", listed(names)),
           fmt::format("{} of their {}", claim_text(*claim_of(sum, truth)),
                       count_text(sum.ticks, "tick"))}};
}

std::vector<Headline> headlines_about(const Judged& judged) {
  std::vector<Headline> answers;
  if (const auto claim = noise_claim(judged))
    answers.push_back({wrong_sentence(*claim), claim_text(*claim)});
  else
    answers.push_back({"How many labels are wrong is not known.", why_no_claim(judged) + "."});
  std::ranges::move(what_to_fix(judged), std::back_inserter(answers));
  if (judged.crowd)
    std::ranges::move(headline_about_annotators(
                          *judged.data.votes, wrong_ticks(*judged.data.votes, judged.probabilities),
                          judged.crowd->truth),
                      std::back_inserter(answers));
  return answers;
}

}  // namespace sieve
