#include "data/annotations/annotations_back.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/streams.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/answers.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/plain_names.h"
#include "data/csv/csv_cells.h"
#include "data/jsonl/json_text.h"
#include "data/table_source.h"
#include "data/text/text_lines.h"
#include "data/zip_members.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

// ---- what is added
// --------------------------------------------------------------------------------

// What one annotator says of one row. Nothing is said of labels that are in neither list.
struct Voice {
  std::size_t row;
  std::string by;
  std::vector<std::size_t> right, wrong;
};

std::vector<Voice> voices_of(const Dataset& data, const AddedAnnotations& what) {
  std::vector<Voice> voices;
  for (const AddedToRow& row : what.rows) {
    std::set<std::size_t> decided;
    for (const AddedToRow::Annotation& one : row.annotations) {
      voices.push_back({row.row, one.by, one.labels, one.rejected});
      decided.insert(one.labels.begin(), one.labels.end());
      decided.insert(one.rejected.begin(), one.rejected.end());
    }
    if (what.model_version.empty()) continue;
    Voice program{row.row, what.model_version, row.predicted, {}};
    for (std::size_t label = 0; label < data.labels(); ++label)
      if (!decided.contains(label) &&
          std::ranges::find(row.predicted, label) == row.predicted.end())
        program.wrong.push_back(label);
    voices.push_back(std::move(program));
  }
  return voices;
}

// A cell or a value to write: a text, or a list of labels.
struct Value {
  std::string text{};
  std::vector<std::string> list{};
  bool is_list = false;
};
using Edits = std::map<std::string, Value>;  // by column

// ---- the files
// ------------------------------------------------------------------------------------

struct File {
  std::string path, text;
};

std::vector<File> read_files(const AnnotationOptions& from, FileSystem& files) {
  std::vector<File> all;
  const AnnotationFiles found(from, files);
  for (const std::string& path : found.paths()) {
    File file{path, {}};
    if (files.exists(path))
      file.text =
          read_all(*open_unpacked(files, path), std::numeric_limits<std::uint64_t>::max(), path);
    if (file.text.empty() || file.text.starts_with(kZipMark) || file.text.starts_with("PAR1"))
      throw Error(Failure::Usage, "only files of text come back as they were", {path, 0, 0},
                  "unpack or export it as CSV or JSON first");
    all.push_back(std::move(file));
  }
  return all;
}

// What columns are, as the reader took them.
struct Uses {
  std::string layout, item, annotator, labels, vote;
  std::vector<std::string> label_columns{};
};

Uses uses_of(const Dataset& data, const AnnotationOptions& from, FileSystem& files) {
  AnnotationReader reader(from, files);
  const RowIds ids(data.ids, {});
  reader.read(data.ids.empty() ? nullptr : &ids, nullptr);
  Uses uses;
  uses.layout = layout_of_annotations(from, files);
  for (const auto& [column, role] : reader.used()) {
    if (role == "id") uses.item = column;
    if (role == "annotator") uses.annotator = column;
    if (role == "labels") uses.labels = column;
    if (role == "vote") uses.vote = column;
    if (role == "label") uses.label_columns.push_back(column);
  }
  return uses;
}

// Columns that say something of one annotation, not of the item.
bool is_of_annotation(std::string_view name) {
  static const std::set<std::string, std::less<>> others = {
      "comment", "comments", "note", "notes",      "duration", "leadtime",
      "status",  "trust",    "tool", "confidence", "sessionid"};
  const std::string bare = bare_name(name);
  return others.contains(bare) || std::ranges::find(kTimeNames, bare) != kTimeNames.end() ||
         std::ranges::find(kRecordNames, bare) != kRecordNames.end();
}

// The first record of each item, and which columns are the same in all records of an item.
class ItemRecords {
 public:
  struct First {
    std::vector<std::string> cells;
    std::size_t number;  // among all records
  };

