#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/named_rows.h"
#include "claims/answered_lines.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/annotation_records.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

const ColumnNames kValueNames = {"true", "truth", "value", "gold", "decision", "answer"};

// Nothing where an audit's list has no answer, or "cannot tell".
std::optional<bool> decided(const AnsweredLine& line, bool of_audit) {
  const AuditAnswer answer = answer_in(line);
  if (answer == AuditAnswer::Right || answer == AuditAnswer::Wrong)
    return answer == AuditAnswer::Right;
  if (of_audit) return std::nullopt;
  throw Error(Failure::Data, "'" + line.answer + "' is not a decision", line.place,
              "write 1 where the label is right and 0 where it is not");
}

}  // namespace

// Of an audit, second answers only measure reviewers, and third ones settle.
std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data) {
  AnsweredLines lines(path, kValueNames, FileSystem::real());
  const CellNames names(data);
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> cells, settled;
  AnsweredLine line;
  while (lines.next(line)) {
    if (lines.of_audit() && line.pass == "2") continue;
    const auto at = std::pair(static_cast<std::uint32_t>(names.row(line)),
                              static_cast<std::uint32_t>(names.label(line)));
    const std::optional<bool> on = decided(line, lines.of_audit());
    if (!on) continue;
    auto& into = lines.of_audit() && line.pass == "3" ? settled : cells;
    if (const auto before = into.emplace(at, *on); before.first->second != *on)
      throw Error(Failure::Data, "this cell is decided twice, in two ways", line.place);
  }
  for (const auto& [at, on] : settled) cells[at] = on;
  std::vector<GoldCell> gold;
  for (const auto& [at, on] : cells) gold.push_back({at.first, at.second, on});
  return gold;
}

namespace {

// Columns of labels that are there are none of the features.
Dataset rows_as(const std::vector<std::string>& paths, const Dataset& data, ReadOptions options) {
  options.labels = {};
  options.labels.optional = true;
  options.label_file.clear();
  options.known_features = data.feature_names;
  options.recipe = data.recipe;
  Dataset rows = read_dataset(paths, options);
  if (!options.recipe && rows.recipe)
    throw Error(Failure::Data, "the rows with labels are numbers alone, and this table is not",
                {paths.front(), 0, 0}, "leave other columns out with " + term("table.ignore"));
  return rows;
}

// With the sentences about them where there is a tally of values.
std::shared_ptr<const Features> matched(const Dataset& rows, const Dataset& data,
                                        const RecipeTally& tally, std::vector<std::string>* notes) {
  ModelState expected;
  expected.features = data.features.cols();
  expected.feature_names = data.feature_names;
  if (rows.features.rows() == 0)
    throw Error(Failure::Data, "the rows without labels have no features", {rows.name, 0, 0});
  try {
    FeatureMatch match = match_features(expected, rows.features, rows.feature_names);
    match.missing = tally.missing;
    match.unseen = tally.unseen;
    if (notes != nullptr)
      for (const std::string& note : notes_on(match))
        notes->push_back("rows without labels: " + note);
    return std::make_shared<const Features>(matched_features(match, expected, rows.features));
  } catch (const Error& error) {
    throw Error(error.kind(), "rows without labels: " + error.message(), {rows.name, 0, 0},
                "they need the same columns as those with labels");
  }
}

}  // namespace

std::shared_ptr<const Features> unlabelled_rows(const Dataset& rows, const Dataset& data,
                                                std::vector<std::string>* notes) {
  return matched(rows, data, {}, notes);
}

std::shared_ptr<const Features> read_unlabelled(const std::vector<std::string>& paths,
                                                const Dataset& data, ReadOptions options) {
  RecipeTally tally;
  options.tally = &tally;
  return matched(rows_as(paths, data, options), data, tally, options.notes);
}

namespace {

Matrix narrowed(const MatrixD& wide) {
  Matrix narrow(wide.rows(), wide.cols());
  for (std::size_t i = 0; i < wide.rows(); ++i)
    std::ranges::transform(wide.row(i), narrow.row(i).begin(),
                           [](double value) { return static_cast<float>(value); });
  return narrow;
}

// Whether the file is a list of cells: it then has a column of labels and one of probabilities
// ("confidence" in earlier versions).
bool is_list(const AnnotationRecords& records) {
  return records.column("label") != AnnotationRecords::npos &&
         (records.column("confidence") != AnnotationRecords::npos ||
          records.column("probability") != AnnotationRecords::npos);
}

float number_in(std::string_view cell, const Place& place) {
  float value = -1;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !(value >= 0 && value <= 1))
    throw Error(Failure::Data, "'" + std::string(cell) + "' is not a number from 0 to 1", place);
  return value;
}

CandidateScores read_list(AnnotationRecords& records, const Dataset& data) {
  const std::size_t item = records.column(data.ids.empty() ? "row" : "id");
  const std::size_t label = records.column("label");
  std::size_t number = records.column("confidence");
  if (number == AnnotationRecords::npos) number = records.column("probability");
  std::unordered_map<std::string, std::size_t> rows, labels;
  for (std::size_t i = 0; i < data.rows(); ++i)
    rows.emplace(data.ids.empty() ? std::to_string(i) : data.ids[i], i);
  for (std::size_t k = 0; k < data.labels(); ++k) labels.emplace(data.label_names[k], k);
  Matrix all(data.rows(), data.labels());
  for (std::size_t i = 0; i < data.rows(); ++i) std::ranges::fill(all.row(i), 0.5F);
  while (records.next()) {
    const std::string row(records.cell(item)), name(records.cell(label));
    const auto r = rows.find(row);
    if (r == rows.end())
      throw Error(Failure::Data, "there is no row '" + row + "'", records.place(),
                  "the probabilities must be about the rows of the data");
    const auto l = labels.find(name);
    if (l == labels.end())
      throw Error(Failure::Data, "there is no label '" + name + "'", records.place(),
                  did_you_mean(name, data.label_names, "the labels must be those of the data"));
    all(r->second, l->second) = number_in(records.cell(number), records.place());
  }
  return {all, data.candidates.share()};
}

}  // namespace

ProbabilityFile read_probability_file(const std::string& path, const Dataset& data) {
  {
    AnnotationRecords records(open_unpacked(FileSystem::real(), path), path);
    if (is_list(records)) return {std::nullopt, read_list(records, data)};
  }
  Matrix scores =
      narrowed(read_scores(path, data.label_names, {.count = data.rows(), .ids = data.ids}));
  CandidateScores candidates(scores, data.candidates.share());
  return {std::move(scores), std::move(candidates)};
}

}  // namespace sieve
