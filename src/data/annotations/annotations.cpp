#include "labelsieve/data_io.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/named_rows.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/annotation_sink.h"
#include "data/annotations/answers.h"
#include "data/annotations/item_column.h"
#include "data/annotations/plain_names.h"
#include "data/csv/csv_cells.h"
#include "data/ids.h"
#include "data/question.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// The column of the annotations, where the table has it too.
std::string same_column(const AnnotationRecords& records, const std::string& name) {
  return records.column(name) == AnnotationRecords::npos ? "" : name;
}

void read_looked(const AnnotationOptions& options, FileSystem& files, const RowIds* ids,
                 AnnotationSink& sink) {
  const std::string& path = options.looked;
  AnnotationRecords records(open_unpacked(files, path), path);
  AnnotationOptions own = options;
  own.item = same_column(records, options.item);
  const std::size_t annotator = need_column(records, same_column(records, options.annotator),
                                            kAnnotatorNames, "annotators", path);
  AskedLabels none;
  const AnnotationFile file{records, path, own, {}, sink, none, ids};
  ItemColumn item(file, annotator, AnnotationRecords::npos, {annotator});
  while (records.next()) {
    item.see();
    sink.looked(records.cell(item.column()), records.cell(annotator), records.place());
  }
  item.confirm();
}

}  // namespace

std::vector<std::string> repeat_rules() {
  return {"last", "first", "union"};
}

namespace {

// What the annotations are called in notes.
std::string shown_path(const AnnotationOptions& options, FileSystem& files) {
  const std::vector<std::string> paths = annotation_paths(options, files);
  return paths.size() == 1 ? paths.front()
                           : fmt::format("{} and {} more", paths.front(), paths.size() - 1);
}

}  // namespace

AnnotationReader::AnnotationReader(const AnnotationOptions& options, FileSystem& files)
    : options_(options), file_system_(files), files_(options, files) {
  const std::vector<std::string> rules = repeat_rules();
  if (!options.repeats.empty() && std::ranges::find(rules, options.repeats) == rules.end())
    throw no_such("rule for repeated annotations", options.repeats, rules);
  scale_of(options);  // refuses one that makes no sense
  files_.look([&](const AnnotationRecords& records) { find_item_names(records); });
}

void AnnotationReader::find_item_names(const AnnotationRecords& records) {
  const AnnotationLayout found = annotation_layout_of(records, options_, records.path());
  const std::string& layout = found.format.name;
  if (layout != "long" && layout != "wide" && layout != "raters") return;
  if (!options_.item.empty()) {
    item_names_ = {options_.item};
    return;
  }
  const std::size_t annotator =
      find_column(records, options_.annotator, kAnnotatorNames, records.path());
  const std::size_t label =
      layout == "long" ? find_column(records, found.options.label, kLabelNames, records.path())
                       : AnnotationRecords::npos;
  ItemEvidence evidence(records, item_candidates(records, {annotator, label}), annotator, label,
                        nullptr);
  for (const std::vector<std::string>& record : records.sample()) evidence.add(record);
  for (const std::size_t column : evidence.left()) item_names_.push_back(records.names()[column]);
}

Annotations AnnotationReader::read(const RowIds* ids, std::vector<std::string>* notes,
                                   ItemData* data) {
  AnnotationSink sink(options_, data);
  files_.read(sink, ids);
  if (!options_.looked.empty()) read_looked(options_, file_system_, ids, sink);
  used_ = sink.used();
  return sink.finish(shown_path(options_, file_system_), notes);
}

Annotations read_annotations(const AnnotationOptions& options, FileSystem& files,
                             std::vector<std::string>* notes) {
  return AnnotationReader(options, files).read(nullptr, notes);
}

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::optional<std::size_t> row_number(const std::string& item) {
  std::size_t number = 0;
  const char* end = item.data() + item.size();
  const auto [stop, error] = std::from_chars(item.data(), end, number);
  if (error != std::errc() || stop != end || item != std::to_string(number)) return std::nullopt;
  return number;
}

constexpr std::string_view kByNumber = "row-numbers", kFromZero = "row-numbers-from-0",
                           kFromOne = "row-numbers-from-1";

// What the first row is called: 0 if row 0 is among the numbers, 1 if the last row counted from 1
// is; Error(Data) that asks where both or neither are.
std::size_t first_number(const std::vector<std::size_t>& numbers, std::size_t rows,
                         const AnnotationOptions& options) {
  if (options.items_are == kFromZero || options.items_are == kFromOne)
    return options.items_are == kFromOne ? 1 : 0;
  const bool zero = std::ranges::find(numbers, std::size_t{0}) != numbers.end();
  const bool last = std::ranges::find(numbers, rows) != numbers.end();
  if (zero != last) return zero ? 0 : 1;
  throw ReadQuestion(
      fmt::format("cannot tell whether the items of the ticks count the {} rows of the "
                  "data from 0 or from 1",
                  rows),
      {options.path, 0, 0},
      {{"if the first row is 0", {{"ticks.items_are", std::string(kFromZero)}}},
       {"if the first row is 1", {{"ticks.items_are", std::string(kFromOne)}}}});
}