  void add(const AnnotationRecords& records, std::size_t item) {
    const auto [first, fresh] = first_.try_emplace(std::string(plain_name(records.cell(item))),
                                                   First{records.cells(), count_});
    ++count_;
    if (fresh) return;
    for (std::size_t k = 0; k < records.names().size(); ++k) {
      const std::vector<std::string>& before = first->second.cells;
      const std::string_view was = k < before.size() ? std::string_view(before[k]) : "";
      if (was != records.cell(k)) varies_.insert(records.names()[k]);
    }
  }
  const First* find(const std::string& item) const {
    const auto found = first_.find(item);
    return found == first_.end() ? nullptr : &found->second;
  }
  bool comes_along(const std::string& column) const {
    return !varies_.contains(column) && !is_of_annotation(column);
  }
  // What the first row is called where items are row numbers.
  std::size_t first_number() const { return first_.contains("0") ? 0 : 1; }

 private:
  std::unordered_map<std::string, First> first_;
  std::set<std::string> varies_;
  std::size_t count_ = 0;
};

std::string item_of(const Dataset& data, std::size_t row, const ItemRecords& items) {
  return data.ids.empty() ? std::to_string(row + items.first_number())
                          : std::string(plain_name(data.ids[row]));
}

// ---- records that an annotation makes
// ---------------------------------------------------------------

// How a long table says yes and no.
struct VoteSpelling {
  std::string yes = "1", no = "0";
};

class RecordMaker {
 public:
  RecordMaker(const Dataset& data, const Uses& uses, const AnnotationOptions& from, bool lists,
              VoteSpelling spelling)
      : data_(data), uses_(uses), lists_(lists), spelling_(std::move(spelling)) {
    if (const std::optional<Scale> scale = scale_of(from))
      spelling_ = {fmt::format("{}", scale->high), fmt::format("{}", scale->low)}, blank_ = "";
  }

  std::vector<Edits> records(const Voice& voice) const {
    if (uses_.layout == "wide") return {wide(voice)};
    if (!uses_.vote.empty() && uses_.layout != "prodigy") return votes(voice, spelling_);
    if (uses_.layout == "prodigy" && uses_.labels != "accept")
      return votes(voice, {"accept", "reject"});
    return lists_ ? std::vector<Edits>{listed(voice)} : ticks(voice);
  }

 private:
  Edits by(const Voice& voice) const { return {{uses_.annotator, {voice.by}}}; }
  std::vector<Edits> votes(const Voice& voice, const VoteSpelling& words) const {
    std::vector<Edits> all;
    for (const auto* labels : {&voice.right, &voice.wrong})
      for (const std::size_t label : *labels) {
        Edits edits = by(voice);
        edits[uses_.labels] = {data_.label_names[label]};
        edits[uses_.vote] = {labels == &voice.right ? words.yes : words.no};
        all.push_back(std::move(edits));
      }
    return all;
  }
  Edits wide(const Voice& voice) const {
    Edits edits = by(voice);
    for (const std::string& column : uses_.label_columns) {
      const auto label = static_cast<std::size_t>(std::ranges::find(data_.label_names, column) -
                                                  data_.label_names.begin());
      const bool right = std::ranges::find(voice.right, label) != voice.right.end();
      const bool wrong = std::ranges::find(voice.wrong, label) != voice.wrong.end();
      edits[column] = {right ? spelling_.yes : wrong ? spelling_.no : blank_};
    }
    return edits;
  }
  Edits listed(const Voice& voice) const {
    Edits edits = by(voice);
    Value& value = edits[uses_.labels];
    value.is_list = true;
    for (const std::size_t label : voice.right) value.list.push_back(data_.label_names[label]);
    if (uses_.layout == "prodigy") edits[uses_.vote] = {"accept"};
    return edits;
  }
  // An annotation without a label is a line without one.
  std::vector<Edits> ticks(const Voice& voice) const {
    std::vector<Edits> all;
    for (const std::size_t label : voice.right) {
      all.push_back(by(voice));
      all.back()[uses_.labels] = {data_.label_names[label]};
    }
    if (!all.empty()) return all;
    all.push_back(by(voice));
    all.back()[uses_.labels] = {};
    return all;
  }

