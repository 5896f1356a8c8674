#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "data/ids.h"
#include "data/label_columns.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kMostInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMostRows = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostPeople = std::size_t{1} << 24;

Error refused(const std::string& what, const std::string& hint = {}) {
  return {Failure::Data, what, {}, hint};
}

// ---- from arrays ---------------------------------------------------------------------------

// How many columns and values the rows have. Error(Data) if rows do not follow each other, or there
// is nothing to read where they say so.
template <class Index>
std::size_t entries_of(const ls_matrix& m, const char* what) {
  const auto* starts = static_cast<const Index*>(m.starts);
  if (starts[0] < 0 || !std::is_sorted(starts, starts + m.rows + 1))
    throw refused(fmt::format("{}: the starts of the rows do not ascend from 0", what));
  const auto count = static_cast<std::size_t>(starts[m.rows]);
  if (count != 0 && m.columns == nullptr)
    throw refused(fmt::format("{}: there are no columns", what));
  if (count != 0 && m.values == nullptr && m.type != LS_UINT8)
    throw refused(fmt::format("{}: there are no values", what));
  return count;
}

template <class Real, class Index>
Features sparse_features(const ls_matrix& x) {
  const auto* starts = static_cast<const Index*>(x.starts);
  const std::size_t count = entries_of<Index>(x, "features");
  return view_sparse<Real, Index>(x.cols, {starts, x.rows + 1},
                                  {static_cast<const Index*>(x.columns), count},
                                  {static_cast<const Real*>(x.values), count});
}

template <class Real>
Features features_of(const ls_matrix& x) {
  if (x.starts == nullptr)
    return view_dense(static_cast<const Real*>(x.values), x.rows, x.cols, x.stride);
  return x.index == LS_INT64 ? sparse_features<Real, std::int64_t>(x)
                             : sparse_features<Real, std::int32_t>(x);
}

// Whether there is something to read where the parts say so.
void check_parts(const ls_matrix& m, const char* what) {
  const bool sparse = m.starts != nullptr;
  if (sparse && m.index != LS_INT32 && m.index != LS_INT64)
    throw refused(fmt::format("{}: the numbers of columns are of no known type", what));
  if (m.rows > kMostRows || m.cols > kMostRows)
    throw refused(fmt::format("{}: {} rows and {} columns are too many", what, m.rows, m.cols));
  if (!sparse && m.rows != 0 && m.cols != 0 && m.values == nullptr)
    throw refused(fmt::format("{}: there are no values", what));
  if (!sparse && m.rows > 1 && m.stride < m.cols)
    throw refused(fmt::format("{}: rows of {} columns cannot begin {} numbers apart", what, m.cols,
                              m.stride));
}

Features features_of(const ls_matrix& x) {
  check_parts(x, "features");
  if (x.type == LS_FLOAT32) return features_of<float>(x);
  if (x.type == LS_FLOAT64) return features_of<double>(x);
  throw refused("features are float32 or float64");
}

template <class Index>
void set_sparse(const ls_matrix& m, LabelMatrix& labels) {
  const auto* starts = static_cast<const Index*>(m.starts);
  const auto* columns = static_cast<const Index*>(m.columns);
  const auto* values = static_cast<const std::uint8_t*>(m.values);
  entries_of<Index>(m, "labels");
  for (std::size_t i = 0; i < m.rows; ++i)
    for (Index e = starts[i]; e < starts[i + 1]; ++e) {
      if (columns[e] < 0 || static_cast<std::size_t>(columns[e]) >= m.cols)
        throw refused(fmt::format("row {} has the label {} of {}", i, columns[e], m.cols));
      if (values == nullptr || values[e] != 0) labels.set(i, static_cast<std::size_t>(columns[e]));
    }
}

std::vector<std::string> names_of(const char* const* names, std::size_t count, const char* what) {
  return names == nullptr ? std::vector<std::string>() : texts_of(names, count, what);
}

std::uint32_t checked_index(std::int64_t value, std::size_t end, const char* what) {
  if (value < 0 || static_cast<std::uint64_t>(value) >= end)
    throw refused(fmt::format("votes: there is no {} {}", what, value),
                  fmt::format("there are {} of them, counted from 0", end));
  return static_cast<std::uint32_t>(value);
}

