#include "clean_report.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/table.h"
#include "data/csv/csv_cells.h"
#include "data/text/numbers.h"
#include "format_text.h"
#include "labelsieve/metrics.h"

namespace sieve {
namespace {

std::string suspects_table(const Judged& judged, std::span<const JudgedCandidate> shown) {
  const Dataset& data = judged.data;
  std::vector<std::string> header = {"row", "label", "confidence"};
  if (data.truth) header.push_back("really");
  TextTable table(header, {Align::Right, Align::Left, Align::Right, Align::Left});
  for (const JudgedCandidate& one : shown) {
    std::vector<std::string> row = {std::to_string(one.row),
                                    shortened(data.label_names[one.label], 30),
                                    fmt::format("{:.4f}", one.confidence)};
    if (data.truth) row.push_back(data.truth->get(one.row, one.label) ? "right" : "noise");
    table.add(std::move(row));
  }
  return table.text();
}

std::string labels_table(const Judged& judged, const std::vector<NoiseOfLabel>& labels) {
  std::vector<std::string> header = {"label", "candidates", "estimated noise"};
  if (judged.data.truth) header.push_back("real noise");
  TextTable table(header, {Align::Left, Align::Right, Align::Right, Align::Right});
  for (std::size_t k = 0; k < labels.size(); ++k) {
    std::vector<std::string> row = {shortened(judged.data.label_names[k], 30),
                                    std::to_string(labels[k].candidates),
                                    percent_text(labels[k].estimated)};
    if (judged.data.truth) row.push_back(percent_text(labels[k].real));
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace

std::vector<NoiseOfLabel> noise_of_labels(const Judged& judged) {
  const Dataset& data = judged.data;
  const std::vector<double> estimated = estimated_noise(judged.confidence, data.candidates);
  const std::vector<std::size_t> counts = data.candidates.label_counts();
  std::vector<std::size_t> right(data.labels());
  for (std::size_t i = 0; i < data.rows() && data.truth; ++i)
    data.candidates.for_each(i, [&](std::size_t k) { right[k] += data.truth->get(i, k); });
  std::vector<NoiseOfLabel> rows(data.labels());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k] = {counts[k], estimated[k], NAN};
    if (data.truth && counts[k] != 0) rows[k].real = share_of(counts[k] - right[k], counts[k]);
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

std::optional<CleaningQuality> cleaning_quality(const Judged& judged) {
  const Dataset& data = judged.data;
  if (!data.truth) return std::nullopt;
  return CleaningQuality{
      cleaning_auc(judged.confidence, data.candidates, *data.truth).value,
      cleaning_average_precision(judged.confidence, data.candidates, *data.truth).value};
}

Report report_cleaning(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                       const CleanedLabels& cleaned, std::optional<CleaningQuality> quality,
                       const Arguments& arguments) {
  const Dataset& data = judged.data;
  const std::vector<NoiseOfLabel> labels = noise_of_labels(judged);
  const std::size_t candidates = data.candidates.count();
  const auto shown = std::span(ranked).first(std::min(ranked.size(), arguments.count("top")));
  Report report{.text = fmt::format("{}: {} candidates judged by {}\n"
                                    "estimated noise: {} of the candidates\n"
                                    "{} candidates have a confidence below {}\n",
                                    shape_text(data.shape()), candidates, judged.judge,
                                    percent_text(mean_noise(labels)),
                                    cleaned.removed + cleaned.rescued_rows,
                                    arguments.real("threshold"))};
  std::vector<Json> label_json, suspects;
  for (std::size_t k = 0; k < labels.size(); ++k)
    label_json.push_back(Json::object({{"label", data.label_names[k]},
                                       {"candidates", labels[k].candidates},
                                       {"estimated_noise", labels[k].estimated},
                                       {"real_noise", labels[k].real}}));
  for (const JudgedCandidate& one : shown)
    suspects.push_back(Json::object({{"row", one.row},
                                     {"label", data.label_names[one.label]},
                                     {"confidence", double{one.confidence}}}));
  Json::Members json = {{"judge", judged.judge},
                        {"in_sample", arguments.has("in-sample")},
                        {"candidates", candidates},
                        {"estimated_noise", mean_noise(labels)},
                        {"threshold", arguments.real("threshold")},
                        {"removed", cleaned.removed},
                        {"rescued_rows", cleaned.rescued_rows},
                        {"per_label", Json::array(label_json)},
                        {"suspects", Json::array(suspects)}};
  if (quality) {
    report.text +=
        fmt::format("against the truth: ROC-AUC {}, average precision {}\n",
                    decimal_text(quality->auc), decimal_text(quality->average_precision));
    json.emplace_back("cleaning_auc", quality->auc);
    json.emplace_back("cleaning_average_precision", quality->average_precision);
  }
  report.text += "\n" + labels_table(judged, labels) + "\nmost suspicious (rows count from 0)\n" +
                 suspects_table(judged, shown);
  report.json = Json::object(json);
  return report;
}

void write_suspects(const Judged& judged, const std::vector<JudgedCandidate>& ranked,
                    OutputStream& file) {
  const Dataset& data = judged.data;
  file.write(data.truth ? "row,label,confidence,truth\n" : "row,label,confidence\n");
  for (const JudgedCandidate& one : ranked) {
    std::string line = std::to_string(one.row) + ',';
    append_csv_cell(line, data.label_names[one.label], ',');
    line += ',';
    append_float(line, one.confidence);
    if (data.truth) line += data.truth->get(one.row, one.label) ? ",1" : ",0";
    file.write(line + "\n");
  }
}

}  // namespace sieve
