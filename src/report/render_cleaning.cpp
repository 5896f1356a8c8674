#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/format_text.h"
#include "base/json.h"
#include "base/parse_number.h"
#include "base/table.h"
#include "claims/claim_json.h"
#include "data/csv/csv_cells.h"
#include "data/xlsx/workbook_writer.h"
#include "report/headlines.h"
#include "report/pages.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kAnnotatorsShown = 12;

std::string suspects_table(const Judged& judged, std::span<const JudgedCandidate> shown) {
  const Dataset& data = judged.data;
  std::vector<std::string> header = {"row", "label", "probability"};
  std::vector<Align> align = {Align::Right, Align::Left, Align::Right, Align::Left};
  if (data.truth) header.push_back("really");
  if (!data.ids.empty()) {
    header.insert(header.begin(), "id");
    align.insert(align.begin(), Align::Left);
  }
  TextTable table(header, align);
  for (const JudgedCandidate& one : shown) {
    std::vector<std::string> row = {std::to_string(one.row),
                                    shortened(data.label_names[one.label], 30),
                                    probability_text(double{one.probability})};
    if (data.truth) row.push_back(data.truth->get(one.row, one.label) ? "right" : "noise");
    if (!data.ids.empty()) row.insert(row.begin(), shortened(data.ids[one.row], 30));
    table.add(std::move(row));
  }
  return table.text();
}

std::string labels_table(const Judged& judged, const std::vector<NoiseOfLabel>& labels) {
  std::vector<std::string> header = {"label", "candidates"};
  if (judged.has_intervals()) header.push_back("noise rate");
  if (judged.data.truth) header.push_back("actual noise");
  TextTable table(
      header, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
  for (std::size_t k = 0; k < labels.size(); ++k) {
    std::vector<std::string> row = {shortened(judged.data.label_names[k], 30),
                                    std::to_string(labels[k].candidates)};
    if (judged.has_intervals())
      row.push_back(labels[k].claim ? claim_text(*labels[k].claim)
                                    : "not claimed: " + labels[k].why_none);
    if (judged.data.truth) row.push_back(percent_text(labels[k].real));
    table.add(std::move(row));
  }
  return table.text();
}

// Null where nothing is claimed.
Json value_json(const std::optional<Claim>& claim) {
  return claim ? Json(claim->value) : Json();
}

Json labels_json(const Judged& judged, const std::vector<NoiseOfLabel>& labels) {
  std::vector<Json> rows;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    Json::Members row = {{"label", judged.data.label_names[k]},
                         {"candidates", labels[k].candidates},
                         {"estimated_noise", value_json(labels[k].claim)},
                         {"real_noise", labels[k].real}};
    if (judged.has_intervals()) {
      row.emplace_back("noise_low", labels[k].low);
      row.emplace_back("noise_high", labels[k].high);
      row.emplace_back("noise_claim", labels[k].claim ? json_of(*labels[k].claim) : Json());
    }
    if (!labels[k].claim) row.emplace_back("not_claimed", labels[k].why_none);
    rows.push_back(Json::object(row));
  }
  return Json::array(rows);
}

Json suspects_json(const Judged& judged, std::span<const JudgedCandidate> shown) {
  std::vector<Json> rows;
  for (const JudgedCandidate& one : shown) {
    Json::Members row = {{"row", one.row},
                         {"label", judged.data.label_names[one.label]},
                         {"probability", double{one.probability}}};
    if (!judged.data.ids.empty()) row.emplace(row.begin(), "id", judged.data.ids[one.row]);
    rows.push_back(with_earlier_names(row));
  }
  return Json::array(rows);
}

