#include "data/annotations/layouts.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/annotations/item_column.h"
#include "data/question.h"
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
  std::ranges::stable_partition(rivals, [&](std::size_t i) {
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

}  // namespace sieve