std::vector<std::size_t> items_by_number(const std::vector<std::string>& items, std::size_t rows,
                                         const AnnotationOptions& options,
                                         std::vector<std::string>& notes) {
  std::vector<std::size_t> numbers;
  const auto refuse = [&](const std::string& item) {
    throw Error(
        Failure::Data,
        fmt::format("'{}' in the ticks is not the number of one of the {} rows of the data",
                    item.substr(0, 60), rows),
        {options.path, 0, 0},
        "say where the ids of the rows are, with " + term("id_column") + " or " + term("id_file"));
  };
  for (const std::string& item : items) {
    const std::optional<std::size_t> number = row_number(item);
    if (!number || *number > rows) refuse(item);
    numbers.push_back(*number);
  }
  const std::size_t first = first_number(numbers, rows, options);
  std::vector<std::size_t> item_of(rows, kNone);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < first || numbers[i] - first >= rows) refuse(items[i]);
    item_of[numbers[i] - first] = i;
  }
  notes.push_back(fmt::format("{}: items are taken as row numbers from {}", options.path, first));
  return item_of;
}

[[noreturn]] void refuse_without_ids(const Annotations& ticks, const AnnotationOptions& options) {
  throw Error(Failure::Data, "the data has no ids, so the annotations cannot be joined to its rows",
              {options.path, 0, 0},
              fmt::format("name the column of the data that has the items{}, with {}, or a file of "
                          "ids, with {}\n  if the items are row numbers: ",
                          ticks.item_column.empty() ? "" : " of '" + ticks.item_column + "'",
                          term("id_column"), term("id_file")) +
                  rerun({{"ticks.items_are", kByNumber}}));
}

// By number where that was asked for, or where the column says so and there are no ids.
bool is_by_number(const Dataset& data, const Annotations& ticks, const AnnotationOptions& options) {
  const std::vector<std::string> kinds = item_kinds();
  if (!options.items_are.empty() && std::ranges::find(kinds, options.items_are) == kinds.end())
    throw Error(Failure::Usage,
                fmt::format("{} cannot be '{}'", term("ticks.items_are"), options.items_are), {},
                fmt::format("it is one of {}", fmt::join(kinds, ", ")));
  if (options.items_are.empty())
    return data.ids.empty() && bare_name(ticks.item_column) == kRowColumn;
  return options.items_are.starts_with(kByNumber);
}

std::vector<std::size_t> items_by_id(const std::vector<std::string>& items, const Dataset& data,
                                     const std::string& path, std::vector<std::string>& notes) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t row = 0; row < data.rows(); ++row) row_of.emplace(data.ids[row], row);
  for (std::size_t row = 0; row < data.rows(); ++row)
    row_of.emplace(plain_name(data.ids[row]), row);
  std::vector<std::size_t> item_of(data.rows(), kNone);
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto found = row_of.find(items[i]);
    if (found == row_of.end())
      unknown.push_back(items[i]);
    else
      item_of[found->second] = i;
  }
  if (unknown.size() == items.size())
    throw Error(Failure::Data,
                fmt::format("none of the items of the ticks is an id of the data: '{}' in the "
                            "ticks, '{}' in the data",
                            items.front().substr(0, 60), data.ids.front().substr(0, 60)),
                {path, 0, 0},
                fmt::format("choose the columns that name the same things: {} and {}",
                            term("ticks.item"), term("id_column")));
  if (!unknown.empty())
    notes.push_back(path + ": items that are not in the data, left out: " +
                    counted_names(unknown.size(), unknown));
  return item_of;
}

// Tells of rows without an item and leaves them out, unless they are to be kept.
void drop_unseen(Dataset& data, std::vector<std::size_t>& item_of, const AnnotationOptions& options,
                 std::vector<std::string>& notes) {
  std::vector<std::size_t> seen;
  std::vector<std::string> unseen;
  for (std::size_t row = 0; row < item_of.size(); ++row)
    if (item_of[row] != kNone)
      seen.push_back(row);
    else
      unseen.push_back(data.ids.empty() ? std::to_string(row) : data.ids[row]);
  if (unseen.empty()) return;
  notes.push_back(fmt::format("{}: rows of the data that nobody looked at, {}: {}", options.path,
                              options.keep_unseen ? "kept without candidates" : "left out",
                              counted_names(unseen.size(), unseen)));
  if (options.keep_unseen) return;
  data = data.select_rows(seen);
  std::erase(item_of, kNone);
}

// The votes on the items in the order of the rows; none on a row without an item.
Votes votes_on_rows(const Votes& votes, std::vector<std::size_t> item_of) {
  if (std::ranges::find(item_of, kNone) == item_of.end()) return votes.select_rows(item_of);
  VoteCollector nothing;
  const Votes with_empty_row =
      stack_rows(votes, nothing.finish(1, {votes.annotators().begin(), votes.annotators().end()}));
  std::ranges::replace(item_of, kNone, votes.rows());
  return with_empty_row.select_rows(item_of);
}

