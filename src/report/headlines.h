#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/pipeline.h"

// What a report says first.
namespace sieve {

// The share of an annotator's ticks that is wrong; nothing without ticks.
std::optional<Claim> claim_of(const TickedWrong& ticked, TruthMeans truth);
// A sentence, and what it is based on.
struct Headline {
  std::string sentence, basis;
};

// "About four of five labels may be wrong."
std::string wrong_sentence(const Claim& claim);
// "12 labels that nobody ticked seem right; nothing is claimed about them"
std::string missing_sentence(std::size_t missing);
// How many labels are wrong, which to fix first, and who adds most wrong ticks.
std::vector<Headline> headlines_about(const Judged& judged);
// The last of these alone; nothing where nobody stands out.
std::vector<Headline> headline_about_annotators(const Votes& votes,
                                                std::span<const TickedWrong> ticked,
                                                TruthMeans truth);

}  // namespace sieve
