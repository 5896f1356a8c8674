#include "data/annotations/annotations_back.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "data/annotations/annotation_files.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/label_studio.h"
#include "data/annotations/plain_names.h"
#include "data/jsonl/json_text.h"
#include "data/recipe/table.h"
#include "data/text/numbers.h"
#include "labelsieve/error.h"

namespace sieve {

AddedAnnotations added_annotations(const std::vector<ReviewerDecision>& decisions,
                                   const LabelMatrix& labels, const std::vector<std::size_t>& rows,
                                   const CandidateScores* probabilities,
                                   const std::string& model_version) {
  std::map<std::size_t, std::map<std::string, AddedToRow::Annotation>> by_row;
  for (const std::size_t row : rows) by_row[row];
  LabelMatrix left = labels.clone();  // that nobody looked at
  for (const ReviewerDecision& one : decisions) {
    AddedToRow::Annotation& said = by_row[one.row][one.reviewer];
    (one.on ? said.labels : said.rejected).push_back(one.label);
    left.set(one.row, one.label, false);
  }
  AddedAnnotations out{.model_version = model_version};
  for (auto& [row, by_reviewer] : by_row) {
    AddedToRow one{.row = row};
    for (auto& [reviewer, said] : by_reviewer) {
      said.by = reviewer;
      one.annotations.push_back(std::move(said));
    }
    left.for_each(one.row, [&](std::size_t label) {
      one.predicted.push_back(label);
      if (probabilities != nullptr)
        one.score = std::min<double>(one.score.value_or(1), (*probabilities)(one.row, label));
    });
    out.rows.push_back(std::move(one));
  }
  return out;
}

namespace {

// How a project calls its question, as its results have it.
struct Question {
  std::string from = "labels", to = "item", type = "choices";
};

bool is_number(const std::string& name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size();
}

// The importer takes a number or an address.
std::string completed_by(const std::string& name) {
  return is_number(name) ? name : "{\"email\":" + json_quoted(name) + "}";
}

// Nested choices are paths: "a/b" is ["a", "b"].
std::string choice_of(const std::string& label, const Question& question) {
  if (question.type != "taxonomy") return json_quoted(label);
  std::string path;
  for (std::size_t from = 0, to = 0; to != label.npos; from = to + 1) {
    to = label.find('/', from);
    path += (path.empty() ? "" : ",") + json_quoted(label.substr(from, to - from));
  }
  return "[" + path + "]";
}

// No labels are no result.
std::string result_of(const std::vector<std::size_t>& labels, const Dataset& data,
                      const Question& question) {
  std::string choices;
  for (const std::size_t label : labels)
    choices += (choices.empty() ? "" : ",") + choice_of(data.label_names[label], question);
  if (choices.empty()) return "[]";
  return "[{\"from_name\":" + json_quoted(question.from) +
         ",\"to_name\":" + json_quoted(question.to) + ",\"type\":" + json_quoted(question.type) +
         ",\"value\":{" + json_quoted(question.type) + ":[" + choices + "]}}]";
}

// With commas between. An importer takes what does not say otherwise for ground truth.
std::string annotations_of(const AddedToRow& row, const Dataset& data, const Question& question) {
  std::string out;
  for (const AddedToRow::Annotation& one : row.annotations)
    out += (out.empty() ? "" : ",") + ("{\"completed_by\":" + completed_by(one.by)) +
           ",\"ground_truth\":false,\"result\":" + result_of(one.labels, data, question) + "}";
  return out;
}

std::string prediction_of(const AddedToRow& row, const AddedAnnotations& what, const Dataset& data,
                          const Question& question) {
  if (row.predicted.empty()) return {};
  std::string out = "{\"model_version\":" + json_quoted(what.model_version);
  if (row.score) out += ",\"score\":" + Json(*row.score).text();
  return out + ",\"result\":" + result_of(row.predicted, data, question) + "}";
}

// ---- the file that the annotations came from

// A task in the text of the file.
struct TaskText {
  std::size_t begin = 0, end = 0;
  std::string item;
};

class StudioFile {
 public:
  StudioFile(std::string text, const AnnotationOptions& options)
      : text_(std::move(text)), question_{.from = options.label} {
    std::size_t at = skip_json_blanks(text_, text_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    std::vector<JsonPart> parts;
    if (text_[at] == '[')
      parts = json_parts(text_, at);
    else
      for (; at < text_.size(); at = skip_json_blanks(text_, parts.back().end))
        parts.push_back({"", at, end_of_json_value(text_, at)});
    ItemKeys keys(options.item);
    for (const JsonPart& part : parts) add(part, keys);
    if (const std::vector<std::string>* names = keys.names())
      for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].item = (*names)[i];
    if (question_.from.empty()) question_ = {};
  }

  // The whole text with what the rows add.
  std::string with(const Dataset& data, const AddedAnnotations& what) const {
    std::unordered_map<std::string_view, const AddedToRow*> rows;
    for (const AddedToRow& row : what.rows) rows.emplace(data.ids[row.row], &row);
    std::string out;
    std::size_t at = 0;
    for (const TaskText& task : tasks_) {
      const auto found = rows.find(plain_name(task.item));
      if (found == rows.end()) continue;
      out += text_.substr(at, task.begin - at);
      out += edited(std::string_view(text_).substr(task.begin, task.end - task.begin),
                    annotations_of(*found->second, data, question_),
                    prediction_of(*found->second, what, data, question_));
      at = task.end;
      rows.erase(found);
    }
    if (!rows.empty())
      throw Error(Failure::Data,
                  "no task is that of the row '" + std::string(rows.begin()->first) + "'",
                  {data.name, 0, 0}, "give the export that the rows came from, unchanged");
    return out += text_.substr(at);
  }

