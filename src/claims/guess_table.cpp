// How far estimates lay from the truth of reference crowds. The numbers are made by guess_bench
// (docs/results/claims.md): run it again after a change of the model of annotators.
#include "labelsieve/claims.h"

namespace sieve {
namespace {

#include "claims/guess_table.inc"

}  // namespace

std::span<const ReferenceErrors> reference_errors(GuessAbout about, GuessFrom from) {
  if (from == GuessFrom::Union) {
    if (about == GuessAbout::Noise) return kNoiseUnion;
    if (about == GuessAbout::LabelNoise) return kLabelNoiseUnion;
    return {};
  }
  switch (about) {
    case GuessAbout::Noise:
      return kNoiseVotes;
    case GuessAbout::LabelNoise:
      return kLabelNoiseVotes;
    case GuessAbout::Recall:
      return kRecallVotes;
    case GuessAbout::FalsePositiveRate:
      return kFalsePositiveRateVotes;
    case GuessAbout::AnnotatorNoise:
      return kAnnotatorNoiseVotes;
  }
  return {};
}

}  // namespace sieve