  const Dataset& data_;
  const Uses& uses_;
  bool lists_;
  VoteSpelling spelling_;
  std::string blank_ = "unsure";  // of a label that was not decided
};

// ---- tables
// ---------------------------------------------------------------------------------------

// How lists stand in cells.
class ListStyle {
 public:
  void look_at(std::string_view cell) {
    if (is_bracketed(cell) && !is_list_literal(cell)) style_ = Style::Brackets;
    if (is_list_literal(cell) && style_ == Style::None) style_ = Style::Json;
    if (is_list_literal(cell) && cell.find('\'') != cell.npos) style_ = Style::Python;
    if (!trimmed(cell).empty()) texts_.insert(std::string(trimmed(cell)));
  }
  void settle(const std::string& asked_for) {
    if (style_ != Style::None || asked_for == kNoSeparator) return;
    const std::vector<std::string_view> texts(texts_.begin(), texts_.end());
    const Separation found = separation_of(texts);
    separator_ = !asked_for.empty()                        ? asked_for
                 : found.texts == Separation::Texts::Lists ? std::string(found.separator)
                                                           : "";
    if (!separator_.empty()) style_ = Style::Separated;
  }
  bool lists() const { return style_ != Style::None; }
  std::string cell(const std::vector<std::string>& labels) const {
    if (style_ == Style::Separated) return fmt::format("{}", fmt::join(labels, separator_));
    std::string text;
    for (const std::string& label : labels) {
      const bool brackets = style_ == Style::Brackets;
      text += text.empty() ? "" : brackets ? " " : ", ";
      text += brackets                  ? "[" + label + "]"
              : style_ == Style::Python ? python_quoted(label)
                                        : json_quoted(label);
    }
    return style_ == Style::Brackets ? text : "[" + text + "]";
  }

 private:
  enum class Style { None, Json, Python, Brackets, Separated };
  static std::string python_quoted(const std::string& label) {
    std::string text = "'";
    for (const char c : label)
      text += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return text + "'";
  }
  Style style_ = Style::None;
  std::string separator_;
  std::set<std::string> texts_;
};

void refuse_without_annotators(const Uses& uses, const std::string& path) {
  if (!uses.annotator.empty()) return;
  throw Error(Failure::Usage,
              "this table has no column of annotators, so that decisions cannot stand in it under "
              "the names of those who made them",
              {path, 0, 0}, "write the rows with their labels instead");
}

class TableBack {
 public:
  TableBack(const Dataset& data, const Uses& uses, const AnnotationOptions& from,
            std::vector<File> files)
      : data_(data), uses_(uses), from_(from), files_(std::move(files)) {
    for (const File& file : files_) look_at(file);
    style_.settle(from.separator);
  }

  void write(const std::vector<Voice>& voices, OutputStream& out) const {
    for (const File& file : files_) {
      std::string_view text = file.text;
      if (&file != &files_.front() && from_.columns.empty())
        text.remove_prefix(end_of_csv_record(text, delimiter_, file.path));
      out.write(text);
      const bool more = !voices.empty() || &file != &files_.back();
      if (more && !text.ends_with('\n')) out.write(line_end());
    }
    if (voices.empty()) return;
    refuse_without_annotators(uses_, files_.front().path);
    const RecordMaker maker(data_, uses_, from_, style_.lists(), spelling_);
    for (const Voice& voice : voices)
      for (const Edits& edits : maker.records(voice)) out.write(line(voice.row, edits));
  }

