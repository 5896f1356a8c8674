#include "reading.h"

#include "labelsieve/data_io.h"

namespace sieve {
namespace {

// "a,b,c", or "@file" with one name per line.
std::vector<std::string> label_names(const Arguments& arguments) {
  const std::string& text = arguments.text("label-names");
  return text.starts_with("@") ? read_names(text.substr(1)) : split_list(text, ',');
}

std::string separator(const Arguments& arguments, const std::string& name) {
  const std::string& text = arguments.text(name);
  return text == "tab" ? "\t" : text;
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
  columns.separator = separator(arguments, "label-separator");
  columns.all = arguments.flag("labels-only");
  return columns;
}

TickOptions tick_options(const Arguments& arguments) {
  if (!arguments.has("ticks"))
    for (const Option& option : ticks_options())
      if (arguments.has(option.key) && arguments.text(option.key) != "false")
        throw usage_error("--" + option.key + " needs --ticks");
  TickOptions options;
  options.path = arguments.text("ticks");
  options.looked = arguments.text("looked");
  options.format = arguments.text("ticks-format");
  options.item = arguments.text("ticks-item");
  options.person = arguments.text("ticks-person");
  options.label = arguments.text("ticks-label");
  options.value = arguments.text("ticks-value");
  options.columns = arguments.list("ticks-columns");
  options.items_are = arguments.text("items-are");
  options.separator = separator(arguments, "ticks-separator");
  if (arguments.has("empty-words")) options.empty_words = arguments.text("empty-words");
  options.merge_case = arguments.flag("merge-case");
  options.repeats = arguments.text("repeats");
  options.all_people = arguments.flag("ticks-all");
  options.keep_unseen = arguments.flag("keep-unseen");
  return options;
}

TableOptions table_options(const Arguments& arguments) {
  TableOptions table;
  table.text = arguments.list("text-column");
  table.category = arguments.list("category-column");
  table.date = arguments.list("date-column");
  table.ignore = arguments.list("ignore-columns");
  table.terms.terms = arguments.count("text-terms");
  table.terms.char_grams = arguments.count("text-letters");
  if (arguments.has("text-pairs")) table.terms.pairs = arguments.flag("text-pairs");
  table.decimal = arguments.character("decimal");
  table.thousands = arguments.character("thousands");
  if (table.decimal != '.' && table.decimal != ',')
    throw usage_error("--decimal must be '.' or ','");
  if (table.thousands == table.decimal)
    throw usage_error("--decimal and --thousands cannot be the same character");
  return table;
}

}  // namespace

std::vector<std::string> format_choices() {
  std::vector<std::string> names = format_names();
  names.emplace_back("sieve");  // another name of "binary"
  return names;
}

std::vector<Option> reading_options(const std::string& labels_are) {
  return {
      choice("format", format_choices(), "input format (default: detected from content and name)"),
      choice("labels-are", {"candidates", "truth"}, "what the labels are if the file does not say",
             labels_are),
      text("label-names", "A,B,C|@FILE", "label columns by name; @FILE has one name per line"),
      text("label-prefix", "TEXT", "label columns: those whose name begins with TEXT"),
      integer("label-count", "label columns: N > 0: the first N; N < 0: the last |N|", -1e9, 1e9),
      text("label-column", "NAME", "one column that lists the labels of each row"),
      text("label-separator", "TEXT", "separator of the list in --label-column, or \"tab\"", ";"),
      flag("labels-only", "every column is a label; there are no features"),
      flag("header", "the first line of a CSV file has names (--no-header: it does not)"),
      text("id-column", "NAME",
           "column with the ids of the rows, or \"none\" (default: one that plainly is)"),
      text("delimiter", "CHAR", "column separator of a CSV file: a character, or \"tab\""),
      list("text-column", "NAMES", "columns of free text: their words become features"),
      list("category-column", "NAMES", "columns of categories, even if they are numbers"),
      list("date-column", "NAMES", "columns of dates, taken as days since 1970-01-01"),
      list("ignore-columns", "NAMES", "columns that are neither features nor labels"),
      integer("text-terms", "words and pairs of words kept from a text column (0 = hash all)", 0,
              1e7, "20000"),
      integer("text-letters", "also use up to N letters in a row as features (0 = none)", 0, 16,
              "0"),
      flag("text-pairs", "also use pairs of words (--no-text-pairs: single words only)"),
      text("decimal", "CHAR", "decimal mark of the numbers", "."),
      text("thousands", "CHAR", "mark between groups of three digits (default: none)"),
      path("label-file", "the labels, in a separate file with the same rows"),
      path("id-file", "the ids of the rows, one per line, in a separate file"),
      path("xml", "label list of an ARFF file (default: NAME.xml beside it)"),
      threads_option()};
}

std::vector<Option> ticks_options() {
  return {path("ticks", "who ticked what, in a file of its own, joined to the rows by id"),
          choice("ticks-format", tick_format_names(), "layout of --ticks (default: recognised)"),
          text("ticks-item", "NAME", "column of --ticks that names the rows"),
          text("ticks-person", "NAME", "column of --ticks with who ticked, or \"none\""),
          text("ticks-label", "NAME", "column of --ticks with the labels"),
          text("ticks-value", "NAME", "column of --ticks that says yes or no, or \"none\""),
          list("ticks-columns", "NAMES", "columns of --ticks, if its first line has no names"),
          choice("items-are", item_kinds(), "items of --ticks (default: ids, or a column \"row\")"),
          text("ticks-separator", "TEXT",
               "separator of several labels in a cell, \"tab\", or \"none\" for one label"),
          text("empty-words", "A,B,C", "words that mean no label (default: n/a, nan, null, ...)"),
          flag("merge-case", "names in --ticks that differ only by case or spaces are one"),
          choice("repeats", repeat_rules(),
                 "which of several annotations of one row by one annotator count (default: last)"),
          path("looked", "who looked at which row, for people who ticked nothing"),
          flag("ticks-all", "also count judgements that were rejected or cancelled"),
          flag("keep-unseen", "also keep rows that nobody looked at")};
}

Option truth_option() {
  return path("truth", "the true labels, in a separate file with the same rows");
}

Option threads_option() {
  return integer("threads", "threads (0 = all cores); results do not depend on it", 0, 1024, "0");
}

ReadOptions read_options(const Arguments& arguments, ThreadPool& pool,
                         std::vector<std::string>& notes) {
  ReadOptions options;
  options.format = arguments.text("format");
  options.role = arguments.text("labels-are") == "truth" ? LabelRole::Truth : LabelRole::Candidates;
  options.labels = label_columns(arguments);
  if (arguments.has("header")) options.header = arguments.flag("header");
  if (const std::string& ids = arguments.text("id-column"); !ids.empty())
    options.id_column = ids == "none" ? "" : ids;
  options.delimiter = arguments.character("delimiter");
  options.xml = arguments.text("xml");
  options.label_file = arguments.text("label-file");
  options.id_file = arguments.text("id-file");
  options.table = table_options(arguments);
  options.threads = &pool;
  options.notes = &notes;
  return options;
}

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   ThreadPool& pool, std::vector<std::string>& notes) {
  return read_input(arguments, paths, read_options(arguments, pool, notes));
}

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   const ReadOptions& options) {
  Dataset data = read_dataset(paths, options);
  if (arguments.has("truth")) read_truth(data, arguments.text("truth"), options);
  return data;
}

Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ThreadPool& pool, std::vector<std::string>& notes) {
  return read_ticked(arguments, paths, read_options(arguments, pool, notes));
}

Dataset read_to_write(const Arguments& arguments, const std::vector<std::string>& paths,
                      ThreadPool& pool, std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.keep_cells = true;
  return read_ticked(arguments, paths, options);
}

Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ReadOptions options) {
  const bool keep_unseen = options.ticks.keep_unseen;
  options.ticks = tick_options(arguments);
  options.ticks.keep_unseen |= keep_unseen;
  return read_input(arguments, paths, options);
}

}  // namespace sieve
