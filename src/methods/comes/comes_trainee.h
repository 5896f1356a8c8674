#pragma once

#include <memory>
#include <optional>

#include "methods/network/member.h"
#include "methods/network/trainee.h"

namespace sieve {

// Predictors trained on the risks of risks.h, with the rates of the noise model.
std::unique_ptr<Trainee> make_hamming_trainee(const TraineeParts& parts);
// `flood` empty: the least that the risk can be, whatever the predictor, given how often labels are
// right: rows for which both labels of a pair are irrelevant, at least 1 - pi_j - pi_k of all.
std::unique_ptr<Trainee> make_ranking_trainee(const TraineeParts& parts,
                                              std::optional<double> flood);

// The ranking risk of held-out rows. (For the Hamming risk the likelihood under the noise model
// serves better: it is minimal for the same logits and varies less, because nothing cancels.)
double held_out_ranking_risk(const NoiseModel& noise, View<const float> logits,
                             View<const float> targets);

}  // namespace sieve
