#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/claims.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/files.h"

// Audits of the labels of a data set (docs/audit.md): which cells somebody has to decide, what
// their answers prove, and a certificate of it that others can check.
namespace sieve {

// What is audited, and what is believed of it. The data must outlive the audit.
struct AuditSubject {
  const Dataset* data = nullptr;  // rows, ids, names of labels
  LabelMatrix exported{};         // the labels as they are used: of the same rows and labels
  // Probabilities that labels are right: of all cells, or of candidates, or unknown. They make
  // intervals narrower; intervals hold whatever they are.
  std::optional<Matrix> probabilities{};
  std::optional<CandidateScores> of_candidates{};
  std::string probabilities_from{};  // "votes", a file; "" where there are none
};

struct AuditRequest {
  std::uint64_t seed = 1;
  std::size_t budget = 120;  // decisions planned in all; more than there are cells: a census
  bool others = true;        // also ask about cells without a label: recall, F1, Hamming loss
  bool per_label = false;    // the same number of decisions for each label
  std::size_t twice = 10;    // every so many-th cell is asked a second time; 0: none
  friend bool operator==(const AuditRequest&, const AuditRequest&) = default;
};

// The labels of a file with the same columns as the data or with labels alone, such as cleaned
// labels: its candidates, for the rows of the data, by id where both have ids, else by order.
// `options` are those that the data were read with. Error(Data) for other rows or labels.
LabelMatrix read_exported_labels(const std::string& path, const Dataset& data, ReadOptions options);

// SHA-256 of what an audit is about, as hexadecimal text.
struct AuditFingerprints {
  std::string data{}, labels{}, probabilities{};
  friend bool operator==(const AuditFingerprints&, const AuditFingerprints&) = default;
};

// What every line of a list carries, so that answers find back: the request and the first eight
// digits of each fingerprint.
struct AuditCode {
  AuditRequest request{};
  AuditFingerprints short_prints{};
};
std::string to_string(const AuditCode& code);
std::optional<AuditCode> parse_audit_code(std::string_view text);  // nothing: not one

// One cell to decide.
struct AuditQuestion {
  std::size_t lane = 0;  // among Audit::lanes()
  Draw draw{};
  std::size_t row = 0, label = 0;
};

// A lane with its part of the decisions. An answer of 1 is a wrong label in lanes of exported
// labels, and a right one in the lane of others.
struct AuditLaneInfo {
  std::string name{};  // "exported", "others" or "label <name>"
  bool of_exported = true;
  AuditLane lane;         // without answers
  std::size_t asked = 0;  // decisions asked for so far
};

class Audit {
 public:
  // Error(Usage) if no label is exported, or other than the data's rows; the same for more than 250
  // labels one by one. `asked` decisions are drawn, if that is more than the budget.
  Audit(AuditSubject subject, const AuditRequest& request, std::size_t asked = 0);

  const Dataset& data() const { return *subject_.data; }
  const AuditSubject& subject() const { return subject_; }
  const AuditRequest& request() const { return request_; }
  const AuditFingerprints& fingerprints() const { return prints_; }
  AuditCode code() const;
  const std::vector<AuditLaneInfo>& lanes() const { return lanes_; }
  // In the order in which they are to be decided; lanes take turns in random order.
  const std::vector<AuditQuestion>& questions() const { return questions_; }
  std::size_t exported_cells() const { return exported_; }
  std::size_t other_cells() const { return cells_ - exported_; }
  bool asked_twice(const AuditQuestion& question) const;
  std::string item(std::size_t row) const;  // the id of a row, or its number from 0
  // The question about a cell; nothing if it was not asked.
  const AuditQuestion* find(std::size_t row, std::size_t label) const;

 private:
  void add_lanes();
  void ask(std::size_t decisions);

