// Tables that are not of one platform: a line per tick or judgement, a column per label, and the
// numbers of CekaPlus.
#include <algorithm>

#include <fmt/format.h>

#include "data/csv/csv_cells.h"
#include "data/text/text_lines.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

bool is_bit(std::string_view cell) {
  return cell == "0" || cell == "1" || same_word(cell, "true") || same_word(cell, "false");
}

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == cell.npos;
}

std::vector<std::size_t> bit_columns(const TickRecords& records) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (sample_is(records, i, is_bit)) columns.push_back(i);
  return columns;
}

std::size_t column_named(const TickRecords& records, const ColumnNames& names) {
  return find_column(records, {}, names, {});
}

}  // namespace

// ---- one line per tick, or per judgement with a list
// ---------------------------------------------

bool looks_like_long(const TickRecords& records) {
  const std::size_t item = column_named(records, kItemNames);
  const std::size_t person = column_named(records, kPersonNames);
  const std::size_t label = column_named(records, kLabelNames);
  return item != TickRecords::npos && label != TickRecords::npos && item != label &&
         (person != TickRecords::npos || !records.is_json());
}

void read_long(const TickFile& file) {
  const TickRecords& records = file.records;
  const JudgementColumns columns = {
      need_column(records, file.options.item, kItemNames, "items", file.path),
      find_column(records, file.options.person, kPersonNames, file.path),
      need_column(records, file.options.label, kLabelNames, "labels", file.path)};
  const std::vector<std::string> cells = sample_of(records, columns.label);
  const bool plain = LabelCutter(file.options.separator, cells).separator().empty() &&
                     std::ranges::none_of(cells, [](const std::string& cell) {
                       return cell.empty() || cell.front() == '[' || cell.front() == '{';
                     });
  if (plain) file.sink.assume_looks();
  if (columns.person == TickRecords::npos)
    file.sink.note("no column of people: all ticks are taken as those of one person, '" +
                   file.person + "'");
  read_judgements(file, columns);
}

// ---- one column of 0 and 1 per label
// -------------------------------------------------------------

bool looks_like_wide(const TickRecords& records) {
  return column_named(records, kItemNames) != TickRecords::npos &&
         column_named(records, kPersonNames) != TickRecords::npos &&
         bit_columns(records).size() >= 2;
}

void read_wide(const TickFile& file) {
  TickRecords& records = file.records;
  const std::size_t item = need_column(records, file.options.item, kItemNames, "items", file.path);
  const std::size_t person = find_column(records, file.options.person, kPersonNames, file.path);
  std::vector<std::size_t> labels = bit_columns(records);
  if (const std::string& asked_for = file.options.label; !asked_for.empty()) {
    labels.clear();
    for (const std::string& name : cells_of(asked_for, 1, ',', file.path))
      labels.push_back(find_column(records, name, {}, file.path));
  }
  std::erase_if(labels, [&](std::size_t k) { return k == item || k == person; });
  if (labels.empty()) refuse_columns(records, "labels", file.path);
  file.sink.note(fmt::format("{} columns of 0 and 1 are labels, from '{}' to '{}'", labels.size(),
                             records.names()[labels.front()], records.names()[labels.back()]));
  while (records.next()) {
    const Place place = records.place();
    file.sink.look(
        records.cell(item),
        person == TickRecords::npos ? std::string_view(file.person) : records.cell(person), place);
    for (const std::size_t k : labels) {
      const std::string_view cell = records.cell(k);
      if (!is_bit(cell) && !cell.empty())
        throw Error(Failure::Data,
                    "'" + std::string(cell.substr(0, 40)) + "' in the label column '" +
                        records.names()[k] + "'",
                    place,
                    "a column per label holds 0 and 1; choose others with " + term("ticks.label"));
      if (cell == "1" || same_word(cell, "true")) file.sink.tick(records.names()[k]);
    }
  }
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
                   TickSink& sink) {
  const std::vector<std::string> numbers = numbers_of(cells);
  if (numbers.size() != width)
    throw Error(Failure::Data, fmt::format("this line does not hold {} numbers", width), place,
                "a line is: worker instance label value");
  sink.look(numbers[1], numbers[0], place);
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

bool looks_like_cekaplus(const TickRecords& records) {
  const std::size_t width = numbers_of(records.names()).size();
  return !records.is_json() && (width == 3 || width == 4) &&
         std::ranges::all_of(records.sample(), [&](const std::vector<std::string>& cells) {
           return numbers_of(cells).size() == width;
         });
}

void read_cekaplus(const TickFile& file) {
  const std::vector<std::string> first = file.records.names();  // there is no line of names
  const std::size_t width = numbers_of(first).size();
  take_response(first, width, {file.path, 1, 0}, file.sink);
  while (file.records.next()) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < first.size(); ++i) cells.emplace_back(file.records.cell(i));
    take_response(cells, width, file.records.place(), file.sink);
  }
}

}  // namespace sieve
