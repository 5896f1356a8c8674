#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "labelsieve/claims.h"
#include "review/decisions.h"
#include "review/ledger.h"

namespace sieve {

// An audit that reviewers answer on the page, in the order of its draws: first all questions once,
// then one in ten a second time, then a third time where the two answers differ. Its answers
// are lines of the log.
class PageAudit {
 public:
  PageAudit(AuditSubject subject, const AuditRequest& request, double level);

  // What is to be decided next; nothing at the end.
  struct Asked {
    std::size_t question = 0;  // among the audit's
    std::size_t pass = 1;
  };
  std::optional<Asked> next() const;
  const AuditQuestion& question(const Asked& asked) const {
    return audit_.questions()[asked.question];
  }
  // What a line has to say about the answer to a question.
  DecisionLine::Audited mark(const Asked& asked) const;

  // All lines that count, anew.
  void read(const Decisions& decisions, const Ledger& ledger);
  // One more.
  void take(const DecisionLine& line);
  // What is proved so far of the share of wrong labels, for the log; nothing of whole rows or of
  // labels one by one.
  std::optional<AuditClaimLine> claim_line(std::uint64_t line) const;

  Json render_state() const;   // how far it is, with the claim and its path
  Json render_result() const;  // all figures; null without an answer
  const Audit& audit() const { return audit_; }
  const AuditAnswers& answers() const { return answers_; }

 private:
  void start_anew();
  void advance();
  void count(std::size_t first, std::size_t last);  // questions of a draw that was answered
  const char* about() const { return audit_.request().rows ? "perfect" : "wrong"; }
  std::optional<Claim> claim() const;

  Audit audit_;
  std::string code_;
  double level_;
  AuditAnswers answers_{};
  std::size_t answered_ = 0;  // questions from the first on
  // The lane of exported labels or of rows so far, with "cannot tell" as 0 and as 1.
  struct Side {
    AuditLane lane;
    ConfidenceSequence sequence;
  };
  std::optional<Side> zero_{}, one_{};
  std::size_t counted_ = 0;  // draws of that lane
  std::vector<Claim> path_{};
};

}  // namespace sieve