LabelMatrix widened(const LabelMatrix& labels, std::size_t width) {
  LabelMatrix out(labels.rows(), width);
  for (std::size_t i = 0; i < labels.rows(); ++i)
    labels.for_each(i, [&](std::size_t k) { out.set(i, k); });
  return out;
}

// Labels that only the ticks have come behind those of the data; the number of each label of the
// ticks. One that differs from a label of the data only by case or spaces is noted, or taken as
// that.
std::vector<std::uint32_t> add_labels(Dataset& data, const std::vector<std::string>& labels,
                                      const AnnotationOptions& options,
                                      std::vector<std::string>& notes) {
  NameIndex names;
  std::unordered_map<std::string, std::string> spelled;
  for (const std::string& name : data.label_names) {
    names.number(name);
    spelled.emplace(folded_name(name), name);
  }
  const std::unordered_set<std::string> known(data.label_names.begin(), data.label_names.end());
  std::vector<std::uint32_t> numbers;
  std::vector<std::string> alike;
  for (const std::string& label : labels) {
    const auto other = spelled.find(folded_name(label));
    const bool differs = other != spelled.end() && !known.contains(label);
    if (differs) alike.push_back(label);
    numbers.push_back(names.number(differs && options.merge_case ? other->second : label));
  }
  if (!alike.empty())
    notes.push_back(
        options.path + ": labels that differ from those of the data only by case or spaces: " +
        counted_names(alike.size(), alike) +
        (options.merge_case
             ? "; they are one with these"
             : "; " + term("ticks.merge_case", "true") + " takes them as one with these"));
  data.label_names = names.names();
  data.candidates = widened(data.candidates, names.size());
  if (data.truth) data.truth = widened(*data.truth, names.size());
  return numbers;
}

}  // namespace

std::vector<std::string> item_kinds() {
  return {"ids", std::string(kByNumber), std::string(kFromZero), std::string(kFromOne)};
}

void join_annotations(Dataset& data, Annotations ticks, const AnnotationOptions& options,
                      std::vector<std::string>* notes) {
  std::vector<std::string> said;
  const bool by_number = is_by_number(data, ticks, options);
  if (!by_number && data.ids.empty()) refuse_without_ids(ticks, options);
  std::vector<std::size_t> item_of = by_number
                                         ? items_by_number(ticks.items, data.rows(), options, said)
                                         : items_by_id(ticks.items, data, options.path, said);
  drop_unseen(data, item_of, options, said);
  const bool clean = data.truth && *data.truth == data.candidates;
  const std::vector<std::uint32_t> numbers = add_labels(data, ticks.labels, options, said);
  auto votes = std::make_shared<const Votes>(
      votes_on_rows(ticks.votes, std::move(item_of)).renumber_labels(numbers));
  LabelMatrix candidates = votes->any_tick(data.labels());
  if (!clean)
    for (std::size_t i = 0; i < data.rows(); ++i)
      data.candidates.for_each(i, [&](std::size_t k) { candidates.set(i, k); });
  data.candidates = std::move(candidates);
  data.votes = std::move(votes);
  if (notes != nullptr) notes->insert(notes->end(), said.begin(), said.end());
}

namespace {

// A label that could be taken for several is a list of one.
std::string label_cell(const std::string& label) {
  const bool plain = label.find_first_of("|;\n[{,/+\t") == label.npos && trimmed(label) == label &&
                     !is_empty_word(label) && !is_doubtful_word(label);
  return plain ? label : json_strings({label}).text();
}

}  // namespace

void write_annotations(const Dataset& data, OutputStream& out) {
  if (!data.votes)
    throw Error(Failure::Usage, "the data does not say who ticked what", {},
                "read it with " + term("ticks.path"));
  const Votes& votes = *data.votes;
  const bool some_unsure = votes.unsure() != 0;
  TextWriter text(out);
  text << (data.ids.empty() ? kRowColumn : kIdColumn) << ",annotator,label"
       << (some_unsure ? ",vote" : "");
  text.end_line();
  std::vector<std::string> cells;
  for (const std::string& name : data.label_names) cells.push_back(label_cell(name));
  std::string line;
  const auto add_line = [&](std::size_t row, std::size_t annotation, std::string_view label,
                            std::string_view vote) {
    line.clear();
    append_csv_cell(line, data.ids.empty() ? std::to_string(row) : data.ids[row], ',');
    line += ',';
    append_csv_cell(line, votes.annotators()[votes.annotator(annotation)], ',');
    line += ',';
    if (!label.empty()) append_csv_cell(line, label, ',');
    if (some_unsure) line.append(",").append(vote);
    text << line;
    text.end_line();
  };
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation) {
      // An annotation without a tick, where the other lines say yes, has a "no" to no label.
      if (votes.ticked(annotation).empty()) add_line(row, annotation, {}, "no");
      for (const std::uint32_t label : votes.ticked(annotation))
        add_line(row, annotation, cells[label], "yes");
      for (const std::uint32_t label : votes.unsure(annotation))
        add_line(row, annotation, cells[label], "unsure");
    }
  text.flush();
}

}  // namespace sieve
