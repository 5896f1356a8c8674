#include "data/read_settings.h"

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

std::string put_id_column(ReadSettings& all, const GivenValue& value) {
  all.options.id_column = value.text() == "none" ? "" : value.text();
  return {};
}

std::string put_decimal(ReadSettings& all, const GivenValue& value) {
  if (value.text() != "." && value.text() != ",") return "must be '.' or ','";
  all.options.table.decimal = value.text()[0];
  return {};
}

constexpr char kLabelColumns[] = "the label columns";

std::vector<ReadSetting> make_data_settings() {
  return {
      {"format",
       {.key = "format",
        .type = Type::Choice,
        .help = "input format (default: detected from content and name)",
        .choices = format_choices()},
       FIELD(options.format)},
      {"role",
       {.key = "labels-are",
        .type = Type::Choice,
        .default_value = "candidates",
        .help = "what the labels are if the file does not say",
        .choices = {"candidates", "truth"}},
       FIELD(options.role)},
      {"labels.names",
       {.key = "label-names",
        .type = Type::List,
        .help = "label columns by name; @FILE has one name per line",
        .meta = "A,B,C|@FILE"},
       put_label_names,
       {},
       kLabelColumns},
      {"labels.prefix",
       {.key = "label-prefix",
        .type = Type::Text,
        .help = "label columns: those whose name begins with TEXT",
        .meta = "TEXT"},
       FIELD(options.labels.prefix),
       {},
       kLabelColumns},
      {"labels.count",
       {.key = "label-count",
        .type = Type::Integer,
        .help = "label columns: N > 0: the first N; N < 0: the last |N|",
        .low = -1e9,
        .high = 1e9},
       FIELD(options.labels.count),
       {},
       kLabelColumns},
      {"labels.column",
       {.key = "label-column",
        .type = Type::Text,
        .help = "one column that lists the labels of each row",
        .meta = "NAME"},
       FIELD(options.labels.column),
       {},
       kLabelColumns},
      {"labels.separator",
       {.key = "label-separator",
        .type = Type::Text,
        .default_value = ";",
        .help = "separator of the list in {label-column}, or \"tab\"",
        .meta = "TEXT"},
       put_label_separator},
      {"labels.all",
       {.key = "labels-only",
        .type = Type::Flag,
        .help = "every column is a label; there are no features"},
       FIELD(options.labels.all),
       {},
       kLabelColumns},
      {"header",
       {.key = "header",
        .type = Type::Flag,
        .default_value = "auto",
        .help = "the first line of a CSV file has names",
        .can_be_auto = true},
       FIELD(options.header)},
      {"id_column",
       {.key = "id-column",
        .type = Type::Text,
        .help = "column with the ids of the rows, or \"none\" (default: one that plainly is)",
        .meta = "NAME"},
       put_id_column},
      {"delimiter",
       {.key = "delimiter",
        .type = Type::Text,
        .help = "column separator of a CSV file: a character, or \"tab\"",
        .meta = "CHAR"},
       FIELD(options.delimiter)},
      {"table.text",
       {.key = "text-column",
        .type = Type::List,
        .help = "columns of free text: their words become features",
        .meta = "NAMES"},
       FIELD(options.table.text)},
      {"table.category",
       {.key = "category-column",
        .type = Type::List,
        .help = "columns of categories, even if they are numbers",
        .meta = "NAMES"},
       FIELD(options.table.category)},
      {"table.date",
       {.key = "date-column",
        .type = Type::List,
        .help = "columns of dates, taken as days since 1970-01-01",
        .meta = "NAMES"},
       FIELD(options.table.date)},
      {"table.ignore",
       {.key = "ignore-columns",
        .type = Type::List,
        .help = "columns that are neither features nor labels",
        .meta = "NAMES"},
       FIELD(options.table.ignore)},
      {"table.terms.terms",
       {.key = "text-terms",
        .type = Type::Integer,
        .default_value = "20000",
        .help = "words and pairs of words kept from a text column (0 = hash all)",
        .low = 0,
        .high = 1e7},
       FIELD(options.table.terms.terms)},
      {"table.terms.char_grams",
       {.key = "char-ngrams",
        .type = Type::Integer,
        .default_value = "0",
        .help = "also use up to N letters in a row as features (0 = none)",
        .low = 0,
        .high = 16},
       FIELD(options.table.terms.char_grams),
       {"text-letters"}},
      {"table.terms.pairs",
       {.key = "text-pairs",
        .type = Type::Flag,
        .default_value = "true",
        .help = "also use pairs of words"},
       FIELD(options.table.terms.pairs)},
      {"table.decimal",
       {.key = "decimal",
        .type = Type::Text,
        .default_value = ".",
        .help = "decimal mark of the numbers",
        .meta = "CHAR"},
       put_decimal},
      {"table.thousands",
       {.key = "thousands",
        .type = Type::Text,
        .help = "mark between groups of three digits (default: none)",
        .meta = "CHAR"},
       FIELD(options.table.thousands)},
      {"label_file",
       {.key = "label-file",
        .type = Type::Path,
        .help = "the labels, in a separate file with the same rows"},
       FIELD(options.label_file)},
      {"id_file",
       {.key = "id-file",
        .type = Type::Path,
        .help = "the ids of the rows, one per line, in a separate file"},
       FIELD(options.id_file)},
      {"xml",
       {.key = "xml",
        .type = Type::Path,
        .help = "label list of an ARFF file (default: NAME.xml beside it)"},
       FIELD(options.xml)},
  };
}

