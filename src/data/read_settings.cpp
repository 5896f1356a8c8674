#include "data/read_settings.h"

#include <algorithm>

#include "data/annotations/answers.h"
#include "data/duckdb/duckdb_table.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

using Type = OptionSpec::Type;

std::string put_value(const GivenValue& value, LabelRole& to) {
  to = value.text() == "truth" ? LabelRole::Truth : LabelRole::Candidates;
  return {};
}

// Puts the value into the field as it is.
template <class Field>
auto into(Field field) {
  return
      [field](ReadSettings& all, const GivenValue& value) { return put_value(value, field(all)); };
}
#define FIELD(name) into([](ReadSettings & all) -> auto& { return all.name; })

// A list, or "@file" with one name per line.
std::string put_label_names(ReadSettings& all, const GivenValue& value) {
  const bool in_file = !value.is_list && value.text().starts_with("@");
  all.options.labels.names = in_file ? read_names(value.text().substr(1)) : value.texts;
  return {};
}

std::string put_label_separator(ReadSettings& all, const GivenValue& value) {
  if (value.text().empty()) return "must not be empty";
  all.options.labels.separator = value.text() == "tab" ? "\t" : value.text();
  return {};
}

std::string put_tick_separator(ReadSettings& all, const GivenValue& value) {
  all.options.ticks.separator = value.text() == "tab" ? "\t" : value.text();
  return {};
}

// Files, folders and patterns. A comma may separate them or be part of a name: what exists decides.
// A statement has commas of its own and comes last.
std::string put_annotations(ReadSettings& all, const GivenValue& value) {
  std::vector<std::string> paths;
  for (std::size_t from = 0, to = 0; from < value.texts.size(); from = to) {
    std::string name;
    for (to = value.texts.size(); to > from; --to) {
      name = GivenValue{{value.texts.begin() + static_cast<std::ptrdiff_t>(from),
                         value.texts.begin() + static_cast<std::ptrdiff_t>(to)}}
                 .text();
      if (to == from + 1 || value.texts[from].starts_with(kSqlMark) ||
          FileSystem::real().exists(name) || FileSystem::real().is_folder(name))
        break;
    }
    paths.push_back(std::move(name));
  }
  if (paths.empty() || std::ranges::find(paths, "") != paths.end()) return "needs a file";
  all.options.ticks.path.clear();
  for (const std::string& path : paths)
    all.options.ticks.path += (all.options.ticks.path.empty() ? "" : "\n") + path;
  return {};
}

std::string put_scale(ReadSettings& all, const GivenValue& value) {
  if (!parse_scale(value.text())) return "give the lowest and the highest grade, as in 0-3";
  all.options.ticks.scale = value.text();
  return {};
}

std::string put_id_column(ReadSettings& all, const GivenValue& value) {
  all.options.id_column = value.text() == "none" ? "" : value.text();
  return {};
}

std::string put_decimal(ReadSettings& all, const GivenValue& value) {
  if (value.text() != "." && value.text() != ",") return "must be '.' or ','";
  all.options.table.decimal = value.text()[0];
  return {};
}

// An option in one line, without a default unless there is one.
OptionSpec option(const char* key, Type type, const char* help, const char* standard = "",
                  const char* meta = "") {
  return {.key = key, .type = type, .default_value = standard, .help = help, .meta = meta};
}
OptionSpec text(const char* key, const char* meta, const char* help, const char* standard = "") {
  return option(key, Type::Text, help, standard, meta);
}
OptionSpec list(const char* key, const char* meta, const char* help) {
  return option(key, Type::List, help, "", meta);
}
OptionSpec path(const char* key, const char* help) {
  return option(key, Type::Path, help);
}
OptionSpec flag(const char* key, const char* help, const char* standard = "") {
  return option(key, Type::Flag, help, standard);
}
// Yes, no, or as the file looks.
OptionSpec maybe(const char* key, const char* help) {
  OptionSpec spec = option(key, Type::Flag, help, "auto");
  spec.can_be_auto = true;
  return spec;
}
OptionSpec choice(const char* key, std::vector<std::string> choices, const char* help,
                  const char* standard = "") {
  OptionSpec spec = option(key, Type::Choice, help, standard);
  spec.choices = std::move(choices);
  return spec;
}
OptionSpec integer(const char* key, const char* help, double low, double high,
                   const char* standard = "") {
  OptionSpec spec = option(key, Type::Integer, help, standard);
  spec.low = low, spec.high = high;
  return spec;
}

