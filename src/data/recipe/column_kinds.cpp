#include "data/recipe/recipe.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "data/question.h"
#include "data/text/numbers.h"
#include "data/text/text_kinds.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

using Kind = RecipeColumn::Kind;

// What was seen of a column.
struct Seen {
  std::size_t numbers = 0, texts = 0, dates = 0, commas = 0, thousands = 0, phrases = 0, media = 0;
  bool have_commas() const { return 2 * (commas + thousands) > texts; }
  bool hardly_repeats() const { return 2 * values.size() > texts; }
  std::unordered_set<std::string_view> values;  // of its texts
  bool has_bad_number = false;
};

// A number with a decimal point in a table that has another mark.
bool has_other_mark(std::string_view text) {
  float ignored = 0;
  return parse_float(text, ignored);
}

// A number that is not finite or too large is no text.
bool is_infinite(std::string_view text) {
  return !has_other_mark(text) && !number_problem(text).ends_with("is not a number");
}

// Whether a text would be a number if its comma were a decimal point.
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) return false;
  std::string plain(text);
  plain[comma] = '.';
  float ignored = 0;
  return parse_float(plain, ignored);
}

// Whether a text is a number such as 1.234,5.
bool has_thousands(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.substr(0, comma).find('.') == text.npos) return false;
  std::string plain(text);
  std::erase(plain, '.');
  return has_decimal_comma(plain);
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

class KindChooser {
 public:
  KindChooser(const RawTable& table, const TableOptions& options)
      : table_(table), options_(options), seen_(table.columns()), kinds_(table.columns()) {}

  std::vector<std::optional<Kind>> choose() {
    look();
    for (std::size_t j = 0; j < kinds_.size(); ++j) kinds_[j] = kind_of(j);
    refuse_bad_cells();
    ask_about_commas();
    for (std::size_t j = 0; j < kinds_.size(); ++j)
      if (!named(j) && kinds_[j] == Kind::Category) refuse_column(j);
    ask_about_texts();
    return kinds_;
  }

