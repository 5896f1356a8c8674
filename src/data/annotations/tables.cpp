// Tables that are not of one platform: a line per tick or annotation, a column per label, and the
// numbers of CekaPlus.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/annotations/answers.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/csv/csv_cells.h"
#include "data/question.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {

std::vector<std::size_t> bit_columns(const AnnotationRecords& records,
                                     std::vector<std::string>* left_out,
                                     const std::optional<Scale>& scale) {
  const auto is_answer = [&](std::string_view cell) {
    if (!scale) return is_bit(cell);
    const auto grade = parse_number<double>(trimmed(cell));
    return grade && *grade >= scale->low && *grade <= scale->high;
  };
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i) {
    bool any = false;
    const bool all = sample_is(records, i, [&](std::string_view cell) {
      any |= is_answer(cell);
      return is_answer(cell) || is_unsure_word(cell);
    });
    if (!all || !any) continue;
    if (!is_side_column(records.names()[i]))
      columns.push_back(i);
    else if (left_out != nullptr)
      left_out->push_back(records.names()[i]);
  }
  return columns;
}

namespace {

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == cell.npos;
}

std::size_t column_named(const AnnotationRecords& records, const ColumnNames& names) {
  return find_column(records, {}, names, {});
}

std::string ticks_by(const Scale& scale) {
  if (scale.from) return fmt::format("those from {} on", *scale.from);
  return fmt::format("those above {}", scale.low == 0 ? 0 : (scale.low + scale.high) / 2);
}

}  // namespace

// ---- one line per tick, or per annotation with a list
// ---------------------------------------------

bool looks_like_long(const AnnotationRecords& records) {
  const std::size_t item = column_named(records, kItemNames);
  const std::size_t annotator = column_named(records, kAnnotatorNames);
  const std::size_t label = column_named(records, kLabelNames);
  return item != AnnotationRecords::npos && label != AnnotationRecords::npos && item != label &&
         (annotator != AnnotationRecords::npos || !records.is_json());
}

