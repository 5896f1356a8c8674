#pragma once

#include "labelsieve/claims.h"
#include "labelsieve/threads.h"

namespace sieve {

// Probabilities by votes alone for an audit of its data, where annotators can be compared: votes
// are quick to weigh.
void believe_votes(AuditSubject& subject, ThreadPool& pool);

}  // namespace sieve
