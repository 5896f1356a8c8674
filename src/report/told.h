#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiment/comparison.h"
#include "labelsieve/dataset.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/observation.h"
#include "labelsieve/pipeline.h"

// Results as they are told: as text for people and as JSON for machines.
namespace sieve {

struct Told {
  std::string text;
  Json json;
};

// Facts and a chart of the labels for a terminal `width` columns wide; the JSON has the warnings
// too. `agreement` may be null.
Told tell_dataset(const DatasetSummary& summary, const std::vector<std::string>& warnings,
                  std::size_t width, const Agreement* agreement = nullptr);
Json noise_json(const LabelNoise& noise);

// In the order given.
Told tell_measures(const std::vector<NamedMeasure>& measures);

// Precision, recall, F1 and AUC of every label. Scores and decisions may be null; what they would
// give is then left open.
Told tell_labels(const std::vector<std::string>& names, const LabelMatrix& truth,
                 const MatrixD* scores, const LabelMatrix* decisions);

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
Told tell_cleaning(const Cleaning& cleaning);

// People by number, those who looked at most rows first.
std::vector<std::size_t> by_looks(std::span<const PersonQuality> people);

// How far to trust people: the first `most` as text, all as JSON. `details` are of the first ones
// in the order of by_looks(), or none.
struct PersonDetails {
  std::vector<CellBelief> worst;  // ticks least likely right
  std::vector<Confusion> confused;
};
Told tell_people(const Dataset& data, std::span<const PersonQuality> people,
                 const HeldOutCheck& check, std::size_t most,
                 std::span<const PersonDetails> details = {});

// The same where they cannot be compared: what each of them did, and why there are no rates.
Told tell_uncompared_people(const Votes& votes, const std::string& why, std::size_t most);

// How far annotators agree: the first `most` labels, and the pairs that agree least and most, as
// text; all as JSON.
Told tell_agreement(const Dataset& data, const Agreement& agreement, std::size_t most);
// "0.412 [0.401, 0.422]", without an interval "0.412", and "-" where there is no value.
std::string figure_text(const AgreementFigure& figure);
// Why figures or intervals are missing, one sentence per reason.
std::vector<std::string> missing_figures(const Dataset& data, const Agreement& agreement);

// What to ask people next: the first `most` as text, all as JSON.
Told tell_questions(const Dataset& data, std::span<const Question> questions, AskFor what,
                    std::size_t most);

// The same where annotators cannot be compared: rows that need one more annotation, and why.
Told tell_overlap_wanted(const Dataset& data, std::span<const Question> questions,
                         const std::string& why, std::size_t most);

// A learning method with its options, and all of them.
Told tell_method(const MethodInfo& method);
Told tell_methods();

// What is in a model or a checkpoint.
Told tell_state(const StateFile& file);

enum class ComparisonForm { Text, Markdown, Latex, Csv, Json };
Told tell_comparison(const Comparison& comparison, ComparisonForm form);

}  // namespace sieve
