#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/format_text.h"
#include "data/csv/csv_cells.h"
#include "data/text/numbers.h"
#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "labelsieve/pipeline.h"
#include "pipeline/prediction_writer.h"
#include "pipeline/removal.h"

// What judged candidates say, and how they are written.

namespace sieve {

std::span<const CellProbability> Judged::missing() const {
  if (crowd) return crowd->missing;
  if (union_findings) return union_findings->missing;
  return {};
}

double cleaning_threshold(const Judged& judged, const CleanRequest& request) {
  const auto best_for = [&](CleanFor what) {
    return keeping_threshold(judged.probabilities, judged.data.candidates, what);
  };
  if (request.best) return best_for(*request.best);
  if (request.threshold) return *request.threshold;
  if (!judged.names_ignored.empty() && !judged.decided && !judged.union_findings) return 0;
  // Calibrated probabilities below one half are often the best there are.
  return judged.crowd ? std::min(0.5, best_for(CleanFor::F1)) : 0.5;
}

namespace {

constexpr std::size_t kEmptyAnnotations = 100;  // one in so many, and rows without labels are usual

// Annotators who find nothing on many rows say that a row need not have a label.
EmptyRows empty_rows(const Judged& judged) {
  if (!judged.crowd) return EmptyRows::Rescued;
  const Votes& votes = *judged.data.votes;
  std::size_t empty = 0;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    if (votes.ticked(annotation).empty()) ++empty;
  return empty * kEmptyAnnotations >= std::max<std::size_t>(votes.annotations(), 1)
             ? EmptyRows::Allowed
             : EmptyRows::Rescued;
}

CleanedLabels above(double threshold, const Judged& judged, const CleanRequest& request) {
  const LabelMatrix& candidates = judged.data.candidates;
  const bool asked = request.best || request.threshold;
  if (asked || !judged.union_findings || judged.union_findings->trust.empty())
    return remove_suspects(judged.probabilities, candidates, threshold, empty_rows(judged));
  CandidateScores doubted(candidates.share());
  std::vector<float> row_of(candidates.labels());
  for (std::size_t row = 0; row < candidates.rows(); ++row) {
    candidates.for_each(row, [&](std::size_t l) {
      const double against = 1 - double{judged.probabilities(row, l)};
      row_of[l] = static_cast<float>(1 - against * judged.union_findings->trust[l]);
    });
    doubted.set_row(row, row_of);
  }
  return remove_suspects(doubted, candidates, threshold);
}

}  // namespace

std::vector<ExclusivePair> pairs_to_keep_apart(const Judged& judged, const CleanRequest& request) {
  return request.keep_apart && judged.data.votes ? exclusive_pairs(*judged.data.votes)
                                                 : std::vector<ExclusivePair>();
}

Removal removal(const Judged& judged, std::span<const ExclusivePair> exclusive,
                const CleanRequest& request) {
  Removal all;
  all.threshold = cleaning_threshold(judged, request);
  all.labels = above(all.threshold, judged, request);
  all.kept_apart = keep_apart(exclusive, judged.probabilities, all.labels.kept);
  all.labels.removed += all.kept_apart;
  return all;
}

Cleaned clean(Judged judged, const CleanRequest& request) {
  Cleaned all;
  all.suspects =
      ranked_candidates(judged.probabilities, judged.data.candidates, request.most_suspects);
  all.quality = cleaning_quality(judged);  // before there is one more label matrix
  all.exclusive = pairs_to_keep_apart(judged, request);
  Removal removed = removal(judged, all.exclusive, request);
  all.labels = std::move(removed.labels);
  all.threshold = removed.threshold;
  all.kept_apart = removed.kept_apart;
  all.judged = std::move(judged);
  return all;
}

namespace {

double noise_estimate(const Judged& judged, std::size_t label) {
  return judged.crowd ? judged.crowd->labels[label].noise.value
                      : judged.union_findings->labels[label].noise.value;
}

// The truth is an expert's where cells decided by one were learnt from.
GuessBasis guess_basis(const Judged& judged, GuessAbout about, std::size_t gold) {
  const bool expert = judged.crowd ? judged.crowd->truth == TruthMeans::Expert : gold > 0;
  return {.about = about,
          .from = judged.crowd ? GuessFrom::Votes : GuessFrom::Union,
          .truth = expert ? ClaimTruth::Expert : ClaimTruth::Consensus,
          .gold = gold};
}

std::optional<Claim> guess_noise(const Judged& judged, GuessAbout about, const GoldEvidence& gold,
                                 double estimate, std::size_t candidates) {
  GuessBasis basis = guess_basis(judged, about, gold.cells);
  basis.shift = gold.shift;
  const auto all = static_cast<double>(candidates);
  return guess({.cells = candidates, .open = candidates, .estimated = estimate * all}, basis);
}

// A label that every row has, by nobody in particular: no row shows how one without it looks, so
// wrong ticks cannot be separated from right ones unless an expert decided some.
bool is_everywhere(const Judged& judged, std::size_t label, std::size_t candidates) {
  return !judged.crowd && candidates == judged.data.rows() &&
         (judged.gold_cells.empty() || judged.gold_cells[label] == 0);
}

constexpr const char* kMayHaveSeen =
    "the judge may have seen these rows, so its errors are not known";

std::string why_no_claim(const Judged& judged, std::size_t label, std::size_t candidates) {
  if (candidates == 0) return "no row has it";
  if (!judged.has_intervals()) return kMayHaveSeen;
  return is_everywhere(judged, label, candidates) ? "every row has it" : "";
}

}  // namespace

std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged) {
  const Dataset& data = judged.data;
  const std::vector<double> estimated = estimated_noise(judged.probabilities, data.candidates);
  const std::vector<std::size_t> counts = data.candidates.label_counts();
  std::vector<std::size_t> right(data.labels());
  for (std::size_t i = 0; i < data.rows() && data.truth; ++i)
    data.candidates.for_each(i, [&](std::size_t k) { right[k] += data.truth->get(i, k); });
  std::vector<NoiseOfLabel> rows(data.labels());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    NoiseOfLabel& one = rows[k];
    one = {counts[k], estimated[k], NAN, NAN, NAN};
    if (data.truth && counts[k] != 0) one.real = share_of(counts[k] - right[k], counts[k]);
    if (judged.has_intervals() && counts[k] != 0) one.estimated = noise_estimate(judged, k);
    one.why_none = why_no_claim(judged, k, counts[k]);
    if (!one.why_none.empty()) continue;
    const std::size_t gold = judged.gold_cells.empty() ? 0 : judged.gold_cells[k];
    one.claim = guess_noise(judged, GuessAbout::LabelNoise, {gold}, one.estimated, counts[k]);
    if (one.claim) one.low = one.claim->low, one.high = one.claim->high;
  }
  return rows;
}