 private:
  void add(const JsonPart& part, ItemKeys& keys) {
    JsonParser parser;
    const JsonValue task =
        parser.parse(std::string_view(text_).substr(part.begin, part.end - part.begin), {});
    const auto id = task.find("id");
    tasks_.push_back({part.begin, part.end, id ? id->plain() : ""});
    JsonParser empty;
    keys.add(task.find("data").value_or(empty.parse("{}", {})));
    for (const char* list : {"annotations", "completions", "predictions"})
      if (const auto all = task.find(list))
        all->for_each([&](const JsonValue& one) {
          if (const auto results = one.find("result"))
            results->for_each([&](const JsonValue& result) { learn(result); });
        });
  }

  // What the question is called.
  void learn(const JsonValue& result) {
    const auto type = result.find("type"), from = result.find("from_name"),
               to = result.find("to_name");
    const std::string kind = type ? type->plain() : "";
    if (!from || !to || (kind != "choices" && kind != "taxonomy")) return;
    if (!question_.from.empty() && (learnt_ || from->plain() != question_.from)) return;
    question_ = {from->plain(), to->plain(), kind};
    learnt_ = true;
  }

  static std::string edited(std::string_view task, const std::string& annotations,
                            const std::string& prediction) {
    std::string out;
    std::size_t at = 0;
    std::string missing;
    const std::vector<JsonPart> members = json_parts(task, 0);
    const auto has = [&](std::string_view key) {
      return std::ranges::find(members, key, &JsonPart::key) != members.end();
    };
    const std::string list = has("completions") ? "completions" : "annotations";
    const auto added_to = [&](const std::string& key) -> const std::string* {
      return key == list ? &annotations : key == "predictions" ? &prediction : nullptr;
    };
    for (const JsonPart& member : members) {
      const std::string* added = added_to(member.key);
      if (added == nullptr || added->empty() || task[member.begin] != '[') continue;
      const bool none = json_parts(task, member.begin).empty();
      out += task.substr(at, member.end - 1 - at);
      out += (none ? "" : ",") + *added;
      at = member.end - 1;
    }
    for (const std::string& key : {list, std::string("predictions")})
      if (const std::string* added = added_to(key); !added->empty() && !has(key))
        missing += (members.empty() ? "" : ",") + json_quoted(key) + ":[" + *added + "]";
    if (missing.empty()) return out += task.substr(at);
    const std::size_t end = members.empty() ? 1 : members.back().end;
    out += task.substr(at, end - at);
    return out + missing + std::string(task.substr(end));
  }

  std::string text_;
  std::vector<TaskText> tasks_;
  Question question_;
  bool learnt_ = false;
};

// Whether the annotations are one export of Label Studio.
bool is_studio(const AnnotationOptions& options, FileSystem& files) {
  if (options.path.empty()) return false;
  const std::vector<std::string> paths = annotation_paths(options, files);
  if (paths.size() != 1 || files.is_folder(paths.front()) || !files.exists(paths.front()))
    return false;
  bool is = false;
  AnnotationFiles(options, files).look([&](const AnnotationRecords& records) {
    is = annotation_layout_of(records, options, records.path()).format.name == "label-studio" &&
         records.path() == paths.front();
  });
  return is;
}

// The id of the row and its cells.
std::string data_of(const Dataset& data, std::size_t row, ColumnsOut& columns) {
  std::string out =
      "{\"item\":" + json_quoted(data.ids.empty() ? std::to_string(row) : data.ids[row]);
  if (!data.cells) return out + "}";
  const std::vector<std::string> names = columns.names();
  columns.go_to(row);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == "item") continue;
    std::string value;
    if (const auto& text = columns.texts()[k])
      value = json_quoted(std::string(*text));
    else if (const std::string& spelling = columns.spellings()[k]; !spelling.empty())
      value = json_number(spelling);
    else if (const float number = columns.numbers()[k]; number == number)
      append_float(value, number);
    else
      continue;
    out += "," + json_quoted(names[k]) + ":" + value;
  }
  return out + "}";
}

}  // namespace

void write_label_studio(const Dataset& data, const AddedAnnotations& what,
                        const AnnotationOptions& from, FileSystem& files, OutputStream& out) {
  if (!data.ids.empty() && is_studio(from, files)) {
    const auto in = open_unpacked(files, annotation_paths(from, files).front());
    out.write(StudioFile(read_all(*in, std::numeric_limits<std::uint64_t>::max(), from.path), from)
                  .with(data, what));
    return;
  }
  ColumnsOut columns(data);
  std::string before = "[\n";
  for (const AddedToRow& row : what.rows) {
    out.write(before + "{\"data\":" + data_of(data, row.row, columns) + ",\"annotations\":[" +
              annotations_of(row, data, {}) + "],\"predictions\":[" +
              prediction_of(row, what, data, {}) + "]}");
    before = ",\n";
  }
  out.write(what.rows.empty() ? "[]\n" : "\n]\n");
}

std::vector<std::string> unknown_to_label_studio(const AddedAnnotations& what) {
  std::set<std::string> names;
  for (const AddedToRow& row : what.rows)
    for (const AddedToRow::Annotation& one : row.annotations)
      if (!is_number(one.by) && one.by.find('@') == one.by.npos) names.insert(one.by);
  return {names.begin(), names.end()};
}

}  // namespace sieve
