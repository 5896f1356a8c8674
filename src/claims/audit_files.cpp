#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/json.h"
#include "base/streams.h"
#include "claims/answered_lines.h"
#include "data/csv/csv_cells.h"
#include "data/ids.h"
#include "data/recipe/table.h"
#include "data/xlsx/workbook_writer.h"
#include "labelsieve/claims.h"
#include "labelsieve/data_io.h"

namespace sieve {
namespace {

const ColumnNames kAnswerNames = {"answer", "true", "truth", "value", "decision", "gold"};

// What somebody can read of a row: its texts, one after the other.
class RowTexts {
 public:
  explicit RowTexts(const Dataset& data) {
    if (!data.cells || data.cells->texts.empty() || data.cells->rows() != data.rows()) return;
    rows_.resize(data.rows());
    data.cells->texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
      std::string& row = rows_[cell.row];
      if (!row.empty()) row += " | ";
      row += text;
    });
  }
  bool any() const { return !rows_.empty(); }
  const std::string& of(std::size_t row) const { return rows_[row]; }

 private:
  std::vector<std::string> rows_;
};

std::size_t pass_in(const AnsweredLine& line) {
  if (line.pass.empty()) return 1;
  if (line.pass != "1" && line.pass != "2" && line.pass != "3")
    throw Error(Failure::Data, "'" + line.pass + "' is not the first, second or third pass",
                line.place, "leave the column 'pass' as it was written");
  return static_cast<std::size_t>(line.pass[0] - '0');
}

}  // namespace

