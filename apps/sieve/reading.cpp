#include "reading.h"

#include "labelsieve/label_match.h"

namespace sieve {
namespace {

// "a,b,c", or "@file" with one name per line.
std::vector<std::string> label_names(const Arguments& arguments) {
  const std::string& text = arguments.text("label-names");
  return text.starts_with("@") ? read_names(text.substr(1)) : split_list(text, ',');
}

LabelColumns label_columns(const Arguments& arguments) {
  static const std::vector<std::string> kWays = {"label-names", "label-prefix", "label-count",
                                                 "label-column", "labels-only"};
  std::vector<std::string> used;
  for (const std::string& way : kWays)
    if (arguments.has(way) && arguments.text(way) != "false") used.push_back("--" + way);
  if (used.size() > 1)
    throw usage_error("give only one flag for the label columns, not " + joined(used, " and "));

  LabelColumns columns;
  columns.names = label_names(arguments);
  columns.prefix = arguments.text("label-prefix");
  if (arguments.has("label-count")) columns.count = arguments.integer("label-count");
  columns.column = arguments.text("label-column");
  columns.separator = arguments.character("label-separator");
  columns.all = arguments.flag("labels-only");
  return columns;
}

}  // namespace

std::vector<Option> reading_options(const std::string& labels_are) {
  return {
      choice("format", format_names(), "input format (default: detected from content and name)"),
      choice("labels-are", {"candidates", "truth"}, "what the labels are if the file does not say",
             labels_are),
      text("label-names", "A,B,C|@FILE", "label columns by name; @FILE has one name per line"),
      text("label-prefix", "TEXT", "label columns: those whose name begins with TEXT"),
      integer("label-count", "label columns: N > 0 the first N, N < 0 the last |N|", -1e9, 1e9),
      text("label-column", "NAME", "one column that lists the labels of each row"),
      text("label-separator", "CHAR", "separator of the list in --label-column", ";"),
      flag("labels-only", "every column is a label; there are no features"),
      flag("header", "the first line of a CSV file has names (--no-header: it does not)"),
      text("delimiter", "CHAR", "column separator of a CSV file: a character, or \"tab\""),
      path("xml", "label list of an ARFF file (default: NAME.xml beside it)"),
      threads_option()};
}

Option truth_option() {
  return path("truth", "the true labels, in a separate file with the same rows");
}

Option threads_option() {
  return integer("threads", "threads (0 = all cores); results do not depend on it", 0, 1024, "0");
}

ReadOptions read_options(const Arguments& arguments, ThreadPool& pool) {
  ReadOptions options;
  options.format = arguments.text("format");
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
  if (arguments.has("truth")) read_truth(data, arguments.text("truth"), options);
  return data;
}

}  // namespace sieve