std::size_t people_in(const ls_arrays& a) {
  const ls_votes& votes = a.votes;
  std::int64_t last = -1;
  for (std::size_t i = 0; i < votes.ticks; ++i) last = std::max(last, votes.person[i]);
  for (std::size_t i = 0; i < votes.looks; ++i) last = std::max(last, votes.look_person[i]);
  for (std::size_t i = 0; i < a.unsure; ++i) last = std::max(last, a.unsure_person[i]);
  return last < 0 ? 0 : static_cast<std::size_t>(last) + 1;
}

void require_columns(const ls_arrays& a) {
  const ls_votes& votes = a.votes;
  require_array(votes.row, votes.ticks, "votes.row");
  require_array(votes.person, votes.ticks, "votes.person");
  require_array(votes.label, votes.ticks, "votes.label");
  require_array(votes.look_row, votes.looks, "votes.look_row");
  require_array(votes.look_person, votes.looks, "votes.look_person");
  require_array(a.unsure_row, a.unsure, "unsure_row");
  require_array(a.unsure_person, a.unsure, "unsure_person");
  require_array(a.unsure_label, a.unsure, "unsure_label");
}

// Who is a program, and who is of which group.
void declare_kinds(const ls_arrays& a, std::size_t people, Votes& votes) {
  std::vector<std::uint32_t> groups;
  std::vector<std::uint8_t> programs;
  for (std::size_t p = 0; p < people && a.group != nullptr; ++p) {
    if (a.group[p] < -1 || a.group[p] >= static_cast<std::int64_t>(kMostPeople))
      throw refused(fmt::format("votes: there is no group {}", a.group[p]), "-1 is none");
    groups.push_back(a.group[p] < 0 ? kNoGroup : static_cast<std::uint32_t>(a.group[p]));
  }
  for (std::size_t p = 0; p < people && a.program != nullptr; ++p)
    programs.push_back(a.program[p] != 0);
  votes.declare(std::move(groups), std::move(programs));
}

Votes votes_of(const ls_arrays& a, std::size_t rows, std::size_t labels) {
  require_columns(a);
  const ls_votes& votes = a.votes;
  const std::size_t people = votes.people != 0 ? votes.people : people_in(a);
  if (people > kMostPeople)
    throw refused("votes: there are too many annotators", "number them from 0");
  VoteCollector collector;
  const auto place = [&](std::int64_t row, std::int64_t person) {
    return std::pair(checked_index(row, rows, "row"), checked_index(person, people, "annotator"));
  };
  for (std::size_t i = 0; i < votes.looks; ++i) {
    const auto at = place(votes.look_row[i], votes.look_person[i]);
    collector.annotate(at.first, at.second);
  }
  for (std::size_t i = 0; i < votes.ticks; ++i) {
    const auto at = place(votes.row[i], votes.person[i]);
    collector.tick(at.first, at.second, checked_index(votes.label[i], labels, "label"),
                   a.grade != nullptr ? a.grade[i] : std::uint8_t{0});
  }
  for (std::size_t i = 0; i < a.unsure; ++i) {
    const auto at = place(a.unsure_row[i], a.unsure_person[i]);
    collector.unsure(at.first, at.second, checked_index(a.unsure_label[i], labels, "label"));
  }
  std::vector<std::string> names = names_of(votes.names, people, "votes.names");
  for (std::size_t p = names.size(); p < people; ++p) names.push_back(std::to_string(p));
  Votes collected = collector.finish(rows, std::move(names));
  declare_kinds(a, people, collected);
  return collected;
}

void add_ticks(const Votes& votes, LabelMatrix& candidates) {
  const LabelMatrix ticked = votes.any_tick(candidates.labels());
  for (std::size_t i = 0; i < ticked.rows(); ++i)
    ticked.for_each(i, [&](std::size_t k) { candidates.set(i, k); });
}

// One number of rows, or of labels, for all parts that tell it.
std::size_t agreed(std::initializer_list<std::pair<const char*, std::size_t>> parts,
                   const char* what) {
  const char* first = nullptr;
  std::size_t count = 0;
  for (const auto& [name, size] : parts) {
    if (size == 0) continue;
    if (first != nullptr && size != count)
      throw refused(fmt::format("{} have {} {}, but {} have {}", first, count, what, name, size));
    first = name, count = size;
  }
  return count;
}

// ---- to arrays -----------------------------------------------------------------------------

