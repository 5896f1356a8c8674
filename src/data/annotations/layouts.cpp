#include "data/annotations/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/parse_number.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/question.h"
#include "data/text/text_kinds.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// Whoever has such a name may have checked what others annotated.
const ColumnNames kCheckerNames = {"reviewer", "reviewerid", "createdby"};
// Further columns that repeat and are nobody's name, beside kRepeatingNames.
const ColumnNames kTextNames = {"question", "sentence", "source", "text", "title"};

bool is_one_of(const ColumnNames& names, const std::string& name) {
  return std::ranges::find(names, bare_name(name)) != names.end();
}

std::vector<std::size_t> columns_named(const AnnotationRecords& records, const ColumnNames& names) {
  std::vector<std::size_t> columns;
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < records.names().size(); ++i)
      if (bare_name(records.names()[i]) == name) columns.push_back(i);
  return columns;
}

// Whether each value of one column stands beside one value of the other only.
bool determines(const AnnotationRecords& records, std::size_t one, std::size_t other) {
  std::unordered_map<std::string_view, std::string_view> beside;
  for (const std::vector<std::string>& record : records.sample())
    if (std::max(one, other) < record.size() &&
        beside.try_emplace(record[one], record[other]).first->second != record[other])
      return false;
  return true;
}

// Values that come again and again, as names of annotators do, and are no measurements.
bool may_name_annotators(const AnnotationRecords& records, std::size_t column) {
  const std::string& name = records.names()[column];
  if (is_one_of(kTimeNames, name) || is_one_of(kRecordNames, name) || is_side_column(name))
    return false;
  std::set<std::string> distinct;
  std::size_t filled = 0, fractions = 0;
  for (const std::string& cell : sample_of(records, column)) {
    if (trimmed(cell).empty()) continue;
    ++filled;
    distinct.insert(cell);
    fractions +=
        cell.find('.') != cell.npos && cell.find_first_not_of("0123456789.-+") == cell.npos;
  }
  return distinct.size() > 1 && distinct.size() * 2 <= filled && fractions != filled;
}

// Whether each annotator says each thing of an item once, and not all of them say it alone.
bool are_voices(const AnnotationRecords& records, std::size_t item, std::size_t column,
                std::size_t label) {
  constexpr std::size_t kFewNumbers = 10;  // grades are fewer
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> said;
  std::set<std::string_view> different;
  bool numbers = true;
  for (const std::vector<std::string>& record : records.sample()) {
    if (std::max({item, column, label}) >= record.size() || trimmed(record[column]).empty())
      return false;
    if (!said.emplace(record[item], record[column], record[label]).second) return false;
    different.insert(record[column]);
    numbers &= parse_number<double>(trimmed(record[column])).has_value();
  }
  return different.size() > (numbers ? kFewNumbers : 2);
}

// Of three columns, the one beside items and labels that repeats as names of annotators do.
std::size_t column_left_over(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  const std::size_t label = find_column(records, file.options.label, kLabelNames, file.path);
  std::size_t item = find_column(records, file.options.item, kItemNames, file.path);
  constexpr std::size_t kColumns = 3;
  if (records.names().size() != kColumns || label == AnnotationRecords::npos ||
      item == AnnotationRecords::npos || item == label)
    return AnnotationRecords::npos;
  const std::size_t left = kColumns - item - label;  // 0 + 1 + 2
  const std::string& name = records.names()[left];
  if (is_one_of(kRepeatingNames, name) || is_one_of(kTextNames, name) ||
      !may_name_annotators(records, left) || determines(records, item, left) ||
      !are_voices(records, item, left, label))
    return AnnotationRecords::npos;
  file.sink.note(
      fmt::format("'{}' says who annotated: it repeats, and no other column is left ({} "
                  "if all are annotations of one annotator)",
                  name, term("ticks.person", kNoColumn)));
  return left;
}

[[noreturn]] void ask(const AnnotationFile& file, const std::vector<std::size_t>& columns,
                      std::string_view why) {
  std::vector<ReadAnswer> answers;
  for (const std::size_t column : columns) {
    const std::string& name = file.records.names()[column];
    answers.push_back({fmt::format("if '{}' says who annotated", name), {{"ticks.person", name}}});
  }
  answers.push_back(
      {"if all are annotations of one annotator", {{"ticks.person", std::string(kNoColumn)}}});
  throw ReadQuestion(fmt::format("cannot tell who annotated: {}", why), {file.path, 0, 0}, answers);
}

}  // namespace

