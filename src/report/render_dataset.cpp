#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kLabelsShown = 20, kAnnotatorsShown = 10;

bool is_clean(const DatasetSummary& s) {
  return s.noise && s.noise->noise_share == 0 && s.noise->truth_outside == 0;
}

// The figures that papers print, in a line.
std::string agreement_facts(const Agreement& agreement) {
  if (!agreement.why.empty()) return "not measured: " + agreement.why;
  const auto value = [](const AgreementFigure& figure) {
    return figure.value ? fmt::format("{:.2f}", *figure.value) : "undefined";
  };
  return fmt::format("{} over label sets (MASI), {} per label on average (kappa {}, AC1 {})",
                     value(agreement.masi_alpha), value(agreement.labels_mean.alpha),
                     value(agreement.labels_mean.kappa), value(agreement.labels_mean.ac1));
}

Json agreement_json(const Agreement& agreement) {
  const auto value = [](const AgreementFigure& figure) {
    return figure.value ? Json(*figure.value) : Json();
  };
  return Json::object({{"why", agreement.why},
                       {"masi_alpha", value(agreement.masi_alpha)},
                       {"alpha", value(agreement.labels_mean.alpha)},
                       {"kappa", value(agreement.labels_mean.kappa)},
                       {"ac1", value(agreement.labels_mean.ac1)},
                       {"pairwise", value(agreement.labels_mean.pairwise)}});
}

std::string facts(const DatasetSummary& s, const Agreement* agreement) {
  std::string out;
  const auto line = [&](const std::string& name, const std::string& value) {
    out += fmt::format("{:<14}{}\n", name, value);
  };
  if (s.features == 0)
    line("features", "none");
  else
    line("features", fmt::format("{}, {} not zero, {} in memory", s.sparse ? "sparse" : "dense",
                                 percent_text(s.filled_share), bytes_text(s.feature_bytes)));
  line("labels", bytes_text(s.label_bytes) + " in memory");
  line("candidates",
       fmt::format("{} per row, density {:.3f}, {}", decimal_text(s.candidates_per_row), s.density,
                   count_text(s.label_sets, "distinct label set")));
  if (!s.noise) {
    line("truth", "not known");
  } else if (is_clean(s)) {
    line("truth", "equal to the candidates");
  } else {
    const std::size_t outside = s.noise->truth_outside;
    line("truth", fmt::format("{} per row, {} of them outside the candidates",
                              decimal_text(s.noise->truth_per_row),
                              outside == 0 ? "none" : std::to_string(outside)));
    line("noise",
         fmt::format("{} per row, {} of the candidates, in {} of the rows",
                     decimal_text(s.noise->noise_per_row), percent_text(s.noise->noise_share),
                     percent_text(s.noise->noisy_rows_share)));
  }
  if (s.has_ids) line("ids", "one per row");
  if (s.votes) {
    const VoteSummary& v = *s.votes;
    line("annotators", std::to_string(v.annotators.size()));
    line("annotations",
         fmt::format("{} ({} per row, {} to {}), {} ticks each, {} without a tick", v.annotations,
                     decimal_text(share_of(v.annotations, s.rows)), v.fewest_annotations,
                     v.most_annotations, decimal_text(share_of(v.ticks, v.annotations)),
                     v.empty_annotations));
    if (v.unsure != 0)
      line("unsure",
           fmt::format("{}, which count as neither yes nor no", count_text(v.unsure, "vote")));
    if (const auto programs = std::ranges::count_if(v.annotators, &AnnotatorSummary::program))
      line("programs", fmt::format("{} of the annotators", programs));
    line("agreement",
         std::isnan(v.agreement)
             ? "not known"
             : fmt::format("{} of the others ticked the same; {} in {}", percent_text(v.agreement),
                           count_text(v.ties, "tie"), count_text(v.tied_rows, "row")));
  }
  if (agreement != nullptr) line("alpha", agreement_facts(*agreement));
  return out;
}

// Labels by frequency, the most frequent first.
std::vector<LabelSummary> sorted_labels(const DatasetSummary& s) {
  std::vector<LabelSummary> labels = s.per_label;
  std::ranges::stable_sort(labels, std::ranges::greater{}, &LabelSummary::candidates);
  return labels;
}

std::string rest_line(const std::vector<LabelSummary>& labels, std::size_t shown) {
  if (labels.size() <= shown) return {};
  std::size_t rows = 0;
  for (std::size_t k = shown; k < labels.size(); ++k) rows += labels[k].candidates;
  return fmt::format("... and {} more labels, on {} to {} rows, {} on average\n",
                     labels.size() - shown, labels.back().candidates, labels[shown].candidates,
                     decimal_text(share_of(rows, labels.size() - shown)));
}

struct ChartWidths {
  std::size_t name, bar;
};

// Names get up to a third of the line, the bars what the numbers leave; numbers are never cut.
ChartWidths chart_widths(std::span<const LabelSummary> labels, std::size_t width, bool noisy) {
  const std::size_t most = std::max<std::size_t>(8, width / 3);
  std::size_t widest = 5;
  for (const LabelSummary& label : labels) widest = std::max(widest, display_width(label.name));
  const std::size_t name = std::min(widest, most);
  const std::size_t taken = name + (noisy ? 38 : 20);
  return {name, width > taken ? std::min<std::size_t>(width - taken, 60) : 0};
}