OptionSpec number(const char* key, const char* help) {
  return option(key, Type::Real, help);
}

constexpr char kLabelColumns[] = "the label columns";

// A setting whose value names columns.
ReadSetting of_columns(ReadSetting row) {
  row.names_columns = true;
  return row;
}

std::vector<ReadSetting> make_data_settings() {
  return {
      {"format",
       choice("format", format_choices(), "input format (default: detected from content and name)"),
       FIELD(options.format)},
      {"role",
       choice("labels-are", {"candidates", "truth"}, "what the labels are if the file does not say",
              "candidates"),
       FIELD(options.role)},
      of_columns(
          {"labels.names",
           list("label-names", "A,B,C|@FILE", "label columns by name; @FILE has one name per line"),
           put_label_names,
           {},
           kLabelColumns}),
      {"labels.prefix",
       text("label-prefix", "TEXT", "label columns: those whose name begins with TEXT"),
       FIELD(options.labels.prefix),
       {},
       kLabelColumns},
      {"labels.count",
       integer("label-count", "label columns: N > 0: the first N; N < 0: the last |N|", -1e9, 1e9),
       FIELD(options.labels.count),
       {},
       kLabelColumns},
      of_columns({"labels.column",
                  text("label-column", "NAME", "one column that lists the labels of each row"),
                  FIELD(options.labels.column),
                  {},
                  kLabelColumns}),
      {"labels.separator",
       text("label-separator", "TEXT", "separator of the list in {label-column}, or \"tab\"", ";"),
       put_label_separator},
      {"labels.all",
       flag("labels-only", "every column is a label; there are no features"),
       FIELD(options.labels.all),
       {},
       kLabelColumns},
      {"header", maybe("header", "the first line of a CSV file has names"), FIELD(options.header)},
      of_columns(
          {"id_column",
           text("id-column", "NAME",
                "column with the ids of the rows, or \"none\" (default: one that plainly is)"),
           put_id_column}),
      {"delimiter",
       text("delimiter", "CHAR", "column separator of a CSV file: a character, or \"tab\""),
       FIELD(options.delimiter)},
      {"sheets",
       list("sheet", "NAMES",
            "sheets of a workbook, by name or number (default: all), or a table of DuckDB"),
       FIELD(options.sheets)},
      of_columns({"table.text",
                  list("text-column", "NAMES", "columns of free text: their words become features"),
                  FIELD(options.table.text)}),
      of_columns(
          {"table.category",
           list("category-column", "NAMES", "columns of categories, even if they are numbers"),
           FIELD(options.table.category)}),
      of_columns({"table.date",
                  list("date-column", "NAMES", "columns of dates, taken as days since 1970-01-01"),
                  FIELD(options.table.date)}),
      of_columns({"table.ignore",
                  list("ignore-columns", "NAMES", "columns that are neither features nor labels"),
                  FIELD(options.table.ignore)}),
      {"table.terms.terms",
       integer("text-terms", "words and pairs of words kept from a text column (0 = hash all)", 0,
               1e7, "20000"),
       FIELD(options.table.terms.terms)},
      {"table.terms.char_grams",
       integer("char-ngrams", "also use up to N letters in a row as features (0 = none)", 0, 16,
               "0"),
       FIELD(options.table.terms.char_grams),
       {"text-letters"}},
      {"table.terms.pairs", flag("text-pairs", "also use pairs of words", "true"),
       FIELD(options.table.terms.pairs)},
      {"table.decimal", text("decimal", "CHAR", "decimal mark of the numbers", "."), put_decimal},
      {"table.thousands",
       text("thousands", "CHAR", "mark between groups of three digits (default: none)"),
       FIELD(options.table.thousands)},
      {"label_file", path("label-file", "the labels, in a separate file with the same rows"),
       FIELD(options.label_file)},
      {"id_file", path("id-file", "the ids of the rows, one per line, in a separate file"),
       FIELD(options.id_file)},
      {"xml", path("xml", "label list of an ARFF file (default: NAME.xml beside it)"),
       FIELD(options.xml)},
  };
}

