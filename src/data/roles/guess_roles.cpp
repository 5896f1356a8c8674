#include "data/roles/guess_roles.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/streams.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/item_data.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/open_annotations.h"
#include "data/csv/csv_columns.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/parts.h"
#include "data/read_settings.h"
#include "data/text/text_kinds.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kMostQuestions = 32;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// ---- answers ------------------------------------------------------------------------------------

std::vector<std::string>* growing_list(TableOptions& table, const std::string& term) {
  if (term == "table.text") return &table.text;
  if (term == "table.category") return &table.category;
  if (term == "table.date") return &table.date;
  if (term == "table.ignore") return &table.ignore;
  return nullptr;
}

}  // namespace

void take_answer(ReadOptions& options, const ReadAnswer& answer) {
  for (const auto& [term, value] : answer.settings) {
    const ReadSetting& row = *find_setting(read_setting_table(), term);
    const GivenValue given = typed_value(row.option, value);
    if (std::vector<std::string>* list = growing_list(options.table, term)) {
      list->insert(list->end(), given.texts.begin(), given.texts.end());
      continue;
    }
    ReadSettings all{options, {}};
    if (const std::string problem = put_checked(row, all, given); !problem.empty())
      throw Error(Failure::Data, term + ": " + problem);
    options = all.options;
  }
}

namespace {

// ---- columns of the data
// --------------------------------------------------------------------------

void refuse_without_names(const std::string& path, const ReadOptions& options) {
  const auto refuse = [&] {
    throw Error(Failure::Usage, "the columns of this file have no names to give roles to",
                {path, 0, 0},
                "roles are for CSV files with a line of names, JSON lines, sheets and Parquet");
  };
  if (options.header && !*options.header) refuse();
  if (path.starts_with(kSqlMark) || options.files->is_folder(path)) return;
  constexpr std::size_t kLookedAt = 4096;
  const std::string front = read_front(*open_unpacked(*options.files, path), kLookedAt);
  const std::string& format =
      options.format.empty() ? detect_format(front, path).name : options.format;
  if (format != "csv" && format != "jsonl" && format != "xlsx" && format != "parquet") refuse();
}

// The names and first rows of a table of data.
struct Sampled {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> cells;  // by column

  std::string example(std::size_t column) const {
    const auto filled = std::ranges::find_if(
        cells[column], [](const std::string& cell) { return !trimmed(cell).empty(); });
    return filled == cells[column].end() ? "" : *filled;
  }
  bool are(std::size_t column, bool (*test)(std::string_view)) const {
    return !example(column).empty() && std::ranges::all_of(cells[column], [&](const auto& cell) {
      return trimmed(cell).empty() || test(trimmed(cell));
    });
  }
};

Sampled sampled(const AnnotationRecords& records) {
  Sampled out{records.names(), {}};
  for (std::size_t k = 0; k < out.names.size(); ++k) out.cells.push_back(sample_of(records, k));
  return out;
}

Sampled sample_of_data(const std::string& path, const ReadOptions& options) {
  if (options.delimiter != 0)
    return sampled(
        AnnotationRecords(open_unpacked(*options.files, path), path, {}, options.delimiter));
  AnnotationOptions as_table;
  as_table.path = path;
  as_table.sheets = options.sheets;
  return sampled(open_annotations(path, as_table, *options.files)->records(0));
}

// What may be the labels of data that does not say so itself.
class LabelGuess {
 public:
  explicit LabelGuess(const Sampled& table) : table_(table) {
    for (std::size_t k = 0; k < table.names.size(); ++k) look(k);
  }

  // What the labels may be, the likeliest first.
  std::vector<ReadAnswer> answers() const {
    std::vector<ReadAnswer> answers;
    for (const auto* columns : {&named_, &lists_})
      for (const std::size_t k : *columns) {
        answers.push_back({fmt::format("if '{}' lists them", table_.names[k]),
                           {{"labels.column", table_.names[k]}}});
        if (const std::string mark = separator(k); !mark.empty())
          answers.back().settings.emplace_back("labels.separator", mark == "\t" ? "tab" : mark);
      }
    std::vector<std::string> names;
    for (const std::size_t k : bits_) names.push_back(table_.names[k]);
    if (!names.empty())
      answers.push_back({"if columns of yes and no, or 0 and 1, are labels",
                         {{"labels.names", fmt::format("{}", fmt::join(names, ","))}}});
    return answers;
  }