std::vector<ReadSetting> make_annotation_settings() {
  std::vector<ReadSetting> table = {
      {"ticks.path",
       {.key = "annotations",
        .type = Type::Path,
        .help = "annotations of several people in a file of their own, joined to the rows by id"},
       FIELD(options.ticks.path),
       {"ticks"}},
      {"ticks.format",
       {.key = "annotation-format",
        .type = Type::Choice,
        .help = "layout of {annotations} (default: recognised)",
        .choices = tick_format_names()},
       FIELD(options.ticks.format),
       {"ticks-format"}},
      {"ticks.item",
       {.key = "item-column",
        .type = Type::Text,
        .help = "column of {annotations} that names the rows",
        .meta = "NAME"},
       FIELD(options.ticks.item),
       {"ticks-item"}},
      {"ticks.person",
       {.key = "annotator-column",
        .type = Type::Text,
        .help = "column of {annotations} with the annotator, or \"none\"",
        .meta = "NAME"},
       FIELD(options.ticks.person),
       {"ticks-person"}},
      {"ticks.label",
       {.key = "annotation-label-column",
        .type = Type::Text,
        .help = "column of {annotations} with the labels",
        .meta = "NAME"},
       FIELD(options.ticks.label),
       {"ticks-label"}},
      {"ticks.value",
       {.key = "vote-column",
        .type = Type::Text,
        .help = "column of {annotations} that says yes or no, or \"none\"",
        .meta = "NAME"},
       FIELD(options.ticks.value),
       {"ticks-value"}},
      {"ticks.columns",
       {.key = "annotation-columns",
        .type = Type::List,
        .help = "columns of {annotations}, if its first line has no names",
        .meta = "NAMES"},
       FIELD(options.ticks.columns),
       {"ticks-columns"}},
      {"ticks.items_are",
       {.key = "items-are",
        .type = Type::Choice,
        .help = "items of {annotations} (default: ids, or a column \"row\")",
        .choices = item_kinds()},
       FIELD(options.ticks.items_are)},
      {"ticks.separator",
       {.key = "annotation-separator",
        .type = Type::Text,
        .help = "separator of several labels in a cell, \"tab\", or \"none\" for one label",
        .meta = "TEXT"},
       put_tick_separator,
       {"ticks-separator"}},
      {"ticks.empty_words",
       {.key = "empty-words",
        .type = Type::Text,
        .help = "words that mean no label (default: n/a, nan, null, ...)",
        .meta = "A,B,C"},
       FIELD(options.ticks.empty_words)},
      {"ticks.merge_case",
       {.key = "merge-case",
        .type = Type::Flag,
        .help = "names in {annotations} that differ only by case or spaces are one"},
       FIELD(options.ticks.merge_case)},
      {"ticks.repeats",
       {.key = "repeats",
        .type = Type::Choice,
        .help = "which of several annotations of one row by one annotator count (default: last)",
        .choices = repeat_rules()},
       FIELD(options.ticks.repeats)},
      {"ticks.looked",
       {.key = "looked",
        .type = Type::Path,
        .help = "which annotator saw which row, for those who assigned no label"},
       FIELD(options.ticks.looked)},
      {"ticks.all_people",
       {.key = "all-annotations",
        .type = Type::Flag,
        .help = "also count annotations that were rejected or cancelled"},
       FIELD(options.ticks.all_people),
       {"ticks-all"}},
      {"ticks.keep_unseen",
       {.key = "keep-unseen", .type = Type::Flag, .help = "also keep rows that nobody annotated"},
       FIELD(options.ticks.keep_unseen)},
  };
  for (std::size_t i = 1; i < table.size(); ++i) table[i].needs = table[0].term;
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
      "truth",
      {.key = "truth",
       .type = Type::Path,
       .help = "the true labels, in a separate file with the same rows"},
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

}  // namespace sieve