std::size_t annotator_column(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  if (!file.options.annotator.empty())
    return find_column(records, file.options.annotator, {}, file.path);
  std::vector<std::size_t> named = columns_named(records, kPlainAnnotatorNames);
  if (named.empty()) named = columns_named(records, kAnnotatorNames);
  if (named.empty()) return column_left_over(file);
  const auto is_the_same = [&](std::size_t other) {
    return other != named.front() && determines(records, named.front(), other) &&
           determines(records, other, named.front());
  };
  std::vector<std::size_t> differ = named;
  std::erase_if(differ, is_the_same);
  if (differ.size() > 1) ask(file, differ, "several columns are named so");
  return named.front();
}

void settle_annotators(const AnnotationFile& file, std::size_t annotator, std::size_t item,
                       const std::vector<std::size_t>& used, OneAnnotator one) {
  const AnnotationRecords& records = file.records;
  if (!file.options.annotator.empty()) return;
  const bool none = annotator == AnnotationRecords::npos;
  if (none && file.annotator != kEveryone) return;
  if (!none && (is_one_of(kPlainAnnotatorNames, records.names()[annotator]) ||
                !is_one_of(kAnnotatorNames, records.names()[annotator])))
    return;
  std::vector<std::size_t> rivals;
  for (std::size_t i = 0; i < records.names().size(); ++i) {
    if (i == annotator || i == item || std::ranges::find(used, i) != used.end()) continue;
    if (!may_name_annotators(records, i)) continue;
    // A column that says something of the item or of the annotator is no rival of a name.
    if (!none && (is_one_of(kRepeatingNames, records.names()[i]) ||
                  is_one_of(kTextNames, records.names()[i]) || determines(records, item, i) ||
                  determines(records, annotator, i)))
      continue;
    rivals.push_back(i);
  }
  // The likelier ones first.
  std::stable_partition(rivals.begin(), rivals.end(), [&](std::size_t i) {
    return !is_one_of(kRepeatingNames, records.names()[i]) && !says_yes_and_no(records, i);
  });
  const bool checker = !none && is_one_of(kCheckerNames, records.names()[annotator]);
  if (none && (!rivals.empty() || one == OneAnnotator::Asked))
    ask(file, rivals,
        rivals.empty() ? "no column says it" : "no column is named so, but another may be");
  if (rivals.empty() && !checker) return;
  rivals.insert(rivals.begin(), annotator);
  ask(file, rivals,
      checker
          ? fmt::format("'{}' may name those who checked annotations", records.names()[annotator])
          : "several columns may say it");
}

namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

// What the first cells of a column are.
struct Cells {
  Cells(const AnnotationRecords& records, std::size_t column) {
    for (const std::vector<std::string>& record : records.sample()) {
      const std::string_view cell =
          column < record.size() ? trimmed(record[column]) : std::string_view();
      if (cell.empty()) continue;
      ++filled;
      different.insert(cell);
      numbers += parse_number<double>(cell) ? 1U : 0U;
      dates += looks_like_date(cell) ? 1U : 0U;
      lists += is_list_literal(cell) ? 1U : 0U;
    }
  }
  bool repeat() const { return different.size() * 2 <= filled; }
  bool separate() const {
    return separation_of({different.begin(), different.end()}).texts == Separation::Texts::Lists;
  }
  // Texts that repeat, or lists of such; or `also` numbers that repeat.
  enum class Numbers { No, Also };
  bool may_be_labels(Numbers also) const {
    return filled != 0 && dates < filled && (numbers < filled || also == Numbers::Also) &&
           (lists == filled || repeat() || separate());
  }

  std::size_t filled = 0, numbers = 0, dates = 0, lists = 0;
  std::set<std::string_view> different;
};

// Whether a column says something of the other one: its values come again, with the same beside.
bool says_of(const AnnotationRecords& records, std::size_t column, std::size_t other) {
  std::unordered_map<std::string_view, std::string_view> beside;
  bool again = false;
  for (const std::vector<std::string>& record : records.sample()) {
    if (std::max(column, other) >= record.size()) continue;
    const auto [first, fresh] = beside.try_emplace(record[other], record[column]);
    if (first->second != record[column]) return false;
    again |= !fresh;
  }
  return again;
}