std::string label_chart(const DatasetSummary& s, std::size_t width) {
  const std::vector<LabelSummary> labels = sorted_labels(s);
  if (labels.empty()) return {};
  const std::size_t shown = std::min(kLabelsShown, labels.size());
  const bool noisy = s.noise && !is_clean(s);
  const ChartWidths widths = chart_widths({labels.data(), shown}, width, noisy);
  const std::size_t most = std::max<std::size_t>(1, labels.front().candidates);

  std::vector<std::string> header = {"label", "rows", "share", ""};
  std::vector<Align> align = {Align::Left, Align::Right, Align::Right, Align::Left};
  if (noisy) {
    header.insert(header.end() - 1, {"true", "noise"});
    align.insert(align.end() - 1, 2, Align::Right);
  }
  TextTable table(header, align);
  for (const LabelSummary& label : std::span(labels).first(shown)) {
    std::vector<std::string> row = {shortened(label.name, widths.name),
                                    std::to_string(label.candidates),
                                    percent_text(share_of(label.candidates, s.rows))};
    if (noisy) {
      row.push_back(std::to_string(label.truth));
      row.push_back(percent_text(share_of(label.noise, label.candidates)));
    }
    row.push_back(bar(share_of(label.candidates, most), widths.bar));
    table.add(std::move(row));
  }
  return table.text() + rest_line(labels, shown);
}

// Those who looked most, the most industrious first.
std::string annotators_table(const VoteSummary& votes) {
  std::vector<AnnotatorSummary> annotators = votes.annotators;
  std::ranges::stable_sort(annotators, std::ranges::greater{}, &AnnotatorSummary::annotations);
  const std::size_t shown = std::min(kAnnotatorsShown, annotators.size());
  TextTable table({"annotator", "rows", "ticks per row", "agreement"},
                  {Align::Left, Align::Right, Align::Right, Align::Right});
  for (const AnnotatorSummary& annotator : std::span(annotators).first(shown))
    table.add({shortened(annotator.name, 30), std::to_string(annotator.annotations),
               decimal_text(share_of(annotator.ticks, annotator.annotations)),
               std::isnan(annotator.agreement) ? "-" : percent_text(annotator.agreement)});
  std::string text = "\n" + table.text();
  if (shown < annotators.size())
    text +=
        fmt::format("... and {} more annotators, with {} to {} rows\n", annotators.size() - shown,
                    annotators.back().annotations, annotators[shown].annotations);
  return text;
}

Json votes_json(const VoteSummary& v) {
  std::vector<Json> annotators;
  for (const AnnotatorSummary& annotator : v.annotators)
    annotators.push_back(with_earlier_names({{"name", annotator.name},
                                             {"annotations", annotator.annotations},
                                             {"ticks", annotator.ticks},
                                             {"unsure", annotator.unsure},
                                             {"program", annotator.program},
                                             {"agreement", annotator.agreement}}));
  return with_earlier_names({{"annotations", v.annotations},
                             {"ticks", v.ticks},
                             {"unsure", v.unsure},
                             {"empty_annotations", v.empty_annotations},
                             {"agreement", v.agreement},
                             {"fewest_annotations", v.fewest_annotations},
                             {"most_annotations", v.most_annotations},
                             {"unseen_rows", v.unseen_rows},
                             {"rows_seen_once", v.rows_seen_once},
                             {"ties", v.ties},
                             {"tied_rows", v.tied_rows},
                             {"annotators", Json::array(annotators)}});
}

Json summary_json(const DatasetSummary& s, const std::vector<std::string>& warnings,
                  const Agreement* agreement) {
  std::vector<Json> labels;
  for (const LabelSummary& label : s.per_label)
    labels.push_back(Json::object(
        {{"name", label.name},
         {"candidates", label.candidates},
         {"truth", s.noise ? Json(label.truth) : Json()},
         {"noise_share", s.noise ? Json(share_of(label.noise, label.candidates)) : Json()}}));
  return Json::object({{"rows", s.rows},
                       {"features", s.features},
                       {"labels", s.labels},
                       {"sparse", s.sparse},
                       {"filled_share", s.filled_share},
                       {"feature_bytes", s.feature_bytes},
                       {"label_bytes", s.label_bytes},
                       {"candidates_per_row", s.candidates_per_row},
                       {"density", s.density},
                       {"label_sets", s.label_sets},
                       {"noise", s.noise ? noise_json(*s.noise) : Json()},
                       {"constant_features", s.constant_features},
                       {"duplicate_rows", s.duplicate_rows},
                       {"rows_without_candidates", s.rows_without_candidates},
                       {"rows_with_all", s.rows_with_all},
                       {"rows_without_truth", s.rows_without_truth},
                       {"ids", s.has_ids},
                       {"votes", s.votes ? votes_json(*s.votes) : Json()},
                       {"agreement", agreement != nullptr ? agreement_json(*agreement) : Json()},
                       {"per_label", Json::array(labels)},
                       {"warnings", json_strings(warnings)}});
}

}  // namespace

Json noise_json(const LabelNoise& noise) {
  return Json::object({{"candidates_per_row", noise.candidates_per_row},
                       {"truth_per_row", noise.truth_per_row},
                       {"noise_per_row", noise.noise_per_row},
                       {"noise_share", noise.noise_share},
                       {"noisy_rows_share", noise.noisy_rows_share},
                       {"truth_outside", noise.truth_outside}});
}

Rendered render_dataset(const DatasetSummary& summary, const std::vector<std::string>& warnings,
                        std::size_t width, const Agreement* agreement) {
  return {facts(summary, agreement) + "\n" + label_chart(summary, width) +
              (summary.votes ? annotators_table(*summary.votes) : ""),
          summary_json(summary, warnings, agreement)};
}

}  // namespace sieve
