#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "data/recipe/table.h"
#include "labelsieve/dataset.h"
#include "labelsieve/metrics.h"
#include "labelsieve/options.h"
#include "metrics/measuring.h"
#include "report/annotators_page.h"
#include "report/charts.h"
#include "report/html_page.h"
#include "report/pages.h"
#include "report/training_figures.h"

namespace sieve {
namespace {

// The file without its folders, which are among the facts.
std::string name_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.empty() ? path : name;
}

std::string title_of_method(const std::string& name) {
  const MethodInfo* method = find_method(name);
  return method != nullptr ? method->title : name;
}

// A part of the data may have been held out when it was trained.
std::size_t rows_seen(const TrainingRun& run) {
  return run.model.choices.rows.value_or(run.trained.data.rows());
}

std::string rows_text(const TrainingRun& run) {
  const std::size_t all = run.trained.data.rows(), seen = rows_seen(run);
  return seen == all ? std::to_string(all) : fmt::format("{}, {} of them trained on", all, seen);
}

// ---- what went in -------------------------------------------------------------------------------

std::vector<std::pair<std::string, std::string>> facts_of(const TrainingRun& run,
                                                          const DatasetSummary& s) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Data", run.data_path},
      {"Rows", rows_text(run)},
      {"Features", fmt::format("{}, {}, {} not zero", s.features, s.sparse ? "sparse" : "dense",
                               percent_text(s.filled_share))},
      {"Labels", std::to_string(s.labels)},
      {"Candidates", fmt::format("{} per row, {} distinct sets", decimal_text(s.candidates_per_row),
                                 s.label_sets)}};
  if (s.noise)
    facts.emplace_back(
        "Truth",
        fmt::format("{} labels per row; {} of the candidates are noise, in {} of the rows",
                    decimal_text(s.noise->truth_per_row), percent_text(s.noise->noise_share),
                    percent_text(s.noise->noisy_rows_share)));
  else
    facts.emplace_back("Truth", "not known");
  facts.emplace_back("Model", run.model_path);
  facts.emplace_back("Method", title_of_method(run.model.method));
  return facts;
}

BarChart label_bars(const DatasetSummary& s) {
  constexpr std::size_t kShown = 15;
  std::vector<LabelSummary> labels = s.per_label;
  std::ranges::stable_sort(labels, std::ranges::greater{}, &LabelSummary::candidates);
  BarChart chart{.title = "Candidates by label",
                 .note = labels.size() > kShown
                             ? fmt::format("the {} most frequent of {}", kShown, labels.size())
                             : "the most frequent first",
                 .x_title = "rows",
                 .parts = {"right", "noise"},
                 .rows = {}};
  if (!s.noise) chart.parts = {"rows"};
  for (std::size_t k = 0; k < std::min(kShown, labels.size()); ++k) {
    const auto all = static_cast<double>(labels[k].candidates);
    const auto noise = static_cast<double>(labels[k].noise);
    chart.rows.push_back({labels[k].name, s.noise ? std::vector<double>{all - noise, noise}
                                                  : std::vector<double>{all}});
  }
  return chart;
}

void count_row(Series& series, std::size_t labels, std::size_t rows) {
  while (series.y.size() <= labels) {
    series.x.push_back(static_cast<double>(series.y.size()));
    series.y.push_back(0);
  }
  series.y[labels] += 100 / static_cast<double>(rows);
}

LinePlot labels_per_row(const Dataset& data) {
  Series candidates{.name = "candidates", .colour = 1, .x = {}, .y = {}};
  Series truth{.name = "true", .colour = 0, .x = {}, .y = {}};
  for (std::size_t i = 0; i < data.rows(); ++i) {
    count_row(candidates, data.candidates.count(i), data.rows());
    if (data.truth) count_row(truth, data.truth->count(i), data.rows());
  }
  return {.title = "Labels per row",
          .note = "per cent of the rows",
          .x_title = "labels",
          .series = {std::move(candidates), std::move(truth)},
          .points = true};
}

Element settings_table(const std::string& caption, const char* what,
                       const std::map<std::string, std::string>& values) {
  HtmlTable table{caption, {{what}, {"value"}}, {}};
  for (const auto& [key, value] : values) table.rows.push_back({text_cell(key), text_cell(value)});
  return draw(table);
}