  AuditSubject subject_;
  AuditRequest request_;
  AuditFingerprints prints_;
  std::vector<AuditLaneInfo> lanes_;
  std::vector<AuditQuestion> questions_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> places_;  // of cells in questions_
  std::size_t exported_ = 0, cells_ = 0;
};

// How many decisions an exported share within -+ half_width takes.
AuditPlan plan_audit(const Audit& audit, double half_width, double level);

// ---- answers

enum class AuditAnswer : std::uint8_t { None, Right, Wrong, Unsure };
std::string_view to_string(AuditAnswer answer);  // "1", "0", "?" or ""

// The answers to all questions, the first ones and the second ones.
struct AuditAnswers {
  std::vector<AuditAnswer> first{}, second{};  // by question
  std::size_t answered() const;                // first ones that say something
};

// A line for each question: id, text where the rows have any, label, an empty answer, and by what
// to find back. Nothing tells whether the cell has the label now, nor what anybody thinks of it.
// Questions that `answered` has already are left out. With `truth`, it answers: a simulated
// reviewer.
void write_audit_list(const Audit& audit, OutputStream& file,
                      const AuditAnswers* answered = nullptr, const LabelMatrix* truth = nullptr);
std::size_t questions_left(const Audit& audit, const AuditAnswers* answered);

// The audit that a list belongs to; nothing if its lines do not say. Error(Data) for several.
std::optional<AuditCode> read_audit_code(const std::string& path,
                                         FileSystem& files = FileSystem::real());
// Error(Data) that says what has changed since a list was made, and how to go on.
void check_audit_code(const AuditCode& code, const Audit& audit, const std::string& path);
// Error(Data) with file and line for a cell that was not asked or is answered twice, and for an
// answer that is none (1 0, yes no, true false, ? for cannot tell).
AuditAnswers read_answers(const std::string& path, const Audit& audit,
                          FileSystem& files = FileSystem::real());

// ---- what they prove

// One figure. Before all planned decisions are made, and after more than those, only the claim that
// holds at any time is there.
struct AuditedFigure {
  std::string about{};
  std::optional<Claim> fixed{}, any_time{};
  std::string why_none{};  // where both are missing
  const Claim* best() const { return fixed ? &*fixed : any_time ? &*any_time : nullptr; }
};
struct AuditedLabel {
  std::size_t label = 0, decisions = 0;
  LabelBasis basis = LabelBasis::Refused;
  std::optional<Claim> claim{};  // of the share of its exported labels that are wrong
};
struct ReviewerAgreement {
  std::size_t pairs = 0, same = 0;
  std::optional<ReviewerErrors> errors{};  // from ten pairs on
};
struct AuditResult {
  double level = 0.9;
  std::size_t decisions = 0, asked = 0, unsure = 0, skipped = 0;
  bool complete = false, census = false;
  std::vector<AuditedFigure> figures{};  // wrong, precision, recall, f1, hamming
  std::vector<AuditedLabel> labels{};
  ReviewerAgreement agreement{};
  std::vector<std::string> notes{};
};
// Error(Data) without any answer.
AuditResult audit_result(const Audit& audit, const AuditAnswers& answers, double level);

// "precision >= 0.95", "recall >= 0.9", "f1 >= 0.8", "hamming <= 0.02", "wrong <= 0.05".
struct AuditGoal {
  std::string about{};
  bool at_least = true;
  double share = 0;
};
AuditGoal parse_goal(const std::string& text);  // Error(Usage)
std::string to_string(const AuditGoal& goal);
// Yes or no once it is clear at any time, whenever somebody looks; wrong at most 1 - level of the
// time. Error(Usage) for what this audit does not ask.
Acceptance judge_goal(const Audit& audit, const AuditAnswers& answers, const AuditGoal& goal,
                      double level);

// ---- the certificate (docs/formats/certificate.md)

// `made` is when, as in "2026-01-31T12:00:00Z"; "" for now.
std::string certificate_json(const Audit& audit, const AuditAnswers& answers, double level,
                             std::string made = {});

struct Certificate {
  AuditRequest request{};
  std::size_t asked = 0;
  double level = 0.9;
  std::string probabilities_from{}, version{}, made{}, data_name{}, chain{};
  struct Decision {
    std::string item{}, label{}, answer{};
    std::size_t pass = 1;
  };
  std::vector<Decision> decisions{};
  std::string text{};  // all of it
};
// Error(Data) for what is not one; `path` is for messages.
Certificate parse_certificate(std::string text, const std::string& path);
Certificate read_certificate(const std::string& path, FileSystem& files = FileSystem::real());
// What does not come out the same when it is computed again from the data; nothing: it holds.
std::vector<std::string> certificate_differences(const Certificate& certificate,
                                                 AuditSubject subject);
// The decisions of a certificate as answers; those that fit no question go to `problems`.
AuditAnswers answers_of(const Certificate& certificate, const Audit& audit,
                        std::vector<std::string>& problems);

}  // namespace sieve
