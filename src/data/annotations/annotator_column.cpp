#include "data/annotations/annotator_column.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "data/text/text_lines.h"
#include "labelsieve/setting_names.h"

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

[[noreturn]] void ask(const AnnotationFile& file, const std::vector<std::size_t>& columns,
                      std::string_view why) {
  std::string hint;
  for (const std::size_t column : columns) {
    const std::string& name = file.records.names()[column];
    hint += fmt::format("if '{}' says who annotated: ", name) + rerun({{"ticks.person", name}}) +
            "\n  ";
  }
  throw Error(Failure::Data, fmt::format("cannot tell who annotated: {}", why), {file.path, 0, 0},
              hint + "if all are annotations of one annotator: " +
                  rerun({{"ticks.person", std::string(kNoColumn)}}));
}

}  // namespace

std::size_t annotator_column(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  if (!file.options.annotator.empty())
    return find_column(records, file.options.annotator, {}, file.path);
  std::vector<std::size_t> named = columns_named(records, kPlainAnnotatorNames);
  if (named.empty()) named = columns_named(records, kAnnotatorNames);
  if (named.empty()) return AnnotationRecords::npos;
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
                       const std::vector<std::size_t>& used) {
  const AnnotationRecords& records = file.records;
  if (!file.options.annotator.empty()) return;
  const bool none = annotator == AnnotationRecords::npos;
  if (none && file.annotator != kEveryone) return;
  if (!none && is_one_of(kPlainAnnotatorNames, records.names()[annotator])) return;
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
  const bool checker = !none && is_one_of(kCheckerNames, records.names()[annotator]);
  if (rivals.empty() && !checker) return;
  if (none) ask(file, rivals, "no column is named so, but another may be");
  rivals.insert(rivals.begin(), annotator);
  ask(file, rivals,
      checker
          ? fmt::format("'{}' may name those who checked annotations", records.names()[annotator])
          : "several columns may say it");
}

}  // namespace sieve