  // Puts the plain guess into the options, or asks.
  void settle(ReadOptions& options, RoleTable& roles) const {
    if (named_.size() == 1 && lists_.empty()) {
      options.labels.column = table_.names[named_.front()];
      set_separator(named_.front(), options, roles);
      return;
    }
    OpenQuestion question{"cannot tell which columns are labels", answers()};
    if (!question.answers.empty()) take_answer(options, question.answers.front());
    roles.open.push_back(std::move(question));
  }

 private:
  std::string separator(std::size_t column) const {
    std::set<std::string_view> texts;
    for (const std::string& cell : table_.cells[column])
      if (!trimmed(cell).empty()) texts.insert(trimmed(cell));
    const Separation found = separation_of({texts.begin(), texts.end()});
    return found.texts == Separation::Texts::Lists ? std::string(found.separator) : "";
  }
  void set_separator(std::size_t column, ReadOptions& options, RoleTable& roles) const {
    const std::string mark = separator(column);
    if (mark.empty() || mark == options.labels.separator) return;
    options.labels.separator = mark;
    roles.settings.emplace_back("labels.separator", mark == "\t" ? "tab" : mark);
  }
  void look(std::size_t k) {
    const std::string bare = bare_name(table_.names[k]);
    const bool named = std::ranges::find(kLabelNames, bare) != kLabelNames.end();
    const bool bits = table_.are(k, [](std::string_view cell) {
      return is_bit(cell) || same_word(cell, "yes") || same_word(cell, "no");
    });
    if (bits && !is_side_column(table_.names[k])) bits_.push_back(k);
    const bool numbers = table_.are(k, [](std::string_view cell) {
      return cell.find_first_not_of("0123456789.,+-eE ") == cell.npos;
    });
    if (bits || (numbers && !named) || id_name(table_.names[k]) == IdName::Yes) return;
    const bool lists = table_.are(k, is_list_literal) || !separator(k).empty();
    if (named && (lists || any_repeats(table_.cells[k])))
      named_.push_back(k);
    else if (lists)
      lists_.push_back(k);
  }

