#include "labelsieve/ticks.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/streams.h"
#include "data/csv/csv_cells.h"
#include "data/ids.h"
#include "data/strangers.h"
#include "data/text/text_lines.h"
#include "data/text/text_writer.h"
#include "data/ticks/tick_formats.h"
#include "data/ticks/tick_sink.h"
#include "data/ticks/zip_members.h"
#include "labelsieve/error.h"
#include "labelsieve/score_table.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr const char* kEveryone = "everyone";
constexpr std::string_view kZipMark = "PK\x03\x04";

// "ann" of "exports/ann.jsonl.gz": whose file it is, where each has one.
std::string stem(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find('.', 1));
}

void read_stream(std::unique_ptr<InputStream> in, const std::string& path,
                 const std::string& person, const TickOptions& options, TickSink& sink) {
  TickRecords records(std::move(in), path);
  tick_format_of(records, options, path).read({records, path, options, person, sink});
}

// Files that hold no ticks, by their first bytes.
void refuse_other_files(std::string_view front, const std::string& path) {
  refuse_stranger(front, path);
  if (front.starts_with("\x93NUMPY"))
    throw Error(Failure::Data, "this is a NumPy array, not a table of ticks", {path, 0, 0},
                "ticks come as a table or as JSON: who ticked which label of which item");
}

// A file, or a ZIP file of them, each of which is that of one person unless it says otherwise.
void read_file(const std::string& path, const std::string& person, const TickOptions& options,
               FileSystem& files, TickSink& sink) {
  std::unique_ptr<InputStream> in = open_unpacked(files, path);
  std::string front = read_front(*in, 4096);
  refuse_other_files(front, path);
  const bool zip = front.starts_with(kZipMark);
  in = rewound(std::move(in), std::move(front));
  if (!zip) return read_stream(std::move(in), path, person, options, sink);
  ZipMembers members(*in, path);
  for (std::size_t i = 0; i < members.names().size(); ++i) {
    const std::string& name = members.names()[i];
    read_stream(members.open(i), path + "/" + name, stem(name), options, sink);
  }
}

// Every file of a folder is that of one person, unless it says otherwise.
void read_folder(const TickOptions& options, FileSystem& files, TickSink& sink) {
  bool any = false;
  for (const std::string& name : files.list(options.path)) {
    const std::string path = options.path + "/" + name;
    if (name.starts_with('.') || files.is_folder(path)) continue;
    read_file(path, stem(name), options, files, sink);
    any = true;
  }
  if (!any)
    throw Error(Failure::Data, "there is no file in this folder", {options.path, 0, 0},
                "name the folder that holds the exported files");
}

void read_looked(const TickOptions& options, FileSystem& files, TickSink& sink) {
  const std::string& path = options.looked;
  TickRecords records(open_unpacked(files, path), path);
  const std::size_t item = need_column(records, {}, kItemNames, "items", path);
  const std::size_t person = need_column(records, {}, kPersonNames, "people", path);
  while (records.next()) sink.look(records.cell(item), records.cell(person), records.place());
  sink.know_looks();
}

}  // namespace