std::vector<const char*> pointers(std::span<const std::string> texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

template <class T>
const T* data_or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

ls_matrix matrix_of(const LabelMatrix& labels, const SparseLabels& rows) {
  ls_matrix shown{};
  shown.struct_size = sizeof shown;
  shown.rows = labels.rows(), shown.cols = labels.labels();
  shown.type = LS_UINT8;
  shown.starts = rows.starts.data(), shown.columns = rows.columns.data();
  return shown;
}

}  // namespace

LabelMatrix labels_of(const ls_matrix& m) {
  check_parts(m, "labels");
  if (m.type != LS_UINT8) throw refused("labels are uint8");
  LabelMatrix labels(m.rows, m.cols);
  if (m.starts != nullptr) {
    m.index == LS_INT64 ? set_sparse<std::int64_t>(m, labels) : set_sparse<std::int32_t>(m, labels);
    return labels;
  }
  const auto* cells = static_cast<const std::uint8_t*>(m.values);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t k = 0; k < m.cols; ++k)
      if (cells[i * m.stride + k] != 0) labels.set(i, k);
  return labels;
}

MatrixD scores_of(const ls_matrix& m) {
  if (m.starts != nullptr || (m.type != LS_FLOAT32 && m.type != LS_FLOAT64))
    throw Error(Failure::Usage, "scores are full rows of float32 or float64");
  check_parts(m, "scores");
  MatrixD out(m.rows, m.cols);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t k = 0; k < m.cols; ++k)
      out(i, k) = m.type == LS_FLOAT64
                      ? static_cast<const double*>(m.values)[i * m.stride + k]
                      : double{static_cast<const float*>(m.values)[i * m.stride + k]};
  return out;
}

std::vector<GoldCell> gold_of(const ls_cell* cells, std::size_t count, const Dataset& data) {
  require_array(cells, count, "gold");
  std::vector<GoldCell> gold;
  std::map<std::pair<std::size_t, std::size_t>, double> decided;
  for (const ls_cell& cell : std::span(cells, count)) {
    if (cell.row >= data.rows() || cell.label >= data.labels())
      throw Error(Failure::Data,
                  fmt::format("there is no label {} of row {}", cell.label, cell.row));
    if (cell.value != 0 && cell.value != 1)
      throw Error(Failure::Data,
                  fmt::format("label {} of row {} is decided as {}, which is neither 0 nor 1",
                              cell.label, cell.row, cell.value));
    if (decided.emplace(std::pair(cell.row, cell.label), cell.value).first->second != cell.value)
      throw Error(Failure::Data, fmt::format("label '{}' of row {} is decided in two ways",
                                             data.label_names[cell.label],
                                             data.ids.empty() ? std::to_string(cell.row)
                                                              : "'" + data.ids[cell.row] + "'"));
    gold.push_back({static_cast<std::uint32_t>(cell.row), static_cast<std::uint32_t>(cell.label),
                    cell.value != 0});
  }
  return gold;
}

Dataset dataset_of(const ls_arrays& a) {
  Dataset data;
  const std::size_t rows = agreed({{"features", a.features.rows},
                                   {"candidates", a.candidates.rows},
                                   {"the truth", a.truth.rows},
                                   {"the arrays", a.rows}},
                                  "rows");
  const std::size_t labels = agreed(
      {{"candidates", a.candidates.cols}, {"the truth", a.truth.cols}, {"the arrays", a.labels}},
      "labels");
  if (rows > kMostRows || labels > kMostRows)
    throw refused(fmt::format("{} rows and {} labels are too many", rows, labels));
  data.name = a.name != nullptr ? a.name : "the data";
  data.features = features_of(a.features);
  data.candidates = a.candidates.rows != 0 ? labels_of(a.candidates) : LabelMatrix(rows, labels);
  if (a.truth.rows != 0) data.truth = labels_of(a.truth);
  if (a.votes.ticks + a.votes.looks + a.unsure != 0) {
    data.votes = std::make_shared<const Votes>(votes_of(a, rows, labels));
    add_ticks(*data.votes, data.candidates);
  }
  data.feature_names = names_of(a.feature_names, data.features.cols(), "feature_names");
  data.label_names = a.label_names != nullptr ? names_of(a.label_names, labels, "label_names")
                                              : numbered_names("label", labels);
  data.ids = names_of(a.ids, rows, "ids");
  check_names(data.label_names, "label", data.name);
  check_names(data.feature_names, "feature", data.name);
  check_ids(data.ids, data.name);
  return data;
}