double mean_noise(const std::vector<NoiseOfLabel>& labels) {
  double sum = 0, count = 0;
  for (const NoiseOfLabel& label : labels) {
    if (label.candidates == 0) continue;
    sum += label.estimated * static_cast<double>(label.candidates);
    count += static_cast<double>(label.candidates);
  }
  return count == 0 ? 0 : sum / count;
}

std::string why_no_claim(const Judged& judged) {
  if (judged.data.candidates.count() == 0) return "there are no candidates";
  if (!judged.has_intervals()) return kMayHaveSeen;
  const std::vector<std::size_t> counts = judged.data.candidates.label_counts();
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (is_everywhere(judged, k, counts[k]))
      return "every row has the label '" + judged.data.label_names[k] +
             "', so wrong ones cannot be told from right ones";
  return {};
}

std::optional<Claim> noise_claim(const Judged& judged) {
  if (!why_no_claim(judged).empty()) return std::nullopt;
  GoldEvidence gold;
  if (!judged.gold_cells.empty())
    gold =
        gold_evidence(judged.data.candidates.label_counts(), judged.gold_cells, judged.gold_shifts);
  return guess_noise(judged, GuessAbout::Noise, gold, mean_noise(noise_of_labels(judged)),
                     judged.data.candidates.count());
}

std::string why_no_claim(const Dataset& data, Aggregation how) {
  if (how == Aggregation::OneCoin || how == Aggregation::TwoCoins)
    return "no reference crowds were measured with this model";
  if (how != Aggregation::CrowdModel) return "a count of votes is no probability";
  const std::string ignored = why_names_are_ignored(*data.votes);
  if (!ignored.empty()) return "names are ignored: " + ignored;
  return data.candidates.count() == 0 ? "there are no ticks" : "";
}

std::optional<Claim> noise_claim(const Dataset& data, const Matrix& aggregated, Aggregation how) {
  if (!why_no_claim(data, how).empty()) return std::nullopt;
  PartlyDecided ticks{.cells = data.candidates.count(), .open = data.candidates.count()};
  for (std::size_t row = 0; row < data.rows(); ++row)
    data.candidates.for_each(
        row, [&](std::size_t label) { ticks.estimated += 1 - double{aggregated(row, label)}; });
  return guess(ticks, {});
}

std::optional<Claim> wrong_ticks_claim(const PartlyDecided& ticks, ClaimTruth truth) {
  return guess(ticks, {.about = GuessAbout::AnnotatorNoise, .truth = truth});
}

AnnotatorClaims annotator_claims(const AnnotatorQuality& annotator, TruthMeans truth) {
  const auto claim = [&](GuessAbout about, const Estimate& rate) {
    const auto odds = [](double p) { return std::log(p / (1 - p)); };
    constexpr double kNineTenths = 1.6448536269514722;
    return *guess(rate.value, {.about = about,
                               .truth = truth == TruthMeans::Expert ? ClaimTruth::Expert
                                                                    : ClaimTruth::Consensus,
                               .error = (odds(rate.high) - odds(rate.low)) / (2 * kNineTenths)});
  };
  return {claim(GuessAbout::Recall, annotator.sensitivity),
          claim(GuessAbout::FalsePositiveRate, annotator.false_positive_rate)};
}