 private:
  void look() {
    for (std::size_t i = 0; i < table_.rows(); ++i)
      for (std::size_t j = 0; j < seen_.size(); ++j)
        seen_[j].numbers += !std::isnan(table_.numbers(i, j));
    table_.texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      Seen& seen = seen_[cell.column];
      if (named(cell.column)) return;
      ++seen.texts;
      seen.dates += looks_like_date(text);
      seen.commas += has_decimal_comma(text);
      seen.thousands += has_thousands(text);
      seen.phrases += has_words(text, 2);
      seen.media += !media_type(text).empty();
      seen.has_bad_number |=
          seen.values.insert(text).second && (is_infinite(text) || has_other_mark(text));
    });
  }

  bool named(std::size_t column) const {
    if (table_.names.empty()) return false;
    const std::string& name = table_.names[column];
    return contains(options_.text, name) || contains(options_.category, name) ||
           contains(options_.date, name);
  }
  std::optional<Kind> kind_of(std::size_t column) const {
    if (!table_.names.empty()) {
      const std::string& name = table_.names[column];
      if (contains(options_.text, name)) return Kind::Text;
      if (contains(options_.category, name)) return Kind::Category;
      if (contains(options_.date, name)) return Kind::Date;
    }
    const Seen& seen = seen_[column];
    if (seen.texts <= seen.numbers || seen.has_bad_number) return Kind::Number;
    if (!table_.names.empty() && 2 * seen.media > seen.texts) return std::nullopt;
    const bool free_text = seen.hardly_repeats() && 2 * seen.phrases > seen.texts;
    return free_text ? Kind::Text : Kind::Category;
  }

  // ---- cells -----------------------------------------------------------------------------------

  bool fits(const CellTexts::Cell& cell, std::string_view text) const {
    const std::optional<Kind> kind = kinds_[cell.column];
    return kind == Kind::Date ? days_of_date(text).has_value() : kind != Kind::Number;
  }
  void refuse_bad_cells() const {
    constexpr std::size_t kShown = 5;
    std::size_t bad = 0;
    Place first;
    std::string shown, hint;
    table_.texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      if (fits(cell, text) || ++bad > kShown) return;
      const std::string what =
          (kinds_[cell.column] == Kind::Date
               ? fmt::format("'{}' is not a date as in 2024-05-31", text.substr(0, 40))
               : number_problem(text)) +
          " in " + table_.describe(cell.column);
      if (bad == 1) {
        first = table_.place(cell);
        hint = hint_for(cell.column, text);
      }
      shown += bad == 1 ? what : fmt::format("; {}, line {}", what, cell.line);
    });
    if (bad == 0) return;
    if (bad > 1)
      shown = fmt::format("{} (and {} more such cells{}{})", shown.substr(0, shown.find("; ")),
                          bad - 1, shown.substr(shown.find("; ")).replace(0, 2, ": "),
                          bad > kShown ? "; ..." : "");
    throw Error(Failure::Data, shown, first, hint);
  }
  std::string hint_for(std::size_t column, std::string_view text) const {
    if (kinds_[column] == Kind::Date) return date_hint(column, text);
    if (has_other_mark(text))
      return fmt::format(
          "{} says that '{}' is the decimal mark: correct the cell, or leave the "
          "setting out if all numbers have a decimal point",
          term("table.decimal"), options_.decimal);
    if (is_infinite(text)) return "features must be finite numbers";
    if (has_decimal_comma(text)) return "for a decimal comma give " + term("table.decimal", ",");
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == ',' || c == '.'; });
    float ignored = 0;
    if (text.find(',') != text.npos && parse_float(plain, ignored))
      return "give " + term("table.decimal") + " and " + term("table.thousands");
    const char* like_date = looks_like_date(text) ? "it looks like a date, but " : "";
    return like_date +
           std::string(
               "most of this column are numbers; correct the cell, leave it empty, or take the "
               "column as categories with ") +
           term("table.category");
  }

  // How to give dates that do not begin with the year, in a command to copy.
  std::string date_hint(std::size_t column, std::string_view text) const {
    if (!looks_like_date(text)) return "correct the cell, or leave it empty";
    const bool year_first = text.find_first_not_of("0123456789") == 4;
    const std::string name = table_.names[column];
    return fmt::format(
        "{}write the dates as 2024-05-31: python3 -c \"import pandas; t = "
        "pandas.read_csv('{}', dtype=str); t['{}'] = pandas.to_datetime(t['{}']{}); "
        "t.to_csv('dates.csv', index=False)\"{}",
        year_first ? "" : "it does not say which number is the day and which the month; ",
        table_.path, name, name, year_first ? "" : ", dayfirst=True",
        year_first ? "" : " (dayfirst=False if the month comes first)");
  }

  // ---- columns ---------------------------------------------------------------------------------

  void refuse_column(std::size_t column) const {
    const Seen& seen = seen_[column];
    const std::string example(first_text(column).value_or(std::string_view()));
    if (2 * seen.dates > seen.texts) refuse_dates(column, example);
    if (!seen.hardly_repeats()) refuse_unspelled(column);
  }
  // All at once: one decimal mark is that of all columns.
  void ask_about_commas() const {
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < kinds_.size(); ++j)
      if (!named(j) && kinds_[j] == Kind::Category && seen_[j].have_commas()) columns.push_back(j);
    if (columns.empty()) return;
    ReadAnswer comma{"if it is a decimal comma", {{"table.decimal", ","}}};
    if (std::ranges::any_of(columns, [&](std::size_t j) { return seen_[j].thousands != 0; }))
      comma.settings.emplace_back("table.thousands", ".");
    std::vector<ReadAnswer> answers = {std::move(comma)};
    std::string what = table_.describe(columns.front());
    if (!table_.names.empty()) {
      std::string all;
      for (const std::size_t j : columns) all += (all.empty() ? "" : ",") + table_.names[j];
      answers.push_back({"if they are categories", {{"table.category", all}}});
    }
    if (columns.size() > 1) what = fmt::format("{} and {} more", what, columns.size() - 1);
    const std::string example(first_text(columns.front()).value_or(std::string_view()));
    throw ReadQuestion(fmt::format("{} hold{} numbers with a comma, as in '{}'", what,
                                   columns.size() > 1 ? "" : "s", example.substr(0, 40)),
                       {table_.path, 0, 0}, answers,
                       "for a decimal comma give " + term("table.decimal", ",") +
                           "; if they are categories, " + term("table.category"));
  }
  // All at once: columns of short texts that may be names, categories or text.
  void ask_about_texts() const {
    std::vector<std::string> columns, names;
    for (std::size_t j = 0; j < kinds_.size(); ++j) {
      if (named(j) || kinds_[j] != Kind::Category || !seen_[j].hardly_repeats()) continue;
      const std::string example(first_text(j).value_or(std::string_view()));
      columns.push_back(fmt::format("{} is text, and most of it does not repeat, as in '{}'",
                                    table_.describe(j), example.substr(0, 40)));
      if (!table_.names.empty()) names.push_back(table_.names[j]);
    }
    if (columns.empty()) return;
    const std::string hint = "name it with " + term("id_column") + ", " + term("table.text") +
                             " or " + term("table.category") + ", or leave it out with " +
                             term("table.ignore");
    std::vector<ReadAnswer> answers;
    const std::string all = fmt::format("{}", fmt::join(names, ","));
    if (!names.empty())
      answers = {{"if its words matter", {{"table.text", all}}},
                 {"if it is of no use", {{"table.ignore", all}}}};
    if (columns.size() == 1 && !names.empty()) add_ids(names.front(), answers);
    throw ReadQuestion(fmt::format("{}", fmt::join(columns, "; ")), {table_.path, 0, 0}, answers,
                       hint);
  }
  // Where all values are there and differ.
  void add_ids(const std::string& name, std::vector<ReadAnswer>& answers) const {
    const auto column =
        static_cast<std::size_t>(std::ranges::find(table_.names, name) - table_.names.begin());
    const Seen& seen = seen_[column];
    if (seen.values.size() != table_.rows()) return;
    answers.push_back({fmt::format("if '{}' names the rows", name), {{"id_column", name}}});
  }
  // Categories are compared as they are written, and of some numbers that is not known.
  void refuse_unspelled(std::size_t column) const {
    if (seen_[column].numbers == 0 || !table_.lacks_spellings(column)) return;
    throw Error(
        Failure::Data, table_.describe(column) + " holds texts here and numbers there",
        {table_.path, 0, 0},
        "take it as categories with " +
            term("table.category", table_.names.empty() ? std::string() : table_.names[column]) +
            ", or leave it out with " + term("table.ignore"));
  }
  [[noreturn]] void refuse_dates(std::size_t column, const std::string& example) const {
    const std::string leave_out = ", or leave the column out with " + term("table.ignore");
    const bool readable = days_of_date(example) || table_.names.empty();
    const std::string by_date = "take them as numbers with " + term("table.date");
    const std::string what = table_.describe(column) + " holds dates" +
                             (readable ? "" : fmt::format(", as in '{}'", example.substr(0, 40)));
    const std::string hint = readable ? by_date + " (they must look like 2024-05-31)" + leave_out
                                      : date_hint(column, example) + ", and " + by_date + leave_out;
    if (table_.names.empty()) throw Error(Failure::Data, what, {table_.path, 0, 0}, hint);
    const std::string& name = table_.names[column];
    const ReadAnswer ignored = {"if they are of no use", {{"table.ignore", name}}};
    std::vector<ReadAnswer> answers = {ignored};
    if (readable) answers = {{"if they matter", {{"table.date", name}}}, ignored};
    throw ReadQuestion(what, {table_.path, 0, 0}, answers, hint);
  }
  std::optional<std::string_view> first_text(std::size_t column) const {
    std::optional<std::string_view> first;
    table_.texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      if (!first && cell.column == column) first = text;
    });
    return first;
  }

  const RawTable& table_;
  const TableOptions& options_;
  std::vector<Seen> seen_;
  std::vector<std::optional<Kind>> kinds_;
};

}  // namespace

std::vector<std::optional<Kind>> column_kinds(const RawTable& table, const TableOptions& options) {
  return KindChooser(table, options).choose();
}

}  // namespace sieve