 private:
  void look_at(const File& file) {
    AnnotationRecords records(reading(file.text), file.path, from_.columns);
    if (&file == &files_.front()) {
      names_ = records.names();
      delimiter_ = records.delimiter();
    } else if (records.names() != names_) {
      throw Error(Failure::Usage, "this file has other columns than " + files_.front().path,
                  {file.path, 0, 0}, "write each of them back by itself");
    }
    const std::size_t item = records.column(uses_.item), labels = records.column(uses_.labels),
                      vote = records.column(uses_.vote);
    VoteWords words;
    while (records.next()) {
      width_ = records.cells().size();
      items_.add(records, item);
      if (labels != npos) style_.look_at(records.cell(labels));
      if (const auto said = vote == npos ? std::nullopt : words.read(records.cell(vote)))
        (*said == Vote::Yes  ? spelling_.yes
         : *said == Vote::No ? spelling_.no
                             : unsure_) = trimmed(records.cell(vote));
      for (const std::string& column : uses_.label_columns) {
        const std::string_view cell = trimmed(records.cell(records.column(column)));
        if (is_bit(cell)) (is_yes(cell) ? spelling_.yes : spelling_.no) = cell;
      }
    }
  }

  std::string line_end() const {
    const std::string& text = files_.front().text;
    const std::size_t end = text.find('\n');
    return end != text.npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
  }

  std::string line(std::size_t row, const Edits& edits) const {
    const std::string item = item_of(data_, row, items_);
    const ItemRecords::First* like = items_.find(item);
    const bool quoted = files_.front().text.starts_with('"');
    std::string text;
    for (std::size_t k = 0; k < std::min(width_, names_.size()); ++k) {
      std::string cell;
      if (const auto edit = edits.find(names_[k]); edit != edits.end())
        cell = edit->second.is_list ? style_.cell(edit->second.list) : edit->second.text;
      else if (names_[k] == uses_.item)
        cell = item;
      else if (like != nullptr && k < like->cells.size() && items_.comes_along(names_[k]))
        cell = like->cells[k];
      if (k != 0) text += delimiter_;
      std::string written;
      if (!cell.empty()) append_csv_cell(written, cell, delimiter_);
      if (quoted && !written.starts_with('"')) written = '"' + written + '"';
      text += written;
    }
    return text + line_end();
  }

  const Dataset& data_;
  const Uses& uses_;
  const AnnotationOptions& from_;
  std::vector<File> files_;
  std::vector<std::string> names_;
  char delimiter_ = ',';
  std::size_t width_ = 0;
  ItemRecords items_;
  ListStyle style_;
  VoteSpelling spelling_;
  std::string unsure_;
};

// ---- JSON
// -----------------------------------------------------------------------------------------

std::string json_list(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts)
    out += (out.empty() ? "" : std::string(between)) + json_quoted(text);
  return "[" + out + "]";
}

// The objects of a file, in an array or one per line, and what stands between them.
struct JsonFile {
  std::vector<JsonPart> objects;
  bool array = false;
};