// Columns that may hold labels, but for those that say something of one of `known`.
std::vector<std::size_t> label_columns(const AnnotationRecords& records,
                                       const std::vector<std::size_t>& taken,
                                       const std::vector<std::size_t>& known,
                                       Cells::Numbers numbers = Cells::Numbers::No) {
  std::vector<std::size_t> found;
  for (const std::size_t k : open_columns(records, taken)) {
    const bool of_another = std::ranges::any_of(
        known, [&](std::size_t other) { return other != npos && says_of(records, k, other); });
    if (!of_another && !says_yes_and_no(records, k) && Cells(records, k).may_be_labels(numbers))
      found.push_back(k);
  }
  return found;
}

std::vector<ReadAnswer> answers_for(const AnnotationRecords& records,
                                    const std::vector<std::size_t>& labels) {
  std::vector<ReadAnswer> answers;
  for (const std::size_t k : labels)
    answers.push_back({fmt::format("if the labels are in '{}'", records.names()[k]),
                       {{"ticks.label", records.names()[k]}}});
  return answers;
}

constexpr const char* kNoLabels = "cannot tell which column of the annotations has the labels";

}  // namespace

std::size_t labels_by_content(const AnnotationFile& file, std::size_t item,
                              std::vector<std::size_t> taken) {
  const AnnotationRecords& records = file.records;
  taken.push_back(item);
  std::vector<std::size_t> labels = label_columns(records, taken, {item});
  // Or all annotators said the same of each item so far.
  if (labels.empty()) labels = label_columns(records, taken, {});
  if (labels.empty()) refuse_columns(records, "labels", file.path);
  if (labels.size() > 1)
    throw ReadQuestion(kNoLabels, {file.path, 0, 0}, answers_for(records, labels));
  file.sink.note(fmt::format("labels are those in '{}' ({} chooses another)",
                             records.names()[labels.front()], term("ticks.label")));
  return labels.front();
}

std::optional<GuessedLayout> guess_layout(const AnnotationRecords& records,
                                          const AnnotationOptions& options,
                                          const std::string& path) {
  const std::vector<std::string>& names = records.names();
  const std::size_t annotator = find_column(records, options.annotator, kAnnotatorNames, path);
  std::vector<std::size_t> items = {find_column(records, options.item, {}, path)};
  if (items.front() == npos) items = item_candidates(records, {annotator});
  if (items.empty() && annotator == npos) return std::nullopt;
  std::vector<std::size_t> bits = bit_columns(records);
  std::erase_if(bits, [&](std::size_t k) {
    return k == annotator || std::ranges::find(items, k) != items.end();
  });
  std::vector<std::size_t> taken = items;
  taken.push_back(annotator);
  std::vector<std::size_t> labels = label_columns(records, taken, taken);
  const bool wide = bits.size() >= 2 && !items.empty();
  if (wide && labels.empty()) return GuessedLayout{"wide", {}};
  if (!wide && labels.size() == 1) return GuessedLayout{"long", names[labels.front()]};
  // Or all annotators said the same of each item so far.
  if (labels.empty()) labels = label_columns(records, taken, {annotator});
  if (labels.empty() && !items.empty() && annotator != npos)
    labels = label_columns(records, taken, {annotator}, Cells::Numbers::Also);
  if (labels.empty()) return std::nullopt;
  std::vector<ReadAnswer> answers = answers_for(records, labels);
  if (annotator == npos && have_alike_texts(records, labels)) {
    std::vector<std::string> raters;
    for (const std::size_t k : labels) raters.push_back(names[k]);
    answers.insert(
        answers.begin(),
        {fmt::format("if each of {} columns is that of one annotator, such as '{}'", labels.size(),
                     raters.front()),
         {{"ticks.format", "raters"}, {"ticks.label", fmt::format("{}", fmt::join(raters, ","))}}});
  }
  if (wide)
    answers.push_back(
        {fmt::format("if columns of 0 and 1 are labels, such as '{}'", names[bits.front()]),
         {{"ticks.format", "wide"}}});
  throw ReadQuestion(kNoLabels, {path, 0, 0}, answers);
}

}  // namespace sieve
