#include "reading.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "data/csv/csv_cells.h"
#include "data/formats.h"
#include "data/text/text_lines.h"

namespace sieve {
namespace {

// "a,b,c", or "@file" with one name a line.
std::vector<std::string> label_names(const Arguments& arguments) {
  const std::string& text = arguments.text("label-names");
  if (!text.starts_with("@")) return split_list(text, ',');
  const std::string file = text.substr(1);
  const auto in = open_unpacked(FileSystem::real(), file);
  LineSource lines(*in, file);
  std::vector<std::string> names;
  for (std::string_view line; lines.next(line);)
    if (const std::string_view name = trimmed(line); !name.empty()) names.emplace_back(name);
  if (names.empty()) throw Error(Failure::Data, "no label names in the file", {file, 0, 0});
  return names;
}

LabelColumns label_columns(const Arguments& arguments) {
  static const std::vector<std::string> kWays = {"label-names", "label-prefix", "label-count",
                                                 "label-column", "labels-only"};
  std::vector<std::string> used;
  for (const std::string& way : kWays)
    if (arguments.has(way) && arguments.text(way) != "false") used.push_back("--" + way);
  if (used.size() > 1)
    throw usage_error("only one flag can tell the label columns, not " + joined(used, " and "));

  LabelColumns columns;
  columns.names = label_names(arguments);
  columns.prefix = arguments.text("label-prefix");
  if (arguments.has("label-count")) columns.count = arguments.integer("label-count");
  columns.column = arguments.text("label-column");
  columns.separator = arguments.character("label-separator");
  columns.all = arguments.flag("labels-only");
  return columns;
}

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

void join_truth(Dataset& data, const Dataset& labels, const std::string& file) {
  require_rows(data.rows(), labels.rows(), file);
  const LabelMatrix& truth = labels.truth ? *labels.truth : labels.candidates;
  data.truth = truth.select_labels(match_columns(data.label_names, labels.label_names, file));
}

}  // namespace

std::vector<Option> reading_options(const std::string& labels_are) {
  return {choice("format", {"arff", "libsvm", "csv", "mat", "binary"},
                 "format of the input; else told from its content and name"),
          choice("labels-are", {"candidates", "truth"},
                 "what labels stand for when the file does not say", labels_are),
          text("label-names", "A,B,C|@FILE", "these columns are labels; @FILE has one name a line"),
          text("label-prefix", "TEXT", "columns whose name begins so are labels"),
          integer("label-count", "the first N columns are labels, or the last -N", -1e9, 1e9),
          text("label-column", "NAME", "this one column lists the labels of a row"),
          text("label-separator", "CHAR", "what cuts the list in --label-column", ";"),
          flag("labels-only", "every column is a label, there are no features"),
          flag("header", "the first line of a CSV file has names (--no-header: it has not)"),
          text("delimiter", "CHAR", "what cuts the columns of a CSV file, or tab"),
          path("xml", "label list of an ARFF file, else NAME.xml beside it"),
          threads_option()};
}

Option truth_option() {
  return path("truth", "the true labels, in a file of their own with the same rows");
}

Option threads_option() {
  return integer("threads", "threads to use, 0 for one a core; results do not depend on it", 0,
                 1024, "0");
}

ReadOptions read_options(const Arguments& arguments, ThreadPool& pool) {
  ReadOptions options;
  if (arguments.has("format")) options.format = parse_format(arguments.text("format"));
  options.role = arguments.text("labels-are") == "truth" ? LabelRole::Truth : LabelRole::Candidates;
  options.labels = label_columns(arguments);
  if (arguments.has("header")) options.header = arguments.flag("header");
  options.delimiter = arguments.character("delimiter");
  options.xml = arguments.text("xml");
  options.threads = &pool;
  return options;
}

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   ThreadPool& pool) {
  const ReadOptions options = read_options(arguments, pool);
  Dataset data = read_dataset(paths, options);
  const std::string& truth = arguments.text("truth");
  if (truth.empty()) return data;
  ReadOptions labels = options;
  labels.format = std::nullopt;  // the two files may differ
  labels.xml.clear();
  join_truth(data, read_labels(truth, labels), truth);
  return data;
}

Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected) {
  options.labels.else_all = true;  // a table whose header marks none has nothing but labels
  options.header_names = expected;
  return read_dataset({path}, options);
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

void require_columns(std::size_t wanted, std::size_t given, const std::string& file) {
  if (wanted != given)
    throw Error(Failure::Data, fmt::format("{} label columns here for {} labels", given, wanted),
                {file, 0, 0}, "there must be one column a label");
}

void require_rows(std::size_t wanted, std::size_t given, const std::string& file) {
  if (wanted != given)
    throw Error(Failure::Data, fmt::format("{} rows here for {} rows of data", given, wanted),
                {file, 0, 0}, "the files must have the same rows in the same order");
}

}  // namespace sieve