LabelMatrix read_exported_labels(const std::string& path, const Dataset& data,
                                 ReadOptions options) {
  options.format.clear();  // the two files may differ
  options.xml.clear();
  options.ticks = {};
  options.label_file.clear();
  options.id_file.clear();
  options.keep_cells = options.keep_left_out = false;
  options.labels.else_all = true;
  const Dataset other = read_dataset({path}, options);
  const bool by_id = !data.ids.empty() && !other.ids.empty();
  if (!by_id && other.rows() != data.rows())
    throw Error(Failure::Data,
                fmt::format("the file has {} rows, the data {} rows", other.rows(), data.rows()),
                {path, 0, 0}, "the labels to audit must be those of the same rows");
  std::vector<std::size_t> rows(data.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  if (by_id) rows = rows_with_ids(data.ids, other.ids, path);
  return other.candidates.select_labels(match_columns(data.label_names, other.label_names, path))
      .select_rows(rows);
}

std::string_view to_string(AuditAnswer answer) {
  switch (answer) {
    case AuditAnswer::None:
      return "";
    case AuditAnswer::Right:
      return "1";
    case AuditAnswer::Wrong:
      return "0";
    case AuditAnswer::Unsure:
      return "?";
  }
  return "";
}

AuditAnswers AuditAnswers::none(const Audit& audit) {
  const std::vector<AuditAnswer> open(audit.questions().size());
  return {open, open, open};
}

bool AuditAnswers::conflict(std::size_t question) const {
  if (question >= std::min(first.size(), second.size())) return false;
  const AuditAnswer a = first[question], b = second[question];
  return (a == AuditAnswer::Right && b == AuditAnswer::Wrong) ||
         (a == AuditAnswer::Wrong && b == AuditAnswer::Right);
}

std::vector<AuditAnswer>& AuditAnswers::of_pass(std::size_t pass) {
  return pass == 1 ? first : pass == 2 ? second : third;
}

std::size_t AuditAnswers::answered() const {
  return first.size() - static_cast<std::size_t>(std::ranges::count(first, AuditAnswer::None));
}

namespace {

// Calls visit(question, pass) for each line of a list.
template <class Visit>
void for_each_line(const Audit& audit, const AuditAnswers* answered, const Visit& visit) {
  const auto open = [&](const std::vector<AuditAnswer>& answers, std::size_t q) {
    return q >= answers.size() || answers[q] == AuditAnswer::None;
  };
  const std::vector<AuditQuestion>& questions = audit.questions();
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (!answered || open(answered->first, q)) visit(questions[q], 1);
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (audit.asked_twice(questions[q]) && (!answered || open(answered->second, q)))
      visit(questions[q], 2);
  for (std::size_t q = 0; answered && q < questions.size(); ++q)
    if (answered->conflict(q) && open(answered->third, q)) visit(questions[q], 3);
}

void write_table_of(const Audit& audit, OutputStream& file, const AuditAnswers* answered,
                    const LabelMatrix* truth) {
  const RowTexts texts(audit.data());
  const std::string code = to_string(audit.code());
  file.write(texts.any() ? "id,text,label,answer,draw,pass,audit\n"
                         : "id,label,answer,draw,pass,audit\n");
  for_each_line(audit, answered, [&](const AuditQuestion& question, int pass) {
    std::string line;
    append_csv_cell(line, audit.item(question.row), ',');
    if (texts.any()) {
      line += ',';
      append_csv_cell(line, texts.of(question.row), ',');
    }
    line += ',';
    append_csv_cell(line, audit.data().label_names[question.label], ',');
    const char* answer = !truth ? "" : truth->get(question.row, question.label) ? "1" : "0";
    line += fmt::format(",{},{},{},{}\n", answer, question.draw.number, pass, code);
    file.write(line);
  });
}

// A task of Label Studio for each line. The id is called "item", since Label Studio gives its tasks
// ids of its own.
void write_tasks(const Audit& audit, OutputStream& file, const AuditAnswers* answered,
                 const LabelMatrix* truth) {
  const RowTexts texts(audit.data());
  const std::string code = to_string(audit.code());
  const char* before = "[\n";
  for_each_line(audit, answered, [&](const AuditQuestion& question, int pass) {
    const std::string item = audit.item(question.row);
    const std::string& label = audit.data().label_names[question.label];
    const Json data = Json::object({{"item", item},
                                    {"text", texts.any() ? texts.of(question.row) : item},
                                    {"label", label},
                                    {"question", "Is '" + label + "' right here?"},
                                    {"draw", question.draw.number},
                                    {"pass", pass},
                                    {"audit", code}});
    std::string task = before + ("{\"data\":" + data.text());
    if (truth)
      task += fmt::format(R"(,"annotations":[{{"result":[{{"from_name":"answer","to_name":"text",)"
                          R"("type":"choices","value":{{"choices":["{}"]}}}}]}}])",
                          truth->get(question.row, question.label) ? "right" : "wrong");
    file.write(task + "}");
    before = ",\n";
  });
  file.write(*before == '[' ? "[]\n" : "\n]\n");
}

}  // namespace

AuditListForm audit_list_form(const std::string& path) {
  const std::string_view name = unpacked_name(path);
  return name.ends_with(".xlsx")   ? AuditListForm::Sheet
         : name.ends_with(".json") ? AuditListForm::Tasks
                                   : AuditListForm::Table;
}

void write_audit_list(const Audit& audit, OutputStream& file, const AuditAnswers* answered,
                      const LabelMatrix* truth, AuditListForm form) {
  if (form == AuditListForm::Tasks) return write_tasks(audit, file, answered, truth);
  if (form == AuditListForm::Table) return write_table_of(audit, file, answered, truth);
  WorkbookWriter book;
  book.add_sheet("audit",
                 [&](OutputStream& sheet) { write_table_of(audit, sheet, answered, truth); });
  book.finish(file);
}

std::size_t questions_left(const Audit& audit, const AuditAnswers* answered) {
  std::size_t lines = 0;
  for_each_line(audit, answered, [&](const AuditQuestion&, int) { ++lines; });
  return lines;
}

std::optional<AuditCode> read_audit_code(const std::string& path, FileSystem& files) {
  AnsweredLines lines(path, kAnswerNames, files);
  AnsweredLine line;
  std::string text;
  while (lines.next(line)) {
    if (line.audit.empty() || line.audit == text) continue;
    if (!text.empty())
      throw Error(Failure::Data, "this line belongs to another audit than the lines above",
                  line.place, "keep the answers of each audit in a file of their own");
    text = line.audit;
    if (!parse_audit_code(text))
      throw Error(Failure::Data, "'" + excerpt(text, 40) + "' does not name an audit", line.place,
                  "leave the column 'audit' as it was written");
  }
  return text.empty() ? std::nullopt : parse_audit_code(text);
}

void check_audit_code(const AuditCode& code, const Audit& audit, const std::string& path) {
  const AuditCode now = audit.code();
  const Place place{path, 0, 0};
  if (code.request.seed != now.request.seed)
    throw Error(Failure::Data,
                fmt::format("these answers were drawn with the random seed {}, not {}",
                            code.request.seed, now.request.seed),
                place, "leave the seed to the list of answers");
  if (code.short_prints.data != now.short_prints.data)
    throw Error(Failure::Data, "the data are not those that the audit was drawn from", place,
                "give the data as they were then, or begin a new audit with a new list");
  if (code.short_prints.labels != now.short_prints.labels)
    throw Error(Failure::Data, "the labels have changed since the audit was drawn", place,
                "give the labels as they were then, or audit the new ones with a new list");
  if (code.short_prints.probabilities != now.short_prints.probabilities)
    throw Error(Failure::Data, "the audit was drawn with other probabilities", place,
                "give the same annotations or probabilities as when the list was made");
  if (!(code.request == now.request))
    throw Error(Failure::Data, "the audit was drawn with other settings", place,
                "leave the settings to the list of answers");
}

AuditAnswers read_answers(const std::string& path, const Audit& audit, FileSystem& files) {
  AnsweredLines lines(path, kAnswerNames, files);
  const CellNames names(audit.data());
  AuditAnswers answers = AuditAnswers::none(audit);
  AnsweredLine line;
  while (lines.next(line)) {
    const AuditQuestion* question = audit.find(names.row(line), names.label(line));
    if (!question)
      throw Error(
          Failure::Data,
          fmt::format("label '{}' of row '{}' was not asked in this audit", line.label, line.item),
          line.place, "only cells that were drawn at random measure; leave this line out");
    const AuditAnswer answer = answer_in(line);
    if (answer == AuditAnswer::None) continue;
    const auto number = static_cast<std::size_t>(question - audit.questions().data());
    AuditAnswer& place = answers.of_pass(pass_in(line))[number];
    if (place != AuditAnswer::None)
      throw Error(Failure::Data, "this cell is answered a second time in the same pass", line.place,
                  "keep one line for each cell and pass");
    place = answer;
  }
  return answers;
}

}  // namespace sieve