// Who agrees too much, what could not be compared, and what "right" means.
void render_crowd(const Judged& judged, std::string& text, Json::Members& json) {
  const CrowdFindings& crowd = *judged.crowd;
  const bool consensus = crowd.truth == TruthMeans::Consensus;
  text += consensus ? "right means consensus: most of five further annotators would tick it\n"
                    : "right means expert: learnt from the decided cells\n";
  json.emplace_back("truth_means", consensus ? "consensus" : "expert");
  if (!crowd.alike.empty()) {
    const Rendered alike = render_alike(*judged.data.votes, crowd.alike);
    text += alike.text;
    json.emplace_back("alike", alike.json);
  }
  std::vector<Json> nameless;
  for (const std::size_t l : crowd.nameless_labels) nameless.push_back(judged.data.label_names[l]);
  if (!nameless.empty()) {
    text += fmt::format("names are ignored for {}: too few votes to compare\n",
                        count_text(nameless.size(), "label"));
    json.emplace_back("names_ignored_for", Json::array(nameless));
  }
  if (crowd.groups > 1) {
    text += fmt::format("{} groups of annotators never met: only features compare them\n",
                        crowd.groups);
    json.emplace_back("separate_groups", crowd.groups);
  }
}

std::size_t candidates_below(const Judged& judged, double threshold) {
  std::size_t below = 0;
  for (std::size_t i = 0; i < judged.data.rows(); ++i)
    judged.data.candidates.for_each(
        i, [&](std::size_t k) { below += double{judged.probabilities(i, k)} < threshold ? 1 : 0; });
  return below;
}

// Not to keep labels apart; one of every rescued row would have been removed as well.
std::size_t removed_as_suspects(const Cleaning& cleaning) {
  return cleaning.cleaned.removed + cleaning.cleaned.rescued_rows - cleaning.kept_apart;
}

void render_exclusive(const Cleaning& cleaning, std::string& text, Json::Members& json) {
  constexpr std::size_t kShown = 3;
  if (cleaning.exclusive.empty()) return;
  const auto& names = cleaning.judged.data.label_names;
  std::string shown;
  std::vector<Json> pairs;
  for (const ExclusivePair& pair : cleaning.exclusive) {
    if (pairs.size() < kShown)
      shown += fmt::format("{}{} with {}", shown.empty() ? "" : ", ", names[pair.first],
                           names[pair.second]);
    pairs.push_back(Json::array({names[pair.first], names[pair.second]}));
  }
  if (pairs.size() > kShown) shown += ", ...";
  text += fmt::format("{} of labels {} never ticked together ({}); {} removed to keep them apart\n",
                      count_text(pairs.size(), "pair"), pairs.size() == 1 ? "is" : "are", shown,
                      count_text(cleaning.kept_apart, "label"));
  json.emplace_back("exclusive_labels", Json::array(pairs));
  json.emplace_back("kept_apart", cleaning.kept_apart);
}

}  // namespace

Rendered render_cleaning(const Cleaning& cleaning) {
  const Judged& judged = cleaning.judged;
  const Dataset& data = judged.data;
  const std::vector<NoiseOfLabel> labels = noise_of_labels(judged);
  const std::size_t candidates = data.candidates.count();
  const std::optional<Claim> claim = noise_claim(judged);
  const auto shown =
      std::span(cleaning.ranked).first(std::min(cleaning.ranked.size(), cleaning.top));
  const std::size_t below = candidates_below(judged, cleaning.threshold);
  const std::size_t in_doubt = below - std::min(below, removed_as_suspects(cleaning));
  std::string text = fmt::format(
      "{}: {} candidates judged by {}\n"
      "wrong candidates: {}\n"
      "{} candidates have a probability below {:.3g}{}\n",
      shape_text(data.shape()), candidates, judged.judge,
      claim ? claim_text(*claim) : "not claimed: " + why_no_claim(judged), below,
      cleaning.threshold,
      in_doubt == 0 ? "" : fmt::format("; {} of them are kept: features may miss them", in_doubt));
  if (!judged.names_ignored.empty())
    text += fmt::format("names are ignored: {}{}\n", judged.names_ignored,
                        cleaning.threshold == 0 ? ", so every tick is kept" : "");
  Json::Members json = {{"judge", judged.judge},
                        {"in_sample", cleaning.in_sample},
                        {"candidates", candidates},
                        {"estimated_noise", value_json(claim)},
                        {"threshold", cleaning.threshold},
                        {"removed", cleaning.cleaned.removed},
                        {"rescued_rows", cleaning.cleaned.rescued_rows},
                        {"emptied_rows", cleaning.cleaned.emptied_rows},
                        {"per_label", labels_json(judged, labels)},
                        {"suspects", suspects_json(judged, shown)}};
  if (claim)
    json.emplace_back("noise_claim", json_of(*claim));
  else
    json.emplace_back("not_claimed", why_no_claim(judged));
  if (in_doubt > 0) json.emplace_back("kept_in_doubt", in_doubt);
  if (!judged.names_ignored.empty()) json.emplace_back("names_ignored", judged.names_ignored);
  if (cleaning.quality) {
    const auto [auc, average_precision] = *cleaning.quality;
    text += fmt::format("against the truth: ROC-AUC {}, average precision {}\n", decimal_text(auc),
                        decimal_text(average_precision));
    json.emplace_back("cleaning_auc", auc);
    json.emplace_back("cleaning_average_precision", average_precision);
  }
  Rendered annotators;
  render_exclusive(cleaning, text, json);
  if (judged.crowd) {
    render_crowd(judged, text, json);
    annotators = render_annotators(data, *judged.crowd,
                                   most_wrong_first(wrong_ticks(*data.votes, judged.probabilities)),
                                   kAnnotatorsShown);
    json.emplace_back("annotators", annotators.json);
    json.emplace_back("held_out_error", judged.crowd->check.error);
  }
  if (judged.crowd || cleaning.missing) {
    json.emplace_back("missing_labels", judged.missing().size());
    text += missing_sentence(judged.missing().size()) + "\n";
  }
  if (!annotators.text.empty()) annotators.text.insert(0, "\n");
  return {text + "\n" + labels_table(judged, labels) + annotators.text +
              "\nmost suspicious (rows count from 0)\n" + suspects_table(judged, shown),
          with_earlier_names(json)};
}

