#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/named_rows.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/annotation_records.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/pipeline.h"

namespace sieve {
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