JsonFile json_file(const std::string& text) {
  JsonFile file;
  std::size_t at = skip_json_blanks(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  file.array = at < text.size() && text[at] == '[';
  if (file.array)
    file.objects = json_parts(text, at);
  else
    for (; at < text.size(); at = skip_json_blanks(text, file.objects.back().end))
      file.objects.push_back({"", at, end_of_json_value(text, at)});
  return file;
}

// An object whose members are changed, left out or added.
class JsonRecord {
 public:
  explicit JsonRecord(std::string_view text) : text_(text), parts_(json_parts(text, 0)) {
    if (!parts_.empty()) {
      const std::size_t colon = text.rfind(':', parts_.front().begin);
      colon_ = text.substr(colon, parts_.front().begin - colon);
    }
    if (parts_.size() > 1) comma_ = text.find(", ", parts_[0].end) == parts_[0].end ? ", " : ",";
  }
  std::optional<std::string_view> value(std::string_view key) const {
    for (const JsonPart& part : parts_)
      if (part.key == key) return text_.substr(part.begin, part.end - part.begin);
    return std::nullopt;
  }
  const std::string& comma() const { return comma_; }
  // Members that pass, with these values; those that are not there come last.
  std::string with(std::map<std::string, std::string> values,
                   const std::function<bool(const std::string&)>& keeps) const {
    std::string out;
    const auto add = [&](const std::string& key, std::string_view value) {
      out += (out.empty() ? "" : comma_) + json_quoted(key) + colon_ + std::string(value);
    };
    for (const JsonPart& part : parts_) {
      if (const auto value = values.find(part.key); value != values.end()) {
        add(part.key, value->second);
        values.erase(value);
      } else if (keeps(part.key)) {
        add(part.key, text_.substr(part.begin, part.end - part.begin));
      }
    }
    for (const auto& [key, value] : values) add(key, value);
    return "{" + out + "}";
  }

 private:
  std::string_view text_;
  std::vector<JsonPart> parts_;
  std::string colon_ = ": ", comma_ = ", ";
};

class JsonBack {
 public:
  JsonBack(const Dataset& data, Uses uses, const AnnotationOptions& from, std::vector<File> files)
      : data_(data), uses_(std::move(uses)), from_(from), files_(std::move(files)) {
    for (const File& file : files_) look_at(file);
    has_annotators_ = !uses_.annotator.empty();
    if (!has_annotators_)
      uses_.annotator = uses_.layout == "prodigy" ? "_annotator_id" : "annotator";
  }

  void write(const std::vector<Voice>& voices, OutputStream& out,
             std::vector<std::string>& notes) const {
    const bool names_all = !has_annotators_ && (!voices.empty() || files_.size() > 1);
    if (files_.size() == 1 && voices.empty()) return out.write(files_.front().text);
    if (names_all)
      notes.push_back(fmt::format("every record has a key '{}' now, with the annotator it is of",
                                  uses_.annotator));
    std::vector<std::string> records;
    const RecordMaker maker(data_, uses_, from_, lists_, {});
    for (const Voice& voice : voices)
      for (const Edits& edits : maker.records(voice)) records.push_back(record(voice.row, edits));
    if (files_.size() == 1 && !names_all) return append(records, out);
    if (files_.front().text.starts_with('['))
      throw Error(Failure::Usage, "several files of JSON arrays do not come back as one",
                  {files_.front().path, 0, 0}, "write each of them back by itself");
    for (const File& file : files_)
      for (const JsonPart& object : json_file(file.text).objects) {
        const std::string_view text = text_of(file, object);
        out.write(names_all ? named(text, file) : std::string(text));
        out.write("\n");
      }
    for (const std::string& text : records) out.write(text + "\n");
  }

 private:
  static std::string_view text_of(const File& file, const JsonPart& object) {
    return std::string_view(file.text).substr(object.begin, object.end - object.begin);
  }
  std::string named(std::string_view text, const File& file) const {
    return JsonRecord(text).with({{uses_.annotator, json_quoted(annotator_of_file(file.path))}},
                                 [](const std::string&) { return true; });
  }
  void look_at(const File& file) {
    const JsonFile objects = json_file(file.text);
    for (const JsonPart& object : objects.objects) objects_.push_back(text_of(file, object));
    AnnotationRecords records(reading(file.text), file.path);
    const std::size_t item = records.column(uses_.item);
    while (records.next()) {
      items_.add(records, item);
      const std::string_view labels = trimmed(records.cell(records.column(uses_.labels)));
      lists_ |= labels.starts_with('[');
    }
  }
  // Behind the last record.
  void append(const std::vector<std::string>& records, OutputStream& out) const {
    const std::string& text = files_.front().text;
    const JsonFile file = json_file(text);
    if (!file.array) {
      out.write(text);
      if (!text.ends_with('\n')) out.write("\n");
      for (const std::string& record : records) out.write(record + "\n");
      return;
    }
    const std::size_t end = file.objects.back().end;
    out.write(std::string_view(text).substr(0, end));
    for (const std::string& record : records) out.write(",\n" + record);
    out.write(std::string_view(text).substr(end));
  }
  std::string record(std::size_t row, const Edits& edits) const {
    const std::string item = item_of(data_, row, items_);
    const ItemRecords::First* like = items_.find(item);
    const std::string bare = "{" + json_quoted(uses_.item) + ": " + json_quoted(item) + "}";
    const JsonRecord first(like != nullptr ? objects_[like->number] : std::string_view(bare));
    std::map<std::string, std::string> values;
    for (const auto& [column, value] : edits)
      values[column] =
          value.is_list ? json_list(value.list, first.comma()) : json_quoted(value.text);
    return first.with(std::move(values), [&](const std::string& key) {
      return key == uses_.item || items_.comes_along(key);
    });
  }

  const Dataset& data_;
  Uses uses_;
  const AnnotationOptions& from_;
  std::vector<File> files_;
  std::vector<std::string_view> objects_;  // of all files
  ItemRecords items_;
  bool lists_ = false, has_annotators_ = true;
};

// ---- Argilla
// ----------------------------------------------------------------------------------------

// The list with one more element.
std::string longer(std::optional<std::string_view> list, const std::string& element) {
  if (!list || !list->starts_with('[')) return "[" + element + "]";
  const bool none = json_parts(*list, 0).empty();
  return std::string(list->substr(0, list->size() - 1)) + (none ? "" : ", ") + element + "]";
}

// A record has the responses of all its annotators.
void write_argilla(const Dataset& data, const Uses& uses, const AddedAnnotations& what,
                   const std::vector<File>& files, OutputStream& out) {
  std::unordered_map<std::string_view, const AddedToRow*> rows;
  for (const AddedToRow& row : what.rows) rows.emplace(data.ids[row.row], &row);
  const std::string question = uses.labels.substr(0, uses.labels.rfind(".responses"));
  const auto names_of = [&](const std::vector<std::size_t>& labels) {
    std::vector<std::string> names;
    for (const std::size_t label : labels) names.push_back(data.label_names[label]);
    return names;
  };
  const auto edited = [&](std::string_view text, const AddedToRow& row) {
    const JsonRecord record(text);
    std::map<std::string, std::string> values;
    const auto add = [&](const std::string& key, const std::string& element) {
      const auto there = values.find(key);
      const std::optional<std::string_view> now =
          there != values.end() ? std::string_view(there->second) : record.value(key);
      values[key] = longer(now, element);
    };
    for (const AddedToRow::Annotation& one : row.annotations) {
      add(uses.labels, json_list(names_of(one.labels), ", "));
      add(uses.labels + ".users", json_quoted(one.by));
      add(uses.labels + ".status", "\"submitted\"");
    }
    if (!what.model_version.empty()) {
      values[question + ".suggestion"] = json_list(names_of(row.predicted), ", ");
      values[question + ".suggestion.agent"] = json_quoted(what.model_version);
      if (row.score) values[question + ".suggestion.score"] = fmt::format("{:.6g}", *row.score);
    }
    if (values.empty()) return std::string(text);
    return record.with(std::move(values), [](const std::string&) { return true; });
  };
  for (const File& file : files) {
    std::size_t at = 0;
    for (const JsonPart& object : json_file(file.text).objects) {
      const std::string_view text =
          std::string_view(file.text).substr(object.begin, object.end - object.begin);
      AnnotationRecords one(reading(text), file.path);
      one.next();
      const auto row = rows.find(plain_name(one.cell(one.column(uses.item))));
      if (row == rows.end()) continue;
      out.write(std::string_view(file.text).substr(at, object.begin - at));
      out.write(edited(text, *row->second));
      at = object.end;
    }
    out.write(std::string_view(file.text).substr(at));
  }
}

// ---- CekaPlus
// ---------------------------------------------------------------------------------------

// Workers are numbers: whoever is none gets the next one.
class WorkerNumbers {
 public:
  void take(std::string_view number) {
    std::size_t value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc())
      next_ = std::max(next_, value + 1);
  }
  std::string of(const std::string& name) {
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    if (is_number) return name;
    const auto [found, fresh] = given_.try_emplace(name, next_);
    next_ += fresh;
    return std::to_string(found->second);
  }
  void tell(std::vector<std::string>& notes) const {
    for (const auto& [name, number] : given_)
      notes.push_back(fmt::format("'{}' is worker {}: CekaPlus knows numbers alone", name, number));
  }

 private:
  std::size_t next_ = 1;
  std::map<std::string, std::size_t> given_;
};