namespace {

using Take = std::function<void(std::string name, std::string value)>;

// A number with as many digits as a sheet keeps and a reader needs.
std::string cell_of(const JsonValue& value) {
  const auto number = value.text() ? std::nullopt : parse_number<double>(value.plain());
  return number ? fmt::format("{:.9g}", *number) : value.plain();
}

void flatten(const JsonValue& object, const std::string& prefix, const Take& take) {
  object.for_members([&](std::string_view key, const JsonValue& value) {
    const std::string name = prefix + std::string(key);
    if (value.is_object())
      flatten(value, name + ".", take);
    else if (!value.is_array())
      take(name, cell_of(value));
  });
}

void append_line(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k != 0) text += ',';
    if (!cells[k].empty()) append_csv_cell(text, cells[k], ',');
  }
  text += '\n';
}

// A list of objects in a JSON object, under that key, as CSV: a line each, with a column for each
// member of the first, and members of members as "outer.inner". "" if there is none.
std::string json_table(const std::string& json, std::string_view key) {
  JsonParser parser;
  const auto list = parser.parse(json, {}).find(key);
  if (!list) return {};
  std::map<std::string, std::size_t> column_of;
  std::string text;
  list->for_each([&](const JsonValue& row) {
    if (column_of.empty()) {
      std::vector<std::string> names;
      flatten(row, "", [&](std::string name, const std::string&) {
        column_of.emplace(name, names.size());
        names.push_back(std::move(name));
      });
      append_line(text, names);
    }
    std::vector<std::string> cells(column_of.size());
    flatten(row, "", [&](const std::string& name, std::string value) {
      if (const auto found = column_of.find(name); found != column_of.end())
        cells[found->second] = std::move(value);
    });
    append_line(text, cells);
  });
  return text;
}

}  // namespace

void write_cleaning_workbook(const Cleaned& cleaned, const Json& json, const WriteOptions& options,
                             const TableWriting& table, OutputStream& out) {
  WorkbookWriter book;
  add_data_sheet(book, "labels", cleaned.judged.data, options, table);
  if (!cleaned.suspects.empty())
    book.add_sheet("suspects", [&](OutputStream& sheet) {
      write_suspects(cleaned.judged, cleaned.suspects, sheet);
    });
  for (const auto& [name, key] : {std::pair{"annotators", "annotators"}, {"claims", "per_label"}})
    if (const std::string cells = json_table(json.text(), key); !cells.empty())
      book.add_sheet(name, [&](OutputStream& sheet) { sheet.write(cells); });
  book.finish(out);
}

}  // namespace sieve
