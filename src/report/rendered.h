#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiment/comparison.h"
#include "labelsieve/claims.h"
#include "labelsieve/crowd.h"
#include "labelsieve/dataset.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"

// Results as text for people and as JSON for machines.

namespace sieve {

struct Rendered {
  std::string text;
  Json json;
};

// An object; members renamed since 0.2.0 stand in it under their earlier names, too.
Json with_earlier_names(Json::Members members);

// Facts and a chart of the labels for a terminal `width` columns wide; the JSON has the warnings
// too. `agreement` may be null.
Rendered render_dataset(const DatasetSummary& summary, const std::vector<std::string>& warnings,
                        std::size_t width, const Agreement* agreement = nullptr);
Json noise_json(const LabelNoise& noise);

// In the order given.
Rendered render_measures(const std::vector<NamedMeasure>& measures);

// Precision, recall, F1 and AUC of every label. Scores and decisions may be null; what they would
// give is then left open.
Rendered render_labels(const std::vector<std::string>& names, const LabelMatrix& truth,
                       const MatrixD* scores, const LabelMatrix* decisions);

Rendered render_claim(const Claim& claim);

// What was found when candidates were judged.
struct Cleaning {
  const Judged& judged;
  const std::vector<JudgedCandidate>& ranked;  // the first `top`, or more
  const CleanedLabels& cleaned;
  std::optional<CleaningQuality> quality{};
  double threshold = 0.5;
  std::size_t top = 20;
  bool in_sample = false;
  bool missing = false;  // whether labels that nobody ticked were looked for without votes
  std::span<const ExclusivePair> exclusive{};  // labels that nobody ticks together
  std::size_t kept_apart = 0;                  // labels removed because of these
};
Rendered render_cleaning(const Cleaning& cleaning);

// Pairs of annotators that agree too much, and what to do about them; at least one pair.
Rendered render_alike(const Votes& votes, std::span<const AlikePair> pairs);

// What to say of an annotator in a few words, if anything.
std::string remark_on(const AnnotatorQuality& annotator);

// How far to trust annotators, in this order (by number): the first `most` as text, all as JSON.
// `details` are of the first ones, or none.
Rendered render_annotators(const Dataset& data, const CrowdFindings& crowd,
                           std::span<const std::size_t> order, std::size_t most,
                           std::span<const AnnotatorDetails> details = {});

// The same where they cannot be compared: what each of them did, and why there are no rates.
Rendered render_uncompared_annotators(const Votes& votes, const std::string& why, std::size_t most);

// How far annotators agree: the first `most` labels, and the pairs that agree least and most, as
// text; all as JSON.
Rendered render_agreement(const Dataset& data, const Agreement& agreement, std::size_t most);
// "0.412 [0.401, 0.422]", without an interval "0.412", and "-" where there is no value.
std::string figure_text(const AgreementFigure& figure);
// Why figures or intervals are missing, one sentence per reason.
std::vector<std::string> missing_figures(const Dataset& data, const Agreement& agreement);

// What to ask people next: the first `most` as text, all as JSON.
Rendered render_questions(const Dataset& data, std::span<const Question> questions, AskFor what,
                          std::size_t most);

// The same where annotators cannot be compared: rows that need one more annotation, and why.
Rendered render_overlap_wanted(const Dataset& data, std::span<const Question> questions,
                               const std::string& why, std::size_t most);

// A learning method with its options, and all of them.
Rendered render_method(const MethodInfo& method);
Rendered render_methods();

// A promise with the thresholds of labels: the first thirty as text, all as JSON.
Rendered render_guarantee(const Guarantee& guarantee, const std::vector<std::string>& labels);
Json guarantees_json(const ModelState& state);  // all that a model keeps

// What is in a model or a checkpoint.
Rendered render_state(const StateFile& file);

enum class ComparisonForm { Text, Markdown, Latex, Csv, Json };
// With what moved since an earlier comparison, if that is given.
Rendered render_comparison(const Comparison& comparison, ComparisonForm form,
                           const Comparison* before = nullptr);

// Audits as text, JSON and a page to print.

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

// What votes alone say of annotators and of what to annotate next, from the votes to the rendering:
// for the command, C and Python.

// How far to trust each annotator, the first `most` with details. The page is an HTML file.
struct AnnotatorReport {
  Rendered rendered;
  std::string page;
};
AnnotatorReport report_annotators(const Dataset& data, std::size_t most, ThreadPool& pool);

// What to ask next, `top` of it in the text.
struct QuestionReport {
  std::vector<Question> questions;
  Rendered rendered;
};
QuestionReport report_questions(const Dataset& data, AskFor what, std::size_t budget,
                                std::size_t top, ThreadPool& pool);

}  // namespace sieve