std::vector<ReadSetting> make_annotation_settings() {
  std::vector<ReadSetting> table = {
      {"ticks.path",
       list("annotations", "FILES",
            "annotations of several annotators: files, folders or patterns, joined by id"),
       put_annotations,
       {"ticks"}},
      {"ticks.format",
       choice("annotation-format", annotation_format_names(),
              "layout of {annotations} (default: recognised)"),
       FIELD(options.ticks.format),
       {"ticks-format"}},
      of_columns({"ticks.item",
                  text("item-column", "NAME", "column of {annotations} that names the rows"),
                  FIELD(options.ticks.item),
                  {"ticks-item"}}),
      of_columns({"ticks.person",
                  text("annotator-column", "NAME",
                       "column of {annotations} with the annotator, or \"none\""),
                  FIELD(options.ticks.annotator),
                  {"ticks-person"}}),
      of_columns(
          {"ticks.label",
           text("annotation-label-column", "NAME", "column of {annotations} with the labels"),
           FIELD(options.ticks.label),
           {"ticks-label"}}),
      of_columns(
          {"ticks.value",
           text("vote-column", "NAME", "column of {annotations} that says yes or no, or \"none\""),
           FIELD(options.ticks.value),
           {"ticks-value"}}),
      of_columns({"ticks.unsure",
                  text("unsure-column", "NAME",
                       "column of {annotations} with what annotators are unsure of, or \"none\""),
                  FIELD(options.ticks.unsure)}),
      {"ticks.scale",
       text("vote-scale", "LOW-HIGH",
            "answers in {annotations} are grades on this scale: 0-3, 1-5"),
       put_scale},
      {"ticks.ticks_from",
       number("vote-from", "grades from this on are ticks (default: above 0, or above the middle)"),
       FIELD(options.ticks.ticks_from)},
      {"ticks.columns",
       list("annotation-columns", "NAMES",
            "columns of {annotations}, if its first line has no names"),
       FIELD(options.ticks.columns),
       {"ticks-columns"}},
      {"ticks.sheets",
       list("annotation-sheet", "NAMES", "sheets of {annotations}, by name or number"),
       FIELD(options.ticks.sheets)},
      {"ticks.items_are",
       choice("items-are", item_kinds(),
              "items of {annotations} (default: ids, or a column \"row\")"),
       FIELD(options.ticks.items_are)},
      {"ticks.separator",
       text("annotation-separator", "TEXT",
            "separator of several labels in a cell, \"tab\", or \"none\" for one label"),
       put_tick_separator,
       {"ticks-separator"}},
      {"ticks.empty_words",
       text("empty-words", "A,B,C", "words that mean no label (default: n/a, nan, null, ...)"),
       FIELD(options.ticks.empty_words)},
      {"ticks.merge_case",
       flag("merge-case", "names in {annotations} that differ only by case or spaces are one"),
       FIELD(options.ticks.merge_case)},
      {"ticks.repeats",
       choice("repeats", repeat_rules(),
              "which of several annotations of one row by one annotator count (default: last)"),
       FIELD(options.ticks.repeats)},
      {"ticks.looked",
       path("looked", "which annotator saw which row, for those who assigned no label"),
       FIELD(options.ticks.looked)},
      {"ticks.all_people",
       flag("all-annotations", "also count annotations that were rejected or cancelled"),
       FIELD(options.ticks.all_annotators),
       {"ticks-all"}},
      {"ticks.keep_unseen", flag("keep-unseen", "also keep rows that nobody annotated"),
       FIELD(options.ticks.keep_unseen)},
      {"ticks.predictions",
       flag("predictions", "Label Studio: predictions are annotations of programs, too"),
       FIELD(options.ticks.predictions)},
  };
  for (std::size_t i = 1; i < table.size(); ++i) table[i].needs = table[0].term;
  // These are of use to any data that says who annotated what.
  const std::vector<ReadSetting> of_annotators = {
      {"ticks.program_scores",
       list("program-scores", "FILES",
            "tables of scores, each joined as the annotations of a program"),
       FIELD(options.ticks.program_scores)},
      {"ticks.kinds",
       list("annotator-kind", "NAME=program,...|@FILE",
            "annotators that are programs: they count once in a row; @FILE has a table of kinds"),
       FIELD(options.ticks.kinds)},
      {"ticks.groups",
       path("annotator-groups", "CSV of annotator and group: a group counts once in a row"),
       FIELD(options.ticks.groups)},
  };
  table.insert(table.end(), of_annotators.begin(), of_annotators.end());
  return table;
}