namespace {

// A column of texts that repeat, as names of labels do.
bool may_have_labels(const AnnotationRecords& records, std::size_t column) {
  const std::vector<std::string> cells = sample_of(records, column);
  const std::set<std::string> distinct(cells.begin(), cells.end());
  return distinct.size() * 2 <= cells.size() && !sample_is(records, column, is_number) &&
         sample_is(records, column, [](std::string_view) { return true; });
}

// Asks for the column of labels where the one that is named so only says yes and no.
[[noreturn]] void ask_for_labels(const AnnotationFile& file, std::size_t answer,
                                 const std::vector<std::size_t>& others) {
  const std::vector<std::string>& names = file.records.names();
  std::vector<ReadAnswer> answers;
  for (const std::size_t column : others)
    answers.push_back({fmt::format("if the labels are in '{}'", names[column]),
                       {{"ticks.label", names[column]}, {"ticks.value", names[answer]}}});
  if (others.empty())
    answers.push_back(
        {fmt::format("if '{}' is one label, which annotators tick or not", names[answer]),
         {{"ticks.format", "wide"}, {"ticks.label", names[answer]}}});
  answers.push_back({"if yes and no are the labels", {{"ticks.label", names[answer]}}});
  throw ReadQuestion(
      fmt::format("cannot tell which column has the labels: '{}' says yes and no", names[answer]),
      {file.path, 0, 0}, answers);
}

// The column that is asked for, else the first that is named so. One that says yes and no to
// another column is none.
std::size_t long_label(const AnnotationFile& file, std::size_t annotator) {
  const AnnotationRecords& records = file.records;
  const std::size_t first =
      need_column(records, file.options.label, kLabelNames, "labels", file.path);
  if (!file.options.label.empty() || !says_yes_and_no(records, first)) return first;
  std::vector<std::size_t> others;
  const std::vector<std::size_t> items = item_candidates(records, {first, annotator}, file.ids);
  for (std::size_t i = 0; i < records.names().size(); ++i) {
    const bool known = i == first || i == annotator || std::ranges::find(items, i) != items.end();
    if (known || says_yes_and_no(records, i)) continue;
    const std::string name = bare_name(records.names()[i]);
    if (std::ranges::find(kLabelNames, name) != kLabelNames.end()) return i;
    if (may_have_labels(records, i)) others.push_back(i);
  }
  // 0 and 1 in a column called "label" are two labels.
  const std::string name = bare_name(records.names()[first]);
  const bool is_answer = name == "answer" || name == "answers" || name == "response";
  if (is_answer || !others.empty()) ask_for_labels(file, first, others);
  return first;
}

using VoteOfLine = std::function<std::optional<Answer>()>;

VoteOfLine grade_reader(const AnnotationFile& file, std::size_t column, const Scale& scale) {
  const std::string& name = file.records.names()[column];
  file.sink.note(
      fmt::format("'{}' has grades from {}: {} are ticks", name, scale.text(), ticks_by(scale)));
  return [&file, column, scale, name] {
    return vote_by_grade(scale, file.records.cell(column), name, file.records.place());
  };
}

VoteOfLine word_reader(const AnnotationFile& file, std::size_t column) {
  const std::string& name = file.records.names()[column];
  file.sink.note(
      fmt::format("'{}' says yes or no: a line with no is an annotation without that "
                  "label ({} if it says something else)",
                  name, term("ticks.value", "none")));
  return [&file, column, words = VoteWords()]() mutable -> std::optional<Answer> {
    const std::string_view cell = file.records.cell(column);
    if (trimmed(cell).empty()) return std::nullopt;
    if (const std::optional<Vote> vote = words.read(cell)) return vote;
    throw Error(Failure::Data,
                fmt::format("'{}' in '{}', where lines before say yes or no", cell.substr(0, 40),
                            file.records.names()[column]),
                file.records.place(),
                "say yes by 1, yes, true, y or t, no by 0 (or -1), no, false, n or f, and neither "
                "by unsure; if the column says something else: " +
                    rerun({{"ticks.value", "none"}}));
  };
}

// What a line says of its label, by the column for that.
VoteOfLine vote_reader(const AnnotationFile& file, std::size_t column, std::size_t& unanswered) {
  const std::optional<Scale> scale = scale_of(file.options);
  if (column == AnnotationRecords::npos) {
    if (scale)
      throw Error(
          Failure::Data, "there is no column of grades", {file.path, 0, 0},
          "name it with " + term("ticks.value") +
              "; if each label has a column of grades: " + rerun({{"ticks.format", "wide"}}));
    return [] { return Vote::Yes; };
  }
  file.sink.know_annotations();
  return [&unanswered, read = scale ? grade_reader(file, column, *scale)
                                    : word_reader(file, column)]() -> std::optional<Answer> {
    const std::optional<Answer> vote = read();
    unanswered += !vote;
    return vote;
  };
}

}  // namespace

void read_long(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  const std::size_t annotator = annotator_column(file);
  const std::size_t label = long_label(file, annotator);
  std::vector<std::size_t> used = item_candidates(records, {annotator, label}, file.ids);
  used.insert(used.end(), {annotator, label, records.column(file.options.item)});
  std::ranges::copy(SubmissionColumns(file).columns(), std::back_inserter(used));
  UnsureColumn unsure(file);
  used.push_back(unsure.column());
  const std::vector<std::string> cells = sample_of(records, label);
  const bool plain = LabelCutter(file.options.separator, cells).separator().empty() &&
                     std::ranges::none_of(cells, [](const std::string& cell) {
                       return cell.empty() || cell.front() == '[' || cell.front() == '{';
                     });
  const std::size_t vote = vote_column(file, used, plain);
  ItemColumn item(file, annotator, label, {annotator, label, vote});
  AnnotationColumns columns = {item.column(), annotator, label};
  file.sink.name_items(records.names()[item.column()]);
  if (vote == AnnotationRecords::npos)
    file.sink.lines_may_be_ticks();
  else
    file.sink.lines_are_ticks();
  file.sink.assume_annotations();
  used.insert(used.end(), {item.column(), vote});
  settle_annotators(file, annotator, item.column(), used);
  use_column(file, vote, "vote");
  use_column(file, unsure.column(), "unsure");
  if (columns.annotator == AnnotationRecords::npos)
    file.sink.note(
        file.annotator == kEveryone
            ? "all annotations are taken as those of one annotator"
            : "no column says who annotated: each file or sheet is that of one annotator, "
              "who is named as it is");
  std::size_t unanswered = 0;
  columns.vote = [&, vote_of_line = vote_reader(file, vote, unanswered)] {
    item.see();
    const std::optional<Answer> said = vote_of_line();
    return said && unsure.is_line_unsure() ? Vote::Unsure : said;
  };
  if (unsure.is_there()) columns.also_unsure = [&] { unsure.tell(); };
  read_annotation_lines(file, columns);
  item.confirm();
  if (unanswered != 0)
    file.sink.note(fmt::format("{} lines without an answer in '{}' were left out", unanswered,
                               records.names()[vote]));
}

