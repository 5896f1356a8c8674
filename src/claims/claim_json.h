#pragma once

#include "base/json.h"
#include "labelsieve/claims.h"

namespace sieve {

Json json_of(const Claim& claim);
// With 9 digits, which every machine computes alike.
Json json_share(double value);
Json json_of(const AuditedFigure& figure);
Json figures_json(const AuditResult& result);
Json labels_json(const AuditResult& result, const Dataset& data);
Json annotators_json(std::span<const AuditedAnnotator> claims, const Votes& votes);
Json agreement_json(const ReviewerAgreement& agreement);

}  // namespace sieve