#undef FIELD

}  // namespace

std::vector<std::string> format_choices() {
  std::vector<std::string> names = format_names();
  names.emplace_back("sieve");  // another name of "binary"
  return names;
}

const std::vector<ReadSetting>& data_settings() {
  static const std::vector<ReadSetting> table = make_data_settings();
  return table;
}

const std::vector<ReadSetting>& annotation_settings() {
  static const std::vector<ReadSetting> table = make_annotation_settings();
  return table;
}

const ReadSetting& truth_setting() {
  static const ReadSetting row = {
      "truth", path("truth", "the true labels, in a separate file with the same rows"),
      into([](ReadSettings & all) -> auto& { return all.truth; })};
  return row;
}

const std::vector<ReadSetting>& read_setting_table() {
  static const std::vector<ReadSetting> table = [] {
    std::vector<ReadSetting> all = data_settings();
    all.insert(all.end(), annotation_settings().begin(), annotation_settings().end());
    all.push_back(truth_setting());
    return all;
  }();
  return table;
}

void check_read_settings(const ReadSettings& all, const std::vector<const ReadSetting*>& given,
                         const NameOfSetting<ReadSettings>& name) {
  const std::vector<ReadSetting>& table = read_setting_table();
  check_together(table, given, name);
  if (all.options.table.decimal == all.options.table.thousands)
    throw Error(Failure::Usage, name(*find_setting(table, "table.decimal")) + " and " +
                                    name(*find_setting(table, "table.thousands")) +
                                    " cannot be the same character");
}

namespace {

using Type = OptionSpec::Type;

template <class Number>
SettingRow<SynthOptions> row(const char* key, const char* standard, const char* help, double low,
                             double high, Number SynthOptions::*field) {
  return {
      with_underscores(key),
      {.key = key,
       .type = std::floating_point<Number> ? Type::Real : Type::Integer,
       .default_value = standard,
       .help = help,
       .low = low,
       .high = high},
      [field](SynthOptions& all, const GivenValue& value) { return put_value(value, all.*field); }};
}

}  // namespace

const std::vector<SettingRow<SynthOptions>>& synth_setting_table() {
  using O = SynthOptions;
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  static const std::vector<SettingRow<O>> table = {
      row("rows", "2000", "rows to make", 1, 1e9, &O::rows),
      row("features", "60", "features per row", 1, 1e9, &O::features),
      row("entries", "0", "non-zero features per row; 0 = dense features", 0, 1e9, &O::entries),
      row("labels", "12", "labels in all", 1, 1e9, &O::labels),
      row("annotators", "9", "annotators in all", 1, 1e9, &O::annotators),
      row("annotators-per-row", "3", "how many of them see a row", 1, 1e9, &O::annotators_per_row),
      row("cardinality", "2.5", "true labels per row, on average", 0, 1e9, &O::cardinality),
      row("noise", "2.5", "noise labels per row, on average", 0, 1e9, &O::noise),
      row("missing", "0", "share of the true labels that nobody ticks", 0, 0.9, &O::missing),
      {"votes",
       {.key = "votes", .type = Type::Flag, .help = "also who ticked what"},
       [](O& all, const GivenValue& value) { return put_value(value, all.votes); }},
      row("seed", "1", "random seed", 0, kNoLimit, &O::seed),
  };
  return table;
}

}  // namespace sieve
