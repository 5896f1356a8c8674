#pragma once

#include "base/random.h"
#include "labelsieve/claims.h"

// A small data set with a known truth, for tests of audits.
namespace sieve {

inline constexpr std::size_t kRows = 120, kLabels = 4;

// Rows whose labels are wrong one time in four, and missing one time in fifty.
inline Dataset labelled(std::uint64_t seed = 3) {
  Dataset data;
  data.name = "made up";
  data.candidates = LabelMatrix(kRows, kLabels);
  data.truth = LabelMatrix(kRows, kLabels);
  data.label_names = {"sun", "sea", "snow", "wood"};
  for (std::size_t i = 0; i < kRows; ++i) {
    data.ids.push_back("r" + std::to_string(i));
    for (std::size_t l = 0; l < kLabels; ++l) {
      Random random(seed, Purpose::Test, i, l);
      const bool on = random.chance(0.5);
      data.candidates.set(i, l, on);
      data.truth->set(i, l, random.chance(on ? 0.75 : 0.02));
    }
  }
  return data;
}

inline AuditSubject subject_of(const Dataset& data) {
  AuditSubject subject;
  subject.data = &data;
  subject.exported = data.candidates.share();
  Matrix probabilities(kRows, kLabels);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t l = 0; l < kLabels; ++l)
      probabilities(i, l) = static_cast<float>(Random(9, Purpose::Test, i, l).uniform());
  subject.probabilities = std::move(probabilities);
  subject.probabilities_from = "file";
  return subject;
}

inline AuditAnswers answers_by_truth(const Audit& audit, std::size_t first = 1'000'000) {
  AuditAnswers answers;
  for (const AuditQuestion& question : audit.questions()) {
    const bool right = audit.data().truth->get(question.row, question.label);
    const AuditAnswer answer = right ? AuditAnswer::Right : AuditAnswer::Wrong;
    answers.first.push_back(answers.first.size() < first ? answer : AuditAnswer::None);
    answers.second.push_back(audit.asked_twice(question) ? answer : AuditAnswer::None);
  }
  return answers;
}

}  // namespace sieve
