#include "data/ticks/tick_formats.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/nearest.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

// "_Worker ID" and "workerId" are one name.
std::string bare(std::string_view name) {
  std::string out;
  for (const unsigned char c : name)
    if (std::isalnum(c) != 0 || c >= 0x80) out += static_cast<char>(std::tolower(c));
  return out;
}

}  // namespace

const ColumnNames kItemNames = {
    "item",    "itemid",    "task",     "taskid",   "unit",   "unitid", "instance", "instanceid",
    "example", "exampleid", "object",   "objectid", "id",     "rowid",  "docid",    "document",
    "imageid", "image",     "filename", "file",     "textid", "key",    "row"};
const ColumnNames kPersonNames = {"annotator", "annotatorid", "worker",  "workerid", "performer",
                                  "person",    "personid",    "rater",   "raterid",  "user",
                                  "userid",    "username",    "labeler", "labeller", "coder",
                                  "judge",     "judgeid",     "email"};
const ColumnNames kLabelNames = {"label",    "labels",     "tick",    "ticks",   "answer",
                                 "answers",  "choice",     "choices", "tag",     "tags",
                                 "category", "categories", "class",   "classes", "response"};

const std::vector<TickFormat>& all_tick_formats() {
  static const std::vector<TickFormat> table = {
      {"mturk", looks_like_mturk, read_mturk},
      {"crowdflower", looks_like_crowdflower, read_crowdflower},
      {"label-studio", looks_like_label_studio, read_label_studio},
      {"label-studio-min", looks_like_label_studio_min, read_label_studio_min},
      {"prodigy", looks_like_prodigy, read_prodigy},
      {"argilla", looks_like_argilla, read_argilla},
      {"cekaplus", looks_like_cekaplus, read_cekaplus},
      {"long", looks_like_long, read_long},
      {"wide", looks_like_wide, read_wide},
      {"doccano", looks_like_doccano, read_doccano},
  };
  return table;
}

std::vector<std::string> tick_format_names() {
  return names_of(all_tick_formats());
}

const TickFormat& tick_format_of(const TickRecords& records, const TickOptions& options,
                                 const std::string& path) {
  if (!options.format.empty())
    return row_named(all_tick_formats(), options.format, "layout of ticks");
  for (const TickFormat& format : all_tick_formats())
    if (format.looks_like(records)) return format;
  // Whoever names columns has a long table.
  if (!options.item.empty() || !options.person.empty() || !options.label.empty())
    return row_named(all_tick_formats(), "long", "layout of ticks");
  refuse_columns(records, "item, the person and the labels of a judgement", path);
}

std::size_t find_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& path) {
  if (!asked_for.empty()) {
    const std::size_t column = records.column(asked_for);
    if (column == TickRecords::npos)
      throw Error(Failure::Usage, "the ticks have no column '" + asked_for + "'", {path, 0, 0},
                  did_you_mean(asked_for, records.names(),
                               fmt::format("they have {}", fmt::join(records.names(), ", "))));
    return column;
  }
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < records.names().size(); ++i)
      if (bare(records.names()[i]) == name) return i;
  return TickRecords::npos;
}

std::size_t need_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& what,
                        const std::string& path) {
  const std::size_t column = find_column(records, asked_for, names, path);
  if (column == TickRecords::npos) refuse_columns(records, what, path);
  return column;
}

void refuse_columns(const TickRecords& records, const std::string& what, const std::string& path) {
  constexpr std::size_t kShown = 20;
  const auto& names = records.names();
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  throw Error(
      Failure::Data,
      fmt::format("cannot tell which column of the ticks has the {} (columns: {}{})", what,
                  fmt::join(names.begin(), end, ", "), names.size() > kShown ? ", ..." : ""),
      {path, 0, 0},
      fmt::format("name them with {}, {} and {}", term("ticks.item"), term("ticks.person"),
                  term("ticks.label")));
}

std::vector<std::string> sample_of(const TickRecords& records, std::size_t column) {
  std::vector<std::string> cells;
  for (const std::vector<std::string>& record : records.sample())
    if (column < record.size()) cells.push_back(record[column]);
  return cells;
}

bool sample_is(const TickRecords& records, std::size_t column,
               const std::function<bool(std::string_view)>& test) {
  bool any = false;
  for (const std::string& cell : sample_of(records, column)) {
    if (cell.empty()) continue;
    if (!test(cell)) return false;
    any = true;
  }
  return any;
}

bool has_columns(const TickRecords& records, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(
      names, [&](std::string_view name) { return records.column(name) != TickRecords::npos; });
}

std::vector<std::size_t> columns_where(const TickRecords& records,
                                       const std::function<bool(std::string_view)>& test) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (test(records.names()[i])) columns.push_back(i);
  return columns;
}

void read_judgements(const TickFile& file, const JudgementColumns& columns,
                     const std::function<bool()>& is_rejected) {
  TickRecords& records = file.records;
  LabelCutter cutter(file.options.separator, columns.texts_are_lists
                                                 ? sample_of(records, columns.label)
                                                 : std::vector<std::string>());
  if (file.options.separator.empty() && !cutter.separator().empty())
    file.sink.note("labels in '" + records.names()[columns.label] + "' are separated by '" +
                   (cutter.separator() == "\n" ? "line ends" : cutter.separator()) + "'");
  while (records.next()) {
    if (is_rejected && !file.options.all_people && is_rejected()) {
      file.sink.leave_out();
      continue;
    }
    const Place place = records.place();
    file.sink.look(records.cell(columns.item),
                   columns.person == TickRecords::npos ? std::string_view(file.person)
                                                       : records.cell(columns.person),
                   place);
    cutter.cut(records.cell(columns.label), place,
               [&](std::string_view label) { file.sink.tick(label); });
  }
}

}  // namespace sieve