Ticks read_ticks(const TickOptions& options, FileSystem& files, std::vector<std::string>* notes) {
  TickSink sink;
  if (files.is_folder(options.path))
    read_folder(options, files, sink);
  else
    read_file(options.path, kEveryone, options, files, sink);
  if (!options.looked.empty()) read_looked(options, files, sink);
  return sink.finish(options.path, notes);
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

// Items that are the numbers of all rows, or of some of them with row 0 among them, counted from 0;
// or from 1 where the last row is among them and row 0 is not.
std::vector<std::size_t> items_by_number(const std::vector<std::string>& items, std::size_t rows,
                                         const std::string& path, std::vector<std::string>& notes) {
  std::vector<std::size_t> numbers;
  for (const std::string& item : items) {
    const std::optional<std::size_t> number = row_number(item);
    if (!number || *number > rows)
      throw Error(Failure::Data,
                  fmt::format("the data has no ids, and '{}' in the ticks is not the number of one "
                              "of its {} rows",
                              item.substr(0, 60), rows),
                  {path, 0, 0},
                  "say where the ids of the rows are, with " + term("id_column") + " or " +
                      term("id_file"));
    numbers.push_back(*number);
  }
  const bool zero = std::ranges::find(numbers, std::size_t{0}) != numbers.end();
  const bool last = std::ranges::find(numbers, rows) != numbers.end();
  if (zero == last)
    throw Error(Failure::Data,
                fmt::format("cannot tell whether the items of the ticks count the {} rows of the "
                            "data from 0 or from 1",
                            rows),
                {path, 0, 0},
                "give the rows ids, with " + term("id_column") + " or " + term("id_file"));
  notes.push_back(fmt::format("{}: the data has no ids: items are taken as row numbers from {}",
                              path, zero ? 0 : 1));
  std::vector<std::size_t> item_of(rows, kNone);
  for (std::size_t i = 0; i < numbers.size(); ++i) item_of[numbers[i] - (zero ? 0 : 1)] = i;
  return item_of;
}

std::vector<std::size_t> items_by_id(const std::vector<std::string>& items, const Dataset& data,
                                     const std::string& path, std::vector<std::string>& notes) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t row = 0; row < data.rows(); ++row) row_of.emplace(data.ids[row], row);
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
void drop_unseen(Dataset& data, std::vector<std::size_t>& item_of, const TickOptions& options,
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
      stack_rows(votes, nothing.finish(1, {votes.people().begin(), votes.people().end()}));
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
// ticks.
std::vector<std::uint32_t> add_labels(Dataset& data, const std::vector<std::string>& labels) {
  NameIndex names;
  for (const std::string& name : data.label_names) names.number(name);
  std::vector<std::uint32_t> numbers;
  for (const std::string& label : labels) numbers.push_back(names.number(label));
  data.label_names = names.names();
  data.candidates = widened(data.candidates, names.size());
  if (data.truth) data.truth = widened(*data.truth, names.size());
  return numbers;
}

}  // namespace

void join_ticks(Dataset& data, Ticks ticks, const TickOptions& options,
                std::vector<std::string>* notes) {
  std::vector<std::string> said;
  std::vector<std::size_t> item_of =
      data.ids.empty() ? items_by_number(ticks.items, data.rows(), options.path, said)
                       : items_by_id(ticks.items, data, options.path, said);
  drop_unseen(data, item_of, options, said);
  const bool clean = data.truth && *data.truth == data.candidates;
  const std::vector<std::uint32_t> numbers = add_labels(data, ticks.labels);
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
  const bool plain = label.find_first_of("|;\n[{") == label.npos && trimmed(label) == label;
  return plain ? label : json_strings({label}).text();
}

}  // namespace

void write_ticks(const Dataset& data, OutputStream& out) {
  if (!data.votes)
    throw Error(Failure::Usage, "the data does not say who ticked what", {},
                "read it with " + term("ticks.path"));
  const Votes& votes = *data.votes;
  TextWriter text(out);
  text << kIdColumn << ",person,label";
  text.end_line();
  std::vector<std::string> cells;
  for (const std::string& name : data.label_names) cells.push_back(label_cell(name));
  std::string line;
  const auto add_line = [&](std::size_t row, std::size_t look, std::string_view label) {
    line.clear();
    append_csv_cell(line, data.ids.empty() ? std::to_string(row) : data.ids[row], ',');
    line += ',';
    append_csv_cell(line, votes.people()[votes.person(look)], ',');
    line += ',';
    if (!label.empty()) append_csv_cell(line, label, ',');
    text << line;
    text.end_line();
  };
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look) {
      if (votes.ticked(look).empty()) add_line(row, look, {});
      for (const std::uint32_t label : votes.ticked(look)) add_line(row, look, cells[label]);
    }
  text.flush();
}

}  // namespace sieve