SparseLabels::SparseLabels(const LabelMatrix& labels) : starts{0} {
  for (std::size_t i = 0; i < labels.rows(); ++i) {
    labels.for_each(i, [&](std::size_t k) { columns.push_back(static_cast<std::int32_t>(k)); });
    if (columns.size() > kMostInt32) throw refused("there are too many labels to list them all");
    starts.push_back(static_cast<std::int32_t>(columns.size()));
  }
}

ArrayParts::ArrayParts(const Dataset& data, const ls_matrix* features)
    : candidates_(data.candidates),
      truth_(data.truth ? data.truth->share() : LabelMatrix()),
      feature_names_(pointers(data.feature_names)),
      label_names_(pointers(data.label_names)),
      ids_(pointers(data.ids)) {
  if (features != nullptr)
    shown_ = *features;
  else
    lay_out_features(data);
  if (data.votes) lay_out_votes(*data.votes);
}

void ArrayParts::lay_out_features(const Dataset& data) {
  features_ = data.features.plain();
  shown_.struct_size = sizeof shown_;
  shown_.rows = features_.rows(), shown_.cols = features_.cols();
  if (!features_.is_sparse()) {
    const Matrix& x = std::as_const(features_).dense();
    shown_.values = x.data(), shown_.stride = x.stride();
    return;
  }
  const CsrMatrix& x = std::as_const(features_).sparse();
  shown_.values = x.values.data(), shown_.columns = x.columns.data();
  if (x.nonzeros() <= kMostInt32 && x.cols <= kMostInt32) {
    for (const std::uint64_t start : x.starts) starts_.push_back(static_cast<std::int32_t>(start));
    starts_.resize(data.rows() + 1);  // an empty matrix has none
    shown_.starts = starts_.data();
  } else {
    long_starts_.assign(x.starts.begin(), x.starts.end());
    long_columns_.assign(x.columns.begin(), x.columns.end());
    shown_.starts = long_starts_.data(), shown_.columns = long_columns_.data();
    shown_.index = LS_INT64;
  }
}

void ArrayParts::lay_out_votes(const Votes& votes) {
  people_ = pointers(votes.annotators());
  for (std::size_t p = 0; p < people_.size(); ++p) {
    if (!votes.groups().empty())
      group_.push_back(votes.groups()[p] == kNoGroup ? -1 : std::int64_t{votes.groups()[p]});
    if (votes.has_programs()) program_.push_back(votes.is_program(p));
  }
  for (std::size_t i = 0; i < votes.rows(); ++i)
    for (std::size_t annotation = votes.first_annotation(i);
         annotation < votes.first_annotation(i + 1); ++annotation) {
      look_row_.push_back(static_cast<std::int64_t>(i));
      look_person_.push_back(votes.annotator(annotation));
      for (const std::uint32_t label : votes.ticked(annotation)) {
        row_.push_back(static_cast<std::int64_t>(i));
        person_.push_back(votes.annotator(annotation));
        label_.push_back(label);
      }
      std::ranges::copy(votes.grades(annotation), std::back_inserter(grade_));
      for (const std::uint32_t label : votes.unsure(annotation)) {
        unsure_row_.push_back(static_cast<std::int64_t>(i));
        unsure_person_.push_back(votes.annotator(annotation));
        unsure_label_.push_back(label);
      }
    }
}

void ArrayParts::fill(const Dataset& data, ls_arrays& arrays) const {
  arrays = {};
  arrays.struct_size = sizeof arrays;
  arrays.rows = data.rows(), arrays.labels = data.labels();
  arrays.features = shown_;
  arrays.candidates = matrix_of(data.candidates, candidates_);
  if (data.truth) arrays.truth = matrix_of(*data.truth, truth_);
  if (data.votes)
    arrays.votes = {row_.size(),         row_.data(),      person_.data(),
                    label_.data(),       look_row_.size(), look_row_.data(),
                    look_person_.data(), people_.size(),   data_or_null(people_)};
  arrays.feature_names = data_or_null(feature_names_);
  arrays.label_names = data_or_null(label_names_);
  arrays.ids = data_or_null(ids_);
  arrays.unsure = unsure_row_.size();
  arrays.unsure_row = data_or_null(unsure_row_);
  arrays.unsure_person = data_or_null(unsure_person_);
  arrays.unsure_label = data_or_null(unsure_label_);
  arrays.program = data_or_null(program_);
  arrays.group = data_or_null(group_);
  arrays.name = data.name.c_str();
  arrays.grade = data_or_null(grade_);
}

}  // namespace sieve
