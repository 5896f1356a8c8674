#include "labelsieve/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/format_text.h"
#include "data/parts_of_list.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::size_t kRare = 10;  // rows below which a label is hard to learn

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

double per_row(std::size_t cells, std::size_t rows) {
  return share_of(cells, rows);
}

std::size_t distinct_label_sets(const LabelMatrix& labels) {
  std::unordered_set<std::string_view> sets;
  for (std::size_t i = 0; i < labels.rows(); ++i) sets.insert(bytes_of(labels.words(i)));
  return sets.size();
}

// A row's features and candidates as one key: rows are the same if and only if their keys are.
std::string row_key(const Dataset& data, std::size_t i) {
  std::string key(bytes_of(std::as_const(data.candidates).words(i)));
  RowRoom room;
  const RowEntries row = data.features.row(i, room);
  if (data.features.is_sparse()) key.append(bytes_of(std::span(row.columns, row.count)));
  return key.append(bytes_of(std::span(row.values, row.count)));
}

std::size_t count_duplicate_rows(const Dataset& data) {
  if (data.features.cols() == 0) return 0;  // equal label sets are no duplicates
  std::unordered_map<std::size_t, std::vector<std::size_t>> rows_of_hash;
  std::size_t duplicates = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::string key = row_key(data, i);
    std::vector<std::size_t>& alike = rows_of_hash[std::hash<std::string>{}(key)];
    if (std::ranges::any_of(alike, [&](std::size_t j) { return row_key(data, j) == key; }))
      ++duplicates;
    else
      alike.push_back(i);
  }
  return duplicates;
}

std::size_t count_constant(const Features& x) {
  if (x.rows() == 0) return 0;
  struct Column {
    std::size_t filled = 0;
    float value = 0;
    bool varies = false;
  };
  std::vector<Column> columns(x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for_each_entry(x, i, [&](std::size_t j, float value) {
      Column& column = columns[j];
      if (column.filled++ == 0) column.value = value;
      column.varies = column.varies || value != column.value;
    });
  return static_cast<std::size_t>(std::ranges::count_if(columns, [&](const Column& column) {
    return !column.varies && (column.filled == 0 || column.filled == x.rows());
  }));
}

// Columns whose value grows by one from row to row.
std::vector<std::string> counting_features(const Dataset& data) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::string> found;
  if (data.rows() < kFewest || data.features.is_sparse()) return found;
  std::vector<float> first(data.features.cols()), row(first.size());
  data.features.copy_row(0, first);
  std::vector<std::size_t> columns(first.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (std::size_t i = 1; i < data.rows() && !columns.empty(); ++i) {
    data.features.copy_row(i, row);
    std::erase_if(columns,
                  [&](std::size_t j) { return row[j] != first[j] + static_cast<float>(i); });
  }
  for (const std::size_t j : columns)
    found.push_back(data.feature_names.empty() ? std::to_string(j + 1) : data.feature_names[j]);
  return found;
}

std::vector<LabelSummary> label_summaries(const Dataset& data) {
  std::vector<LabelSummary> labels(data.labels());
  for (std::size_t k = 0; k < data.labels(); ++k) labels[k].name = data.label_names[k];
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.candidates.for_each(i, [&](std::size_t k) {
      ++labels[k].candidates;
      if (data.truth && !data.truth->get(i, k)) ++labels[k].noise;
    });
    if (data.truth) data.truth->for_each(i, [&](std::size_t k) { ++labels[k].truth; });
  }
  return labels;
}

// "<what>: 3 (a, b, c)", or nothing for none.
void warn_of_labels(std::vector<std::string>& warnings, const std::vector<std::string>& names,
                    const std::string& what) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return;
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  warnings.push_back(fmt::format("{}: {} ({}{})", what, names.size(), fmt::join(shown, ", "),
                                 names.size() > kShown ? ", ..." : ""));
}

}  // namespace

std::string shape_text(const DataShape& shape) {
  const std::string features = shape.features == 0 ? "-" : std::to_string(shape.features);
  return fmt::format("{} x {} x {}", shape.rows, features, shape.labels);
}

void LabelNoiseCount::add(const LabelMatrix& candidates, const LabelMatrix& truth) {
  rows_ += candidates.rows();
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    const auto given = candidates.words(i), right = truth.words(i);
    bool noisy = false;
    for (std::size_t w = 0; w < given.size(); ++w) noisy |= (given[w] & ~right[w]) != 0;
    noisy_rows_ += noisy;
  }
  candidates_ += candidates.count();
  truth_ += truth.count();
  noise_ += count_outside(candidates, truth);
  truth_outside_ += count_outside(truth, candidates);
}

LabelNoise LabelNoiseCount::noise() const {
  return {.candidates_per_row = per_row(candidates_, rows_),
          .truth_per_row = per_row(truth_, rows_),
          .noise_per_row = per_row(noise_, rows_),
          .noise_share = share_of(noise_, candidates_),
          .noisy_rows_share = share_of(noisy_rows_, rows_),
          .truth_outside = truth_outside_};
}

LabelNoise label_noise(const LabelMatrix& candidates, const LabelMatrix& truth) {
  LabelNoiseCount count;
  count.add(candidates, truth);
  return count.noise();
}