  const Sampled& table_;
  std::vector<std::size_t> named_, lists_, bits_;
};

// None of what cannot be read twice.
std::vector<ReadAnswer> likely_labels(const std::vector<std::string>& paths,
                                      const ReadOptions& options) {
  const SetParts parts = find_parts(paths, *options.files);
  if (parts.tables.empty()) return {};
  const std::string& first = parts.tables.front();
  if (!first.starts_with(kSqlMark) && !options.files->map(first)) return {};
  try {
    const Sampled table = sample_of_data(first, options);
    return LabelGuess(table).answers();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Dataset read_or_ask(const std::vector<std::string>& paths, const ReadOptions& options,
                    bool guess_texts) {
  try {
    return read_dataset_with_texts(paths, options, guess_texts);
  } catch (const LabelsUnknown& unknown) {
    std::vector<ReadAnswer> answers = likely_labels(paths, options);
    if (answers.empty()) throw;
    throw ReadQuestion(unknown.message(), unknown.where(), std::move(answers), unknown.hint());
  }
}

namespace {

// Reads the set; where a question is asked, its likeliest answer goes into the options.
Dataset read_answering(const std::vector<std::string>& paths, ReadOptions& options,
                       bool guess_texts, std::vector<OpenQuestion>& open) {
  for (;;) {
    try {
      return read_or_ask(paths, options, guess_texts);
    } catch (const ReadQuestion& question) {
      const bool again =
          std::ranges::find(open, question.message(), &OpenQuestion::message) != open.end();
      if (again || question.answers().empty() || open.size() == kMostQuestions) throw;
      open.push_back({question.message(), question.answers()});
      take_answer(options, question.answers().front());
    }
  }
}

std::string without_mark(const std::string& column, const LabelColumns& labels) {
  for (const std::string_view mark : {std::string_view(labels.prefix), std::string_view("label:"),
                                      std::string_view("candidate:"), std::string_view("truth:")})
    if (!mark.empty() && column.starts_with(mark)) return column.substr(mark.size());
  return column;
}

// Tells what a column of the data was taken for, and why.
class DataRoles {
 public:
  DataRoles(const Sampled& table, const Dataset& data, const ReadOptions& options,
            std::string id_column)
      : table_(table), data_(data), options_(options), id_column_(std::move(id_column)) {
    if (data.recipe)
      for (const RecipeColumn& column : data.recipe->columns) kinds_[column.name] = column.kind;
    else
      for (const std::string& name : data.feature_names) kinds_[name] = RecipeColumn::Kind::Number;
  }

  ColumnRole role(std::size_t k) const {
    const std::string& name = table_.names[k];
    ColumnRole out{name, "ignore", "not used", table_.example(k)};
    const auto set = [&](std::string_view role, std::string reason) {
      out.role = role;
      out.reason = std::move(reason);
      return out;
    };
    if (name == id_column_)
      return set("id", options_.id_column             ? "given"
                       : id_name(name) == IdName::Yes ? "named like an id, and its values differ"
                                                      : "has the items of the annotations");
    if (name == options_.labels.column) return set("labels", "lists the labels of a row");
    if (is_named(options_.table.ignore, name)) return set("ignore", "given");
    if (const auto kind = kind_of(name)) return feature(std::move(out), *kind);
    if (contains(data_.label_names, without_mark(name, options_.labels)))
      return set("label", "says yes or no to this label");
    if (table_.are(k, is_list_literal) && data_.labels() != 0)
      return set("labels", "lists the labels of a row");
    if (is_media(k)) return set("image", "names pictures or sounds, which are shown to reviewers");
    return out;
  }

 private:
  using Kind = RecipeColumn::Kind;
  static bool is_named(const std::vector<std::string>& names, const std::string& name) {
    return contains(names, name);
  }
  bool is_media(std::size_t k) const {
    return table_.are(k, [](std::string_view cell) { return !media_type(cell).empty(); });
  }
  // Of a list of numbers, that of its elements.
  std::optional<Kind> kind_of(const std::string& name) const {
    if (const auto found = kinds_.find(name); found != kinds_.end()) return found->second;
    if (kinds_.contains(name + "[0]")) return Kind::Number;
    return std::nullopt;
  }
  ColumnRole feature(ColumnRole out, Kind kind) const {
    const TableOptions& table = options_.table;
    const bool given = is_named(table.text, out.column) || is_named(table.date, out.column) ||
                       is_named(table.category, out.column);
    switch (kind) {
      case Kind::Number:
        out.role = "number", out.reason = "most values are numbers";
        break;
      case Kind::Category:
        out.role = "category", out.reason = "texts that repeat";
        break;
      case Kind::Date:
        out.role = "date", out.reason = "dates, as days since 1970";
        break;
      case Kind::Text:
        out.role = "text", out.reason = "two words or more, most texts do not repeat";
        break;
    }
    if (given) out.reason = "given";
    return out;
  }

  const Sampled& table_;
  const Dataset& data_;
  const ReadOptions& options_;
  std::string id_column_;
  std::map<std::string, Kind> kinds_;
};

// ---- columns of the annotations
// -------------------------------------------------------------------

// Not of one platform, which says itself what its columns are.
bool is_general(const std::string& layout) {
  return layout == "long" || layout == "wide" || layout == "raters";
}

std::string reason_for(const std::string& role, const std::string& layout) {
  if (layout == "raters" && role == "label") return "has the labels of one annotator";
  static const std::map<std::string, std::string> reasons = {
      {"id", "names the items"},
      {"annotator", "says who annotated"},
      {"label", "says yes or no to this label"},
      {"labels", "has the labels of an annotation"},
      {"vote", "says yes or no to the label of a line"},
      {"unsure", "says what annotators are unsure of"},
      {"date", "says when an annotation was made"}};
  return reasons.at(role) + (is_general(layout) ? "" : ", as " + layout + " has it");
}

std::vector<ColumnRole> roles_of_annotations(const ReadOptions& options, const RowIds* ids,
                                             const Dataset& data, bool items_are_rows,
                                             RoleTable& table) {
  AnnotationReader reader(options.ticks, *options.files);
  Sampled columns;
  std::string layout;
  reader.look([&](const AnnotationRecords& records) {
    columns = sampled(records);
    layout = annotation_layout_of(records, options.ticks, records.path()).format.name;
  });
  reader.read(ids, nullptr);
  if (is_general(layout)) table.settings.emplace_back("ticks.format", layout);
  std::vector<ColumnRole> roles;
  for (std::size_t k = 0; k < columns.names.size(); ++k) {
    const std::string& name = columns.names[k];
    ColumnRole role{name, "ignore", "not used", columns.example(k), true};
    const DataRoles carried(columns, data, options, {});
    if (const auto used = reader.used().find(name); used != reader.used().end()) {
      role.role = used->second;
      role.reason = reason_for(role.role, layout);
    } else if (items_are_rows && data.recipe) {
      role = carried.role(k);
      role.of_annotations = true;
    }
    roles.push_back(std::move(role));
  }
  return roles;
}

// ---- what is open
// ---------------------------------------------------------------------------------

// Columns that an open question is about have no role yet.
void mark_unclear(RoleTable& table) {
  for (const OpenQuestion& question : table.open) {
    std::set<std::string> about;
    bool of_annotations = false;
    for (const ReadAnswer& answer : question.answers)
      for (const auto& [term, value] : answer.settings) {
        const ReadSetting& row = *find_setting(read_setting_table(), term);
        for (const std::string& name : typed_value(row.option, value).texts) about.insert(name);
        about.insert(value);
        of_annotations |= term.starts_with("ticks.");
      }
    for (ColumnRole& column : table.columns) {
      if (column.of_annotations != of_annotations || !about.contains(column.column)) continue;
      column.role = kUnclearRole;
      column.reason = question.message;
    }
  }
}

}  // namespace

const std::vector<std::string>& role_names() {
  static const std::vector<std::string> names = {"id",   "annotator", "label",  "labels",
                                                 "text", "image",     "date",   "number",
                                                 "vote", "category",  "unsure", "ignore"};
  return names;
}

std::string RoleTable::likeliest_call() const {
  std::map<std::string, std::string> lists;
  std::vector<SettingValue> all;
  for (const OpenQuestion& question : open) {
    if (question.answers.empty()) return {};
    for (const SettingValue& setting : question.answers.front().settings) {
      const auto same = std::ranges::find(all, setting.first, &SettingValue::first);
      if (same == all.end())
        all.push_back(setting);
      else
        same->second += "," + setting.second;
    }
  }
  return rerun_with(all);
}

std::vector<OpenQuestion> open_questions(const std::vector<std::string>& paths,
                                         const ReadOptions& options, bool guess_texts) {
  ReadOptions trial = options;
  trial.notes = nullptr;
  std::vector<OpenQuestion> open;
  try {
    read_answering(paths, trial, guess_texts, open);
  } catch (const Error&) {  // what is wrong beyond questions is said once these are answered
  }
  return open;
}

RoleTable roles_by_names(const std::vector<std::string>& paths, const ReadOptions& options,
                         const std::string& message) {
  RoleTable table;
  if (!paths.empty()) {
    ReadOptions alone = options;
    alone.ticks = {};
    table.columns = guess_roles(paths, alone).columns;
  }
  AnnotationReader(options.ticks, *options.files).look([&](const AnnotationRecords& records) {
    const Sampled columns = sampled(records);
    for (std::size_t k = 0; k < columns.names.size(); ++k) {
      const std::string bare = bare_name(columns.names[k]);
      const auto is = [&](const ColumnNames& names) {
        return std::ranges::find(names, bare) != names.end();
      };
      ColumnRole role{columns.names[k], std::string(kUnclearRole), message, columns.example(k),
                      true};
      if (is(kPlainAnnotatorNames)) role.role = "annotator", role.reason = "named like one";
      if (is(kLabelNames)) role.role = "labels", role.reason = "named like labels";
      table.columns.push_back(std::move(role));
    }
  });
  table.open.push_back({message, {}});
  return table;
}

RoleTable guess_roles(const std::vector<std::string>& paths, const ReadOptions& options) {
  RoleTable table;
  ReadOptions trial = options;
  trial.notes = nullptr;
  trial.labels.optional = true;
  const bool ticked = !options.ticks.path.empty();
  std::optional<Sampled> columns;
  if (!paths.empty()) {
    const SetParts parts = find_parts(paths, *options.files);
    if (parts.tables.empty()) throw Error(Failure::Usage, "no data file was named");
    refuse_without_names(parts.tables.front(), options);
    columns = sample_of_data(parts.tables.front(), options);
  }
  std::string id_column;
  trial.id_column_taken = &id_column;
  const bool says_labels =
      ticked || options.labels.given() || !options.label_file.empty() || !columns ||
      std::ranges::any_of(columns->names,
                          [](const std::string& name) { return without_mark(name, {}) != name; });
  if (!says_labels) LabelGuess(*columns).settle(trial, table);
  const Dataset data = read_answering(paths, trial, true, table.open);
  table.rows = data.rows();
  table.labels = data.labels();
  if (data.votes) {
    table.annotators = data.votes->annotators().size();
    table.annotations = data.votes->first_annotation(data.rows());
  }
  if (columns) {
    const DataRoles roles(*columns, data, trial, id_column);
    for (std::size_t k = 0; k < columns->names.size(); ++k) table.columns.push_back(roles.role(k));
  }
  if (ticked) {
    const RowIds ids(data.ids, id_column);
    const bool known = !paths.empty() && !data.ids.empty() && !id_column.empty();
    for (ColumnRole& role :
         roles_of_annotations(trial, known ? &ids : nullptr, data, paths.empty(), table))
      table.columns.push_back(std::move(role));
  }
  mark_unclear(table);
  return table;
}

}  // namespace sieve