void add_input(HtmlPage& page, const TrainingRun& run, const DatasetSummary& summary) {
  page.begin_section("What went in");
  page.add_figures({fact_list(facts_of(run, summary)), draw(label_bars(summary)),
                    draw(labels_per_row(run.trained.data))});
  const std::vector<std::string> warnings = warnings_of(summary);
  if (!warnings.empty()) {
    page.add(with_text("h3", "Worth a look"));
    page.add(bullet_list(warnings));
  }
  page.add_details("Options of the method and choices made",
                   {settings_table("Options", "option", run.model.options),
                    settings_table("Choices and records", "note", run.model.display_notes())});
}

// ---- how good it is -----------------------------------------------------------------------------

HtmlTable measure_table(const TrainingRun& run) {
  const LabelMatrix& truth = *run.measured().truth;
  const bool noisy = !(run.measured().candidates == truth);
  HtmlTable table{"Measures against the truth", {{"Measure"}, {"Model", true}}, {}};
  std::vector<NamedMeasure> believed;
  if (noisy) {
    table.columns.push_back({"Candidates", true, "if every candidate were believed"});
    believed = evaluate(truth, {.decisions = &run.measured().candidates});
  }
  for (const auto& [metric, result] :
       evaluate(truth, {.scores = &run.scores, .decisions = &run.decisions})) {
    const char* better = metric.better == Direction::HigherIsBetter ? "\u00a0↑" : "\u00a0↓";
    std::vector<HtmlCell> row = {text_cell(metric.title + better), number_cell(result.value)};
    const auto same = std::ranges::find(believed, metric.key,
                                        [](const NamedMeasure& one) { return one.metric.key; });
    if (noisy) row.push_back(same == believed.end() ? HtmlCell{} : number_cell(same->result.value));
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool are_probabilities(const Matrix& scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (const float score : scores.row(i))
      if (!(score >= 0 && score <= 1)) return false;
  return true;
}

std::vector<Element> calibration_figures(const TrainingRun& run) {
  std::vector<Element> figures;
  if (are_probabilities(run.scores)) {
    Calibration scores;
    for (std::size_t i = 0; i < run.scores.rows(); ++i)
      for (std::size_t k = 0; k < run.scores.cols(); ++k)
        scores.add(double{run.scores(i, k)}, run.measured().truth->get(i, k));
    figures.push_back(draw(calibration_plot(scores, "Are the scores calibrated?")));
  }
  if (const auto& truth = run.trained.data.truth) {
    Calibration probabilities;
    for (std::size_t i = 0; i < truth->rows(); ++i)
      run.trained.data.candidates.for_each(i, [&](std::size_t k) {
        probabilities.add(double{run.trained.probabilities(i, k)}, truth->get(i, k));
      });
    figures.push_back(draw(calibration_plot(probabilities, "Are the confidences calibrated?")));
  }
  return figures;
}

HtmlTable quality_table(const TrainingRun& run) {
  const LabelMatrix& truth = *run.measured().truth;
  HtmlTable table{"How well each label is found", {{"Label"}}, {}};
  for (const char* title : {"True", "Decided", "Precision", "Recall", "F1", "AUC"})
    table.columns.push_back({title, true});
  const std::vector<double> auc = label_auc(run.scores, truth);
  const std::vector<LabelMeasures> counts = count_labels(truth, &run.decisions);
  for (std::size_t k = 0; k < counts.size(); ++k)
    table.rows.push_back({text_cell(run.measured().label_names[k]), count_cell(counts[k].truth),
                          count_cell(counts[k].decided), number_cell(counts[k].precision()),
                          number_cell(counts[k].recall()), number_cell(counts[k].f1()),
                          number_cell(auc[k])});
  return table;
}

std::string measured_text(const TrainingRun& run) {
  const std::size_t rows = run.measured().rows(), seen = rows_seen(run);
  if (run.test)
    return fmt::format("On {} that the training has not seen.", count_text(rows, "row"));
  if (seen == rows)
    return fmt::format("On the {} of the training, from which the truth was hidden.",
                       count_text(rows, "row"));
  return fmt::format(
      "On the {} of the data; the training has seen {} of them, but not their truth.",
      count_text(rows, "row"), seen);
}

void add_certainty(HtmlPage& page, const TrainingRun& run) {
  page.begin_section("How sure we are");
  if (run.trained.crowd && !run.measured().truth) {
    page.add_paragraph(
        "Without any truth: one annotator at a time is left out, and what they tick is predicted "
        "from what the others ticked. On the diagonal, the predictions are right.");
    page.add_figures({draw(held_out_plot(run.trained.crowd->check))});
  }
  if (!run.measured().truth) {
    page.add_paragraph(
        "The true labels of these rows are not known, so nothing can be measured against them. "
        "Give a set with the truth with " +
        term("test") + ", or the truth of this data with " + term("truth") + ".");
    return;
  }
  page.add(with_text("h3", "Against the truth"));
  page.add_paragraph(measured_text(run));
  std::vector<Element> shown = {draw(measure_table(run))};
  for (Element& figure : calibration_figures(run)) shown.push_back(std::move(figure));
  page.add_figures(shown);
  page.add(draw(quality_table(run)));
}

// ---- labels -------------------------------------------------------------------------------------

// Without intervals, what the model did is shown, and nothing claimed.
HtmlCell noise_cell(const NoiseOfLabel& label, bool intervals) {
  if (label.claim) return claim_cell(*label.claim);
  if (!intervals && label.candidates > 0) return percent_cell(label.estimated);
  return text_cell("not claimed: " + label.why_none);
}

// The noisiest first.
HtmlTable noise_table(const TrainingRun& run, const std::vector<NoiseOfLabel>& noise) {
  HtmlTable table{"Labels by noise",
                  {{"Label"},
                   {"Ticked", true, "rows"},
                   {run.trained.has_intervals() ? "Noise rate" : "Taken for noise", true,
                    "wrong ticks among those of the label", true}},
                  {}};
  if (run.trained.data.truth) table.columns.push_back({"Actual noise", true, "", true});
  std::vector<std::size_t> order(noise.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto share = [&](std::size_t k) {
    const bool known = noise[k].claim || !run.trained.has_intervals();
    return noise[k].candidates == 0 || !known ? -1 : noise[k].estimated;
  };
  std::ranges::stable_sort(order, std::greater{}, share);
  for (const std::size_t k : order) {
    std::vector<HtmlCell> row = {text_cell(run.trained.data.label_names[k]),
                                 count_cell(noise[k].candidates),
                                 noise_cell(noise[k], run.trained.has_intervals())};
    if (run.trained.data.truth) row.push_back(percent_cell(noise[k].real));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ScatterPlot noise_scatter(const TrainingRun& run, const std::vector<NoiseOfLabel>& noise) {
  ScatterPlot plot{.title = "Estimated and actual noise",
                   .note = "one point per label; actual noise upwards",
                   .x_title = "estimated",
                   .y_title = "actual",
                   .points = {},
                   .unit_square = true};
  for (std::size_t k = 0; k < noise.size(); ++k)
    if (noise[k].claim || !run.trained.has_intervals())
      plot.points.push_back(
          {run.trained.data.label_names[k], noise[k].estimated, noise[k].real, 0});
  return plot;
}

std::string noise_text(const Judged& judged) {
  if (judged.crowd)
    return "The share of each label's ticks that are wrong. It is a guess: on crowds with a known "
           "truth, such ranges held about nine times out of ten. An audit measures it.";
  if (judged.union_findings)
    return "The share of each label's ticks that are wrong. It is a guess, and wide: systematic "
           "mistakes look like real labels. An audit measures it.";
  return "The share of each label's candidates that the model takes for noise. It has seen these "
         "rows, so nothing is claimed. An audit measures how many are wrong.";
}

void add_labels(HtmlPage& page, const TrainingRun& run) {
  const std::vector<NoiseOfLabel> noise = noise_of_labels(run.trained);
  page.begin_section("Which labels are noisy", noise_text(run.trained));
  if (run.trained.data.truth)
    page.add_figures({draw(noise_table(run, noise)), draw(noise_scatter(run, noise))});
  else
    page.add(draw(noise_table(run, noise)));
}

// ---- people -------------------------------------------------------------------------------------

void add_annotators(HtmlPage& page, const Judged& judged) {
  if (!judged.crowd) return;
  page.begin_section("Whom to trust",
                     "Learnt from rows that several annotators share. One with few rows is "
                     "taken for an average annotator.");
  const std::vector<TickedWrong> ticked = wrong_ticks(*judged.data.votes, judged.probabilities);
  page.add(draw(annotators_table(*judged.data.votes, *judged.crowd, ticked)));
  page.add_figures({draw(annotators_plot(*judged.data.votes, *judged.crowd, ticked))});
}

// ---- suspects -----------------------------------------------------------------------------------

// What a row says in the columns of text that the model learnt from.
class RowWords {
 public:
  explicit RowWords(const Dataset& data) {
    if (!data.cells || !data.recipe) return;
    for (const RecipeColumn& column : data.recipe->columns)
      if (column.kind == RecipeColumn::Kind::Text) names_.insert(column.name);
    if (names_.empty()) return;
    table_ = data.cells.get();
    by_row_.emplace(table_->texts, table_->rows());
  }
  explicit operator bool() const { return table_ != nullptr; }
  std::string of(std::size_t row) const {
    constexpr std::size_t kMost = 240;
    std::string words;
    by_row_->for_each(row, [&](const CellTexts::Cell& cell, std::string_view text) {
      if (!names_.contains(table_->names[cell.column])) return;
      words.append(words.empty() ? "" : " \u00b7 ").append(text.substr(0, kMost + 1));
    });
    return excerpt(std::move(words), kMost);
  }

 private:
  std::set<std::string> names_;
  const RawTable* table_ = nullptr;
  std::optional<CellTexts::ByRow> by_row_;
};

void add_suspects(HtmlPage& page, const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                  std::size_t top) {
  const Dataset& data = judged.data;
  const bool seen = !judged.has_intervals(), ids = !data.ids.empty();
  const RowWords words(data);
  page.begin_section(
      "Ticks to look at",
      "Those least likely right come first. " +
          (seen ? "They are judged by the model, which has seen these rows and may "
                  "trust them too much; " +
                      term("clean") + " judges every row by a model that has not seen it."
                : "They are judged by " + judged.judge + ".") +
          (ids ? "" : " Rows count from 0."));
  HtmlTable table{"Ticks by probability",
                  {ids ? HtmlColumn{"Id"} : HtmlColumn{"Row", true},
                   {words ? "Label and text" : "Label"},
                   {"Probability", true}},
                  {}};
  if (data.truth) table.columns.push_back({"Actually"});
  for (const JudgedCandidate& one : ranked) {
    if (table.rows.size() == top) break;
    HtmlCell label = text_cell(data.label_names[one.label]);
    if (words) label.note = words.of(one.row);
    std::vector<HtmlCell> row = {ids ? text_cell(data.ids[one.row]) : count_cell(one.row),
                                 std::move(label), probability_cell(double{one.probability})};
    if (data.truth)
      row.push_back(text_cell(data.truth->get(one.row, one.label) ? "right" : "noise"));
    table.rows.push_back(std::move(row));
  }
  page.add(draw(table));
  if (!judged.missing().empty())
    page.add_paragraph(missing_sentence(judged.missing().size()) + ".");
}

// ---- how it learnt ------------------------------------------------------------------------------

void add_curves(HtmlPage& page, const TrainingRun& run) {
  if (run.history.empty()) return;
  page.begin_section("How it learnt",
                     "One point per epoch: the mean over the networks still training.");
  std::vector<Element> content;
  for (std::size_t i = 0; i < run.history.size(); ++i) {
    const EpochHistory& stage = run.history[i];
    if (run.history.size() > 1)
      content.push_back(
          with_text("h3", fmt::format("Stage {}, {}", i + 1, count_text(stage.epochs, "epoch"))));
    std::vector<Element> figures;
    for (const LinePlot& plot : learning_curves(stage)) figures.push_back(draw(plot));
    content.push_back(figure_grid(figures));
  }
  page.add_details("Learning curves", content);
}

}  // namespace

std::string training_page(const TrainingRun& run, std::size_t top) {
  const DatasetSummary summary = summarise(run.trained.data);
  const auto ranked =
      ranked_candidates(run.trained.probabilities, run.trained.data.candidates, top);
  HtmlPage page("Training report",
                fmt::format("{} on {}", title_of_method(run.model.method), name_of(run.data_path)),
                fmt::format("{} rows, {} labels, {} candidates per row.", rows_text(run),
                            summary.labels, decimal_text(summary.candidates_per_row)));
  page.add_headlines(headlines_about(run.trained));
  add_labels(page, run);
  add_suspects(page, run.trained, ranked, top);
  add_annotators(page, run.trained);
  add_certainty(page, run);
  add_input(page, run, summary);
  add_curves(page, run);
  return page.text();
}

}  // namespace sieve