namespace {

// The looks at one row, counted.
class RowVotes {
 public:
  RowVotes(const Votes& votes, std::size_t row) : votes_(votes), row_(row) {
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation)) ++ticks_[label];
  }
  // Those who said yes or no.
  std::size_t said(std::uint32_t label) const { return votes_.votes_on(row_, label); }
  // Of the others who did, the share that ticked the label too.
  double agreement(std::uint32_t label) const {
    return share_of(ticks_.at(label) - 1, said(label) - 1);
  }
  std::size_t ties() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        ticks_, [&](const auto& label) { return 2 * label.second == said(label.first); }));
  }

 private:
  const Votes& votes_;
  std::size_t row_;
  std::unordered_map<std::uint32_t, std::size_t> ticks_;
};

}  // namespace

VoteSummary summarise(const Votes& votes) {
  VoteSummary s;
  s.annotations = votes.annotations(), s.ticks = votes.ticks(), s.unsure = votes.unsure();
  s.fewest_annotations = votes.rows() == 0 ? 0 : votes.annotations();
  struct Agreement {
    double sum = 0, ticks = 0;
    double mean() const { return ticks == 0 ? NAN : sum / ticks; }
  };
  std::vector<Agreement> agreements(votes.annotators().size());
  for (std::size_t a = 0; a < votes.annotators().size(); ++a)
    s.annotators.push_back({.name = votes.annotators()[a], .program = votes.is_program(a)});
  Agreement all;
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    const RowVotes counts(votes, row);
    const std::size_t annotations = votes.annotations(row);
    s.fewest_annotations = std::min(s.fewest_annotations, annotations);
    s.most_annotations = std::max(s.most_annotations, annotations);
    s.unseen_rows += annotations == 0;
    s.rows_seen_once += annotations == 1;
    s.ties += counts.ties();
    s.tied_rows += counts.ties() != 0;
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation) {
      AnnotatorSummary& annotator = s.annotators[votes.annotator(annotation)];
      ++annotator.annotations;
      annotator.ticks += votes.ticked(annotation).size();
      s.empty_annotations += votes.ticked(annotation).empty();
      annotator.unsure += votes.unsure(annotation).size();
      if (annotations == 1) continue;
      for (const std::uint32_t label : votes.ticked(annotation)) {
        if (counts.said(label) < 2) continue;
        for (Agreement* one : {&agreements[votes.annotator(annotation)], &all})
          one->sum += counts.agreement(label), ++one->ticks;
      }
    }
  }
  s.agreement = all.mean();
  for (std::size_t p = 0; p < s.annotators.size(); ++p)
    s.annotators[p].agreement = agreements[p].mean();
  return s;
}

DatasetSummary summarise(const Dataset& data) {
  DatasetSummary s;
  s.rows = data.rows(), s.features = data.features.cols(), s.labels = data.labels();
  s.sparse = data.features.is_sparse();
  s.filled_share = share_of(data.features.nonzeros(), s.rows * s.features);
  s.feature_bytes = data.features.bytes();
  s.label_bytes =
      s.rows * data.candidates.words_per_row() * sizeof(std::uint64_t) * (data.truth ? 2 : 1);
  s.candidates_per_row = per_row(data.candidates.count(), s.rows);
  s.density = share_of(data.candidates.count(), s.rows * s.labels);
  s.label_sets = distinct_label_sets(data.candidates);
  if (data.truth) s.noise = label_noise(data.candidates, *data.truth);
  s.per_label = label_summaries(data);
  s.constant_features = count_constant(data.features);
  s.duplicate_rows = count_duplicate_rows(data);
  for (std::size_t i = 0; i < s.rows; ++i) {
    const std::size_t on = data.candidates.count(i);
    s.rows_without_candidates += on == 0;
    s.rows_with_all += on == s.labels && s.labels > 1;
    s.rows_without_truth += data.truth && data.truth->count(i) == 0;
  }
  s.has_ids = !data.ids.empty();
  if (data.votes) s.votes = summarise(*data.votes);
  s.counting_features = counting_features(data);
  s.list_like_labels = list_like_labels(data.label_names);
  return s;
}

std::vector<std::string> warnings_of(const DatasetSummary& s) {
  std::vector<std::string> warnings;
  const auto warn = [&](std::size_t count, const std::string& what) {
    if (count != 0) warnings.push_back(fmt::format("{}: {}", what, count));
  };
  warn(s.constant_features, "constant features");
  warn(s.duplicate_rows, "rows identical to an earlier one (features and labels)");
  warn(s.rows_without_candidates, "rows without a candidate label");
  warn(s.rows_with_all, "rows with every label as a candidate");
  warn(s.rows_without_truth, "rows without a true label");
  if (s.noise) warn(s.noise->truth_outside, "true labels outside the candidates of their row");

  if (s.votes) {
    warn(s.votes->unseen_rows, "rows that nobody annotated");
    warn(s.votes->rows_seen_once, "rows with one annotation");
  }
  warn_of_labels(warnings, s.counting_features,
                 "features that only number the rows, as ids do (leave them out)");
  warn_of_labels(warnings, s.list_like_labels,
                 "labels that look like an unsplit list (check the separator)");

  std::vector<std::string> never, always, rare;
  for (const LabelSummary& label : s.per_label) {
    if (label.candidates == 0)
      never.push_back(label.name);
    else if (label.candidates == s.rows)
      always.push_back(label.name);
    else if (label.candidates < kRare)
      rare.push_back(label.name);
  }
  warn_of_labels(warnings, never, "labels never on");
  warn_of_labels(warnings, always, "labels on in every row");
  warn_of_labels(warnings, rare, fmt::format("labels on in fewer than {} rows", kRare));
  return warnings;
}

}  // namespace sieve