void write_cekaplus(const Dataset& data, const std::vector<Voice>& voices,
                    const std::vector<File>& files, OutputStream& out,
                    std::vector<std::string>& notes) {
  WorkerNumbers workers;
  std::size_t width = 0;
  char mark = '\t';
  for (const File& file : files) {
    out.write(file.text);
    if (!file.text.ends_with('\n') && (!voices.empty() || &file != &files.back())) out.write("\n");
    std::string_view left = file.text;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\n'), left.size() - 1);
      const std::string_view line = trimmed(left.substr(0, end + 1));
      left.remove_prefix(end + 1);
      const std::size_t first = line.find_first_of(" \t,;");
      if (first == line.npos) continue;
      mark = line[first];
      workers.take(line.substr(0, first));
      if (width == 0) width = 1 + static_cast<std::size_t>(std::ranges::count(line, mark));
    }
  }
  for (const Voice& voice : voices)
    for (const auto* labels : {&voice.right, &voice.wrong})
      for (const std::size_t label : *labels) {
        if (width == 3 && labels == &voice.wrong) continue;
        const std::string item = data.ids.empty() ? std::to_string(voice.row) : data.ids[voice.row];
        std::string line = workers.of(voice.by) + mark + item + mark + data.label_names[label];
        if (width == 4) line += std::string(1, mark) + (labels == &voice.right ? "2" : "1");
        out.write(line + "\n");
      }
  workers.tell(notes);
}

}  // namespace

