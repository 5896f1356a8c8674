#include "pipeline/audit_subject.h"

#include <utility>

#include "labelsieve/pipeline.h"

namespace sieve {

void believe_votes(AuditSubject& subject, ThreadPool& pool) {
  const Dataset& data = *subject.data;
  if (!data.votes || !why_names_are_ignored(*data.votes).empty()) return;
  Judged judged = judge(data.clone(), {.check_votes = false, .fit = {.threads = &pool}});
  subject.of_candidates = std::move(judged.probabilities);
  subject.probabilities_from = "votes";
}

}  // namespace sieve