std::optional<CleaningQuality> cleaning_quality(const Judged& judged) {
  const Dataset& data = judged.data;
  if (!data.truth) return std::nullopt;
  return CleaningQuality{
      cleaning_auc(judged.probabilities, data.candidates, *data.truth).value,
      cleaning_average_precision(judged.probabilities, data.candidates, *data.truth).value};
}

namespace {

// How a line about a row begins: its id (where there are any) and its number.
std::string row_start(const Dataset& data, std::size_t row) {
  std::string line;
  if (!data.ids.empty()) {
    append_csv_cell(line, data.ids[row], ',');
    line += ',';
  }
  return line + std::to_string(row) + ',';
}

// One line of a list of cells: row, label, a number, the truth if known.
std::string cell_line(const Dataset& data, std::size_t row, std::size_t label, float number) {
  std::string line = row_start(data, row);
  append_csv_cell(line, data.label_names[label], ',');
  line += ',';
  append_float(line, number);
  if (data.truth) line += data.truth->get(row, label) ? ",1" : ",0";
  return line + "\n";
}

std::string head_line(const Dataset& data, const std::string& number) {
  return std::string(data.ids.empty() ? "" : "id,") + "row,label," + number +
         (data.truth ? ",truth\n" : "\n");
}

}  // namespace

void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file) {
  file.write(head_line(judged.data, "probability"));
  for (const JudgedCandidate& one : ranked)
    file.write(cell_line(judged.data, one.row, one.label, one.probability));
}

void write_probabilities(const Dataset& data, const Matrix& probabilities, OutputStream& file) {
  if (probabilities.cols() == 0)
    throw Error(Failure::Data, "nobody ticked a label, so there is nothing to write", {},
                "check that the ticks were read as you expect");
  PredictionWriter writer(file, {}, data.label_names);
  const LabelMatrix no_decisions(probabilities.rows(), probabilities.cols());
  writer.write(writer.text({0, probabilities, no_decisions, data.ids}), probabilities.rows(),
               !data.ids.empty());
  writer.finish();
}

void write_missing(const Judged& judged, OutputStream& file) {
  file.write(head_line(judged.data, "probability"));
  for (const CellProbability& one : judged.missing())
    file.write(cell_line(judged.data, one.row, one.label, one.probability));
}

void write_questions(const Dataset& data, std::span<const Question> questions, OutputStream& file) {
  file.write(head_line(data, "gain"));
  for (const Question& one : questions)
    file.write(std::isnan(one.gain)
                   ? row_start(data, one.row) + (data.truth ? ",,\n" : ",\n")
                   : cell_line(data, one.row, one.label, static_cast<float>(one.gain)));
}

// Annotators by their votes alone: how they compare, and what to ask next.

std::vector<TickedWrong> wrong_ticks(const Votes& votes, const CandidateScores& probabilities) {
  std::vector<TickedWrong> annotators(votes.annotators().size());
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation)) {
        TickedWrong& one = annotators[votes.annotator(annotation)];
        ++one.ticks;
        one.wrong += 1 - double{probabilities(row, label)};
      }
  return annotators;
}

std::vector<std::size_t> most_wrong_first(std::span<const TickedWrong> annotators) {
  std::vector<std::size_t> order(annotators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t k) { return annotators[k].wrong; });
  return order;
}

AnnotatorComparison compare_annotators(const Dataset& data, std::size_t most, ThreadPool& pool) {
  AnnotatorComparison all;
  all.names_ignored = why_names_are_ignored(*data.votes);
  if (!all.names_ignored.empty()) return all;
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  all.found.annotators = annotator_qualities(model, view, pool);
  all.found.check = check_by_held_out_annotators(model, view, pool);
  all.found.alike.assign(model.alike().begin(), model.alike().end());
  all.found.groups = overlap_of(*data.votes).groups;
  all.ticked =
      wrong_ticks(*data.votes, crowd_candidate_probabilities(model, view, data.candidates, pool));
  all.order = most_wrong_first(all.ticked);
  all.details.resize(std::min(most, all.order.size()));
  pool.for_each(all.details.size(), [&](std::size_t k) {
    all.details[k] = {worst_ticks(model, view, all.order[k]),
                      confusions(model, view, all.order[k])};
  });
  return all;
}

NextQuestions next_questions(const Dataset& data, AskFor what, std::size_t budget,
                             ThreadPool& pool) {
  std::string ignored = why_names_are_ignored(*data.votes);
  if (!ignored.empty()) return {ask_for_overlap(*data.votes, budget), std::move(ignored)};
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  return {ask_next(fit_crowd(view, pool), view, what, budget, pool), {}};
}

}  // namespace sieve