const std::vector<std::string>& layouts_written_back() {
  static const std::vector<std::string> names = {"label-studio", "prodigy", "doccano", "argilla",
                                                 "cekaplus",     "long",    "wide"};
  return names;
}

std::string layout_of_annotations(const AnnotationOptions& from, FileSystem& files) {
  std::string layout;
  if (from.path.empty()) return layout;
  AnnotationFiles(from, files).look([&](const AnnotationRecords& records) {
    layout = annotation_layout_of(records, from, records.path()).format.name;
  });
  return layout;
}

void write_annotations_back(const Dataset& data, const AddedAnnotations& what,
                            const AnnotationOptions& from, FileSystem& files, OutputStream& out,
                            std::vector<std::string>& notes) {
  const std::string layout = layout_of_annotations(from, files);
  const auto& known = layouts_written_back();
  if (std::ranges::find(known, layout) == known.end())
    throw Error(Failure::Usage,
                layout.empty() ? "there are no annotations to write back"
                               : "annotations of the layout '" + layout + "' are not written back",
                {}, fmt::format("these are: {}", fmt::join(known, ", ")));
  if (layout == "label-studio") return write_label_studio(data, what, from, files, out);
  const std::vector<Voice> voices = voices_of(data, what);
  std::vector<File> all = read_files(from, files);
  if (layout == "cekaplus") return write_cekaplus(data, voices, all, out, notes);
  const Uses uses = uses_of(data, from, files);
  if (layout == "argilla") return write_argilla(data, uses, what, all, out);
  const AnnotationRecords first(reading(all.front().text), all.front().path, from.columns);
  if (first.is_json())
    JsonBack(data, uses, from, std::move(all)).write(voices, out, notes);
  else
    TableBack(data, uses, from, std::move(all)).write(voices, out);
  if (!what.model_version.empty())
    notes.push_back(fmt::format(
        "labels of the machine are annotations of '{}'; when they are read again, say {}",
        what.model_version, term("ticks.kinds", what.model_version + "=program")));
}

}  // namespace sieve
