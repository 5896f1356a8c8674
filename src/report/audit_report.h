#pragma once

#include <span>
#include <string>
#include <vector>

#include "labelsieve/claims.h"
#include "report/rendered.h"

// Audits as text, JSON and a page to print.
namespace sieve {

struct JudgedGoal {
  AuditGoal goal{};
  Acceptance verdict = Acceptance::NotYet;
};

// `annotators` may be empty.
Rendered render_audit(const Audit& audit, const AuditResult& result,
                      const std::vector<JudgedGoal>& goals,
                      std::span<const AuditedAnnotator> annotators = {});

struct PlannedAudit {
  double half_width = 0;
  AuditPlan plan{};
};
Rendered render_plan(const Audit& audit, const std::vector<PlannedAudit>& plans, double level,
                     double seconds);

// The certificate for people: one HTML file that needs nothing else.
std::string certificate_page(const Audit& audit, const AuditResult& result,
                             const Certificate& certificate);

}  // namespace sieve