// ---- one column of 0 and 1 per label
// -------------------------------------------------------------

bool looks_like_wide(const AnnotationRecords& records) {
  return column_named(records, kItemNames) != AnnotationRecords::npos &&
         column_named(records, kAnnotatorNames) != AnnotationRecords::npos &&
         bit_columns(records).size() >= 2;
}

namespace {

// A blank grade says nothing of its label.
void take_grades(const AnnotationFile& file, const std::vector<LabelColumn>& columns,
                 const Scale& scale, const Place& place) {
  for (const auto& [column, label] : columns) {
    const auto answer = vote_by_grade(scale, file.records.cell(column), label, place);
    if (!answer || answer->vote == Vote::Unsure)
      file.sink.unsure(label);
    else if (answer->vote == Vote::Yes)
      file.sink.tick(label, answer->grade);
  }
}

}  // namespace

void read_wide(const AnnotationFile& file) {
  AnnotationRecords& records = file.records;
  const std::size_t annotator = annotator_column(file);
  std::vector<std::string> left_out;
  const std::optional<Scale> scale = scale_of(file.options);
  std::vector<std::size_t> labels = bit_columns(records, &left_out, scale), taken = {annotator};
  const std::vector<std::size_t> named = item_candidates(records, taken, file.ids);
  const auto is_label = [&](std::size_t k) { return std::ranges::find(labels, k) != labels.end(); };
  if (!std::ranges::all_of(named, is_label))
    taken.insert(taken.end(), labels.begin(), labels.end());
  ItemColumn choice(file, annotator, AnnotationRecords::npos, taken);
  const std::size_t item = choice.column();
  file.sink.name_items(records.names()[item]);
  if (const std::string& asked_for = file.options.label; !asked_for.empty()) {
    labels.clear(), left_out.clear();
    for (const std::string& name : cells_of(asked_for, 1, ',', file.path))
      labels.push_back(find_column(records, name, {}, file.path));
  }
  std::erase_if(labels, [&](std::size_t k) { return k == item || k == annotator; });
  if (labels.empty()) refuse_columns(records, "labels", file.path);
  settle_annotators(file, annotator, item, labels);
  const std::string kind = scale ? "grades from " + scale->text() : "0 and 1";
  file.sink.note(fmt::format("{} columns of {} are labels, from '{}' to '{}'", labels.size(), kind,
                             records.names()[labels.front()], records.names()[labels.back()]));
  if (scale) file.sink.note(fmt::format("of the grades, {} are ticks", ticks_by(*scale)));
  if (!left_out.empty())
    file.sink.note(
        fmt::format("columns of {} that are not labels by their names: {} ({} names the labels)",
                    kind, fmt::join(left_out, ", "), term("ticks.label")));
  UnsureColumn unsure(file);
  if (unsure.says_yes_and_no())
    throw Error(Failure::Data,
                fmt::format("'{}' says yes or no to a row of several labels",
                            records.names()[unsure.column()]),
                {file.path, 0, 0},
                "list the labels in it, or write 'unsure' in the column of the label");
  std::vector<LabelColumn> columns;
  for (const std::size_t k : labels) {
    columns.push_back({k, records.names()[k]});
    use_column(file, k, "label");
  }
  for_annotations(file, item, annotator, nullptr, [&](const Place& place) {
    choice.see();
    unsure.tell();
    if (scale)
      take_grades(file, columns, *scale, place);
    else
      annotation_label_columns(file, columns, true);
  });
  choice.confirm();
}

