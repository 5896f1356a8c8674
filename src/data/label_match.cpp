#include "labelsieve/data_io.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "data/ids.h"
#include "data/label_columns.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// Names that say no more than the order: our own for labels without any, or those of LIBSVM.
bool is_numbered(const std::vector<std::string>& names) {
  if (names == numbered_names("label", names.size())) return true;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != std::to_string(i)) return false;
  return true;
}

// Such names do say more than the order, beside others of the kind.
bool all_numbers(const std::vector<std::string>& names) {
  return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
    return name.find_first_not_of("0123456789") == std::string::npos;
  });
}

void require_columns(std::size_t wanted, std::size_t given, const std::string& file) {
  if (wanted != given)
    throw Error(Failure::Data,
                fmt::format("the file has {} label columns, the data {} labels", given, wanted),
                {file, 0, 0}, "there must be one column per label");
}

void require_rows(std::size_t wanted, std::size_t given, const std::string& file) {
  if (wanted != given)
    throw Error(Failure::Data, fmt::format("the file has {} rows, the data {} rows", given, wanted),
                {file, 0, 0}, "the files must have the same rows in the same order");
}

// The given rows in the order that is wanted.
std::vector<std::size_t> row_order(const WantedRows& wanted, const WantedRows& given,
                                   const std::string& file) {
  require_rows(wanted.count, given.count, file);
  if (!wanted.ids.empty() && !given.ids.empty()) return rows_with_ids(wanted.ids, given.ids, file);
  std::vector<std::size_t> rows(wanted.count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// A table of predictions has a column of row numbers.
void check_row_numbers(const Dataset& data, const std::string& file) {
  if (data.feature_names != std::vector<std::string>{std::string(kRowColumn)}) return;
  std::vector<float> number(1);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.features.copy_row(i, number);
    if (number[0] != static_cast<float>(i))
      throw Error(Failure::Data, fmt::format("row {} is in the place of row {}", number[0], i),
                  {file, 0, 0}, "rows count from 0; none may be missing, repeated or moved");
  }
}

}  // namespace

Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected) {
  options.ticks = {};
  options.labels.else_all = true;  // a table whose header marks none has nothing but labels
  options.header_names = expected;
  options.label_file.clear();
  options.id_file.clear();
  options.table = {};
  options.recipe.reset();
  options.learn_from = {};
  return read_dataset({path}, options);
}

void read_truth(Dataset& data, const std::string& path, ReadOptions options) {
  options.format.clear();  // the two files may differ
  options.xml.clear();
  const Dataset labels = read_labels(path, options);
  // Joined by id, it may be about more rows than the data.
  const std::vector<std::size_t> rows = data.ids.empty() || labels.ids.empty()
                                            ? row_order({data.rows()}, {labels.rows()}, path)
                                            : rows_with_ids(data.ids, labels.ids, path);
  const LabelMatrix& truth = labels.truth ? *labels.truth : labels.candidates;
  data.truth = truth.select_labels(match_columns(data.label_names, labels.label_names, path))
                   .select_rows(rows);
}

MatrixD read_scores(const std::string& path, const std::vector<std::string>& labels,
                    const WantedRows& rows) {
  const ScoreTable scores = read_score_table(path, labels);
  require_columns(labels.size(), scores.values.cols(), path);
  const std::vector<std::size_t> columns = match_columns(labels, scores.names, path);
  const std::vector<std::size_t> order = row_order(rows, {scores.values.rows(), scores.ids}, path);
  MatrixD out(order.size(), labels.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k)
      out(i, k) = scores.values(order[i], columns[k]);
  return out;
}

LabelMatrix read_decisions(const std::string& path, const std::vector<std::string>& labels,
                           const WantedRows& rows, const ReadOptions& options) {
  const Dataset data = read_labels(path, options, labels);
  const std::vector<std::size_t> order = row_order(rows, {data.rows(), data.ids}, path);
  check_row_numbers(data, path);
  return data.candidates.select_labels(match_columns(labels, data.label_names, path))
      .select_rows(order);
}

std::vector<std::string> read_names(const std::string& path, FileSystem& files) {
  const auto in = open_unpacked(files, path);
  LineSource lines(*in, path);
  std::vector<std::string> names;
  for (std::string_view line; lines.next(line);)
    if (const std::string_view name = trimmed(line); !name.empty()) names.emplace_back(name);
  if (names.empty()) throw Error(Failure::Data, "no label names in the file", {path, 0, 0});
  return names;
}

std::vector<std::size_t> match_columns(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& given,
                                       const std::string& file) {
  if (!given.empty()) require_columns(wanted.size(), given.size(), file);
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t i = 0; i < given.size(); ++i) place_of.emplace(given[i], i);
  const auto missing = std::ranges::find_if(
      wanted, [&](const std::string& name) { return !place_of.contains(name); });
  const bool by_name = missing == wanted.end();
  const bool by_order =
      (is_numbered(given) && !all_numbers(wanted)) || (is_numbered(wanted) && !all_numbers(given));
  if (!by_name && !by_order)
    throw Error(Failure::Data, "no column for the label '" + *missing + "'", {file, 0, 0},
                "name the columns by the labels, or leave the names out to go by order");

  std::vector<std::size_t> columns(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) columns[i] = by_name ? place_of[wanted[i]] : i;
  return columns;
}

void order_labels(Dataset& data, const std::vector<std::string>& names) {
  const std::vector<std::size_t> columns = match_columns(names, data.label_names, data.name);
  data.candidates = data.candidates.select_labels(columns);
  if (data.truth) data.truth = data.truth->select_labels(columns);
  if (data.votes) {
    std::vector<std::uint32_t> number(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
      number[columns[i]] = static_cast<std::uint32_t>(i);
    data.votes = std::make_shared<const Votes>(data.votes->renumber_labels(number));
  }
  data.label_names = names;
}

}  // namespace sieve
