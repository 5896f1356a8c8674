#include "data/annotations/item_column.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/ids.h"
#include "data/question.h"
#include "data/text/text_lines.h"

namespace sieve {
namespace {

// A column of such a name says something of the label beside it.
const ColumnNames kVoteNames = {"value",    "values",  "vote",  "votes",     "answer",   "answers",
                                "response", "yes",     "yesno", "judgement", "judgment", "verdict",
                                "decision", "rating",  "grade", "score",     "present",  "ticked",
                                "selected", "checked", "agree", "isticked",  "ispresent"};

// What the first records of a column say.
struct Content {
  bool votes = false;   // only yes and no
  bool differ = false;  // not the same in all of them
};

Content content_of(const AnnotationRecords& records, std::size_t column) {
  VoteWords words;
  std::set<std::string> seen;
  bool blank = false, no = false, sure = false, other = false;
  for (const std::string& cell : sample_of(records, column)) {
    seen.insert(cell);
    if (trimmed(cell).empty()) {
      blank = true;
      continue;
    }
    const std::optional<Vote> vote = words.read(cell);
    no |= vote == Vote::No;
    sure |= vote == Vote::Yes || vote == Vote::No;
    other |= !vote;
  }
  // Blank may be the "no" of a column that has no other.
  return {sure && !other && (!blank || no), seen.size() > 1};
}

ReadAnswer set_value(const AnnotationFile& file, std::string_view meaning, std::size_t column) {
  const std::string& name = file.records.names()[column];
  return {fmt::format("if '{}' {}", name, meaning), {{"ticks.value", name}}};
}

ReadAnswer set_no_value() {
  return {"if no column says yes or no, and every line is a tick",
          {{"ticks.value", std::string(kNoColumn)}}};
}

[[noreturn]] void ask_whether(const AnnotationFile& file, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  std::vector<ReadAnswer> answers;
  for (const std::size_t column : columns) {
    names.push_back("'" + file.records.names()[column] + "'");
    answers.push_back(set_value(file, "says whether the label was ticked", column));
  }
  answers.push_back(set_no_value());
  throw ReadQuestion(fmt::format("cannot tell whether {} says yes or no to the label of a line",
                                 fmt::join(names, " or ")),
                     {file.path, 0, 0}, answers);
}

// "0-3" where all values that are there are numbers, else "".
std::string scale_of(const std::vector<std::string>& cells) {
  double low = 0, high = 0;
  bool any = false;
  for (const std::string& cell : cells) {
    if (trimmed(cell).empty() || is_unsure_word(cell)) continue;
    const auto grade = parse_number<double>(trimmed(cell));
    if (!grade) return {};
    low = any ? std::min(low, *grade) : *grade;
    high = any ? std::max(high, *grade) : *grade;
    any = true;
  }
  return any && low < high ? fmt::format("{}-{}", low, high) : "";
}

[[noreturn]] void ask_meaning(const AnnotationFile& file, std::size_t column) {
  const std::vector<std::string> cells = sample_of(file.records, column);
  const std::string& name = file.records.names()[column];
  std::vector<ReadAnswer> answers;
  if (const std::string scale = scale_of(cells); !scale.empty())
    answers.push_back({"if it has grades, with the lowest and the highest there can be",
                       {{"ticks.value", name}, {"ticks.scale", scale}}});
  else
    answers.push_back(set_no_value());  // nothing else can be read as it is
  answers.push_back(set_value(file, "says so, turn its values into 0 and 1", column));
  if (answers.front().settings.front().second != kNoColumn) answers.push_back(set_no_value());
  const auto shown = std::ranges::find_if(cells, [](const std::string& cell) {
    return !VoteWords().read(cell) && !trimmed(cell).empty();
  });
  throw ReadQuestion(
      fmt::format("'{}' may say whether the label of a line was ticked, but not all of its "
                  "values are a plain yes or no{}",
                  file.records.names()[column],
                  shown == cells.end() ? "" : " ('" + shown->substr(0, 40) + "')"),
      {file.path, 0, 0}, answers);
}

}  // namespace

std::optional<Vote> VoteWords::read(std::string_view cell) {
  cell = trimmed(cell);
  if (is_unsure_word(cell)) return Vote::Unsure;
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return same_word(cell, word); });
  };
  if (is_yes(cell) || is_one_of({"1.0", "+1", "on"})) return Vote::Yes;
  zero_ |= is_one_of({"0", "0.0"});
  minus_ |= is_one_of({"-1", "-1.0"});
  if (zero_ && minus_) return std::nullopt;
  if (is_one_of({"0", "0.0", "-1", "-1.0", "no", "false", "n", "f", "off"})) return Vote::No;
  return std::nullopt;
}

bool says_yes_and_no(const AnnotationRecords& records, std::size_t column) {
  const Content content = content_of(records, column);
  return content.votes && content.differ;
}

std::size_t vote_column(const AnnotationFile& file, const std::vector<std::size_t>& used,
                        bool one_label_per_line) {
  const AnnotationRecords& records = file.records;
  const std::string& asked_for = file.options.value;
  if (!asked_for.empty() && asked_for != kNoColumn)
    return find_column(records, asked_for, {}, file.path);
  std::vector<std::size_t> named, unnamed;
  std::vector<std::string> unused;
  for (std::size_t i = 0; i < records.names().size(); ++i) {
    if (std::ranges::find(used, i) != used.end()) continue;
    unused.push_back(records.names()[i]);
    const Content content = content_of(records, i);
    const bool has_name =
        std::ranges::find(kVoteNames, bare_name(records.names()[i])) != kVoteNames.end();
    const bool has_values = content.votes && content.differ && one_label_per_line &&
                            !is_side_column(records.names()[i]);
    if (asked_for == kNoColumn || (!has_name && !has_values)) continue;
    const bool is_graded = has_name && !file.options.scale.empty();
    if (has_name && !content.votes && content.differ && !is_graded) ask_meaning(file, i);
    if (content.votes || is_graded) (has_name ? named : unnamed).push_back(i);
  }
  if (named.size() > 1 || (named.empty() && !unnamed.empty())) {
    named.insert(named.end(), unnamed.begin(), unnamed.end());
    ask_whether(file, named);
  }
  if (!named.empty()) std::erase(unused, records.names()[named.front()]);
  if (!unused.empty())
    file.sink.note("columns that are not used: " + counted_names(unused.size(), unused));
  return named.empty() ? AnnotationRecords::npos : named.front();
}

}  // namespace sieve
