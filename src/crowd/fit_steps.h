#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crowd/crowd_members.h"
#include "crowd/strength.h"
#include "labelsieve/crowd.h"
#include "labelsieve/labels.h"

namespace sieve {

// What speaks for a label of a row besides its own votes. Both are rows x labels and standardised
// over the rows that somebody annotated.
struct Covariates {
  std::optional<Matrix> all;     // scores and the strengths of other labels; nothing without either
  std::optional<Matrix> others;  // strengths of other labels alone; nothing where `all` is that
};
Covariates covariates_of(const StrengthModel& strength, const MemberInput& input,
                         const Matrix* scores, bool other_labels, ThreadPool& pool);

// Within a label, ticked cells are ranked by both members alike; the j-th cell of the ranking gets
// the j-th smallest of the probabilities that the mixture gives.
void set_rank_curves(CrowdMembers& members, const Votes& votes, ThreadPool& pool);

// How much each annotation counts, where some annotators copy others or are declared a group.
struct VoteWeights {
  std::vector<float> weights;    // by annotation; empty: each counts 1
  std::vector<AlikePair> alike;  // pairs that agree more than honest ones, the most alike first
};
VoteWeights weigh_votes(const Votes& votes, std::size_t labels, const CrowdOptions& options);

// Votes with grades, as answers to a chain of questions: whether the label is there, and where it
// is, whether it is there by one step more, and so on. The answers of annotator a to the k-th
// further question are votes of annotator a + k * annotators, unsure of what was not asked. They
// stand behind all others of a row. Grades of labels that are not `counted` are left out.
Votes chain_of_questions(const Votes& votes, const std::vector<bool>& counted);

// By annotation of the chain, the number that its annotator's own annotation of the row has.
std::vector<std::uint32_t> annotation_of_answer(const Votes& chain, const Votes& votes);

}  // namespace sieve