// ---- CekaPlus: worker instance label value, or worker instance label
// ------------------------------

namespace {

// Numbers that blanks or tabs separate; none if it is anything else.
std::vector<std::string> numbers_of(const std::vector<std::string>& cells) {
  std::vector<std::string> numbers;
  for (const std::string& cell : cells) {
    std::string_view rest = cell;
    while (!(rest = trimmed(rest)).empty()) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      if (!is_number(rest.substr(0, end))) return {};
      numbers.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }
  return numbers;
}

// Values count from 1, and of a label that is on or off 2 is on; 0 is an empty answer.
void take_response(const std::vector<std::string>& cells, std::size_t width, const Place& place,
                   AnnotationSink& sink) {
  const std::vector<std::string> numbers = numbers_of(cells);
  if (numbers.size() != width)
    throw Error(Failure::Data, fmt::format("this line does not hold {} numbers", width), place,
                "a line is: worker instance label value");
  sink.annotate(numbers[1], numbers[0], place);
  if (width == 3) {
    if (numbers[2] != "0") sink.tick(numbers[2]);
  } else if (numbers[3] == "2") {
    sink.tick(numbers[2]);
  } else if (numbers[3] != "0" && numbers[3] != "1") {
    throw Error(Failure::Data, "the value " + numbers[3] + " for a label that is on or off", place,
                "values are 2 for on, 1 for off and 0 for no answer");
  }
}

}  // namespace

namespace {

bool holds_responses(const AnnotationRecords& records) {
  const std::size_t width = numbers_of(records.names()).size();
  return !records.is_json() && (width == 3 || width == 4) &&
         std::ranges::all_of(records.sample(), [&](const std::vector<std::string>& cells) {
           return numbers_of(cells).size() == width;
         });
}

}  // namespace

bool looks_like_cekaplus(const AnnotationRecords& records) {
  const std::string_view path = records.path();
  const auto ends_in = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           same_word(path.substr(path.size() - suffix.size()), suffix);
  };
  return (ends_in(".resp") || ends_in(".resp.gz")) && holds_responses(records);
}

void refuse_unnamed_numbers(const AnnotationRecords& records) {
  if (!holds_responses(records)) return;
  const std::size_t width = numbers_of(records.names()).size();
  const std::string order = width == 4 ? "item,annotator,label,value" : "item,annotator,label";
  const std::string otherwise =
      records.names().size() == width
          ? fmt::format("if the columns are {} (or these in another order): ", order) +
                rerun({{"ticks.columns", order}})
          : "if not, give the table a first line with the names of its columns";
  throw Error(Failure::Data,
              fmt::format("a table of {} numbers per line does not say what they are", width),
              {records.path(), 0, 0},
              fmt::format("if they are worker, instance, label{}, as CekaPlus has them: ",
                          width == 4 ? " and value" : "") +
                  rerun({{"ticks.format", "cekaplus"}}) + "\n  " + otherwise);
}

void read_cekaplus(const AnnotationFile& file) {
  const std::vector<std::string> first = file.records.names();  // there is no line of names
  const std::size_t width = numbers_of(first).size() == 4 ? 4 : 3;
  file.sink.lines_are_ticks();
  take_response(first, width, {file.path, 1, 0}, file.sink);
  while (file.records.next()) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < first.size(); ++i) cells.emplace_back(file.records.cell(i));
    take_response(cells, width, file.records.place(), file.sink);
  }
}

}  // namespace sieve
