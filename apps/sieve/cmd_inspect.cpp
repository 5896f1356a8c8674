#include <unistd.h>

#include <optional>

#include "base/table.h"
#include "data/roles/guess_roles.h"
#include "data/roles/roles_file.h"
#include "labelsieve/crowd.h"
#include "labelsieve/dataset.h"
#include "labelsieve/options.h"
#include "reading.h"
#include "report/rendered.h"
#include "terminal.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// A line for each column, then what is unclear with the command to copy.
std::string roles_shown(const RoleTable& roles, bool of_annotations) {
  constexpr std::size_t kLongest = 40;
  TextTable table(
      {of_annotations ? "column of annotations" : "column", "role", "because", "as in"});
  std::size_t lines = 0;
  for (const ColumnRole& column : roles.columns) {
    if (column.of_annotations != of_annotations) continue;
    ++lines;
    const bool unclear = column.role == kUnclearRole;
    table.add({column.column, column.role, unclear ? "unclear, see below" : column.reason,
               shortened(column.example, kLongest)});
  }
  return lines == 0 ? "" : table.text() + "\n";
}

std::string unclear_shown(const RoleTable& roles) {
  if (roles.open.empty()) return "All columns are clear.\n";
  std::string text = bold("unclear") + "\n";
  for (const OpenQuestion& question : roles.open) {
    text += "  " + visible(question.message) + "\n";
    for (const ReadAnswer& answer : question.answers) {
      text += "    " + visible(answer.meaning) + ":";
      for (const auto& [name, value] : answer.settings) text += " " + visible(term(name, value));
      text += "\n";
    }
    if (question.answers.empty())
      text += "    say it with " + term("labels.column") + " or " + term("labels.names") + "\n";
  }
  const std::string call = roles.likeliest_call();
  return text + (call.empty() ? "" : "If the first answers are right:\n  " + call + "\n");
}

Json roles_json(const RoleTable& roles) {
  std::vector<Json> columns, open;
  for (const ColumnRole& column : roles.columns)
    columns.push_back(Json::object({{"column", column.column},
                                    {"of", column.of_annotations ? "annotations" : "data"},
                                    {"role", column.role},
                                    {"reason", column.reason},
                                    {"example", column.example}}));
  for (const OpenQuestion& question : roles.open) {
    std::vector<std::string> answers;
    for (const ReadAnswer& answer : question.answers)
      answers.push_back(answer.meaning + ": " + rerun_with(answer.settings));
    open.push_back(
        Json::object({{"question", question.message}, {"answers", json_strings(answers)}}));
  }
  return Json::object({{"roles", Json::array(columns)},
                       {"unclear", Json::array(open)},
                       {"command", roles.likeliest_call()}});
}

Report write_roles(const Arguments& arguments) {
  const std::string& path = arguments.text("roles");
  check_writable(arguments, path);
  ThreadPool pool(arguments.count("threads"));
  std::vector<SettingValue> given;
  const ReadOptions options = given_options(arguments, pool, given);
  const RoleTable roles = guess_roles(arguments.words(), options);
  AtomicFile file(FileSystem::real(), path, if_exists(arguments));
  file.write(roles_text(roles, given));
  file.commit();
  Report report{.text = roles_shown(roles, false) + roles_shown(roles, true) +
                        unclear_shown(roles) + "wrote " + visible(path) + "\n",
                .json = roles_json(roles)};
  if (!roles.open.empty())
    report.notes.push_back(path +
                           " has \"?\" where something is unclear: answer it there, or run "
                           "the command above");
  return report;
}

Report run(const Arguments& arguments) {
  if (const std::string& roles = arguments.text("roles");
      !roles.empty() && (arguments.flag("force") || !FileSystem::real().exists(roles)))
    return write_roles(arguments);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  const DatasetSummary summary = summarise(data);
  const std::vector<std::string> warnings = warnings_of(summary);

  std::optional<Agreement> agreement;
  if (data.votes) agreement = measure_agreement(*data.votes, data.labels(), pool, {.resamples = 0});

  const Rendered rendered = render_dataset(summary, warnings, terminal_width(STDOUT_FILENO),
                                           agreement ? &*agreement : nullptr);

  Report report{
      .text = bold(shape_text(data.shape())) + "  rows x features x labels\n\n" + rendered.text,
      .json = rendered.json,
      .notes = std::move(notes)};
  if (!warnings.empty()) report.text += "\n" + warning_colour("warnings") + "\n";
  for (const std::string& warning : warnings) report.text += "  " + warning + "\n";
  if (data.recipe)
    for (std::string& note : notes_on(*data.recipe)) report.notes.push_back(std::move(note));
  return report;
}

}  // namespace

Verb inspect_verb() {
  Verb verb{.name = "inspect",
            .summary = "show what is in a data set and what may be wrong with it",
            .arguments = "PATH...",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "PATH is a file, a folder with one data set, or several files of one set\n"
                "(train and test, or features and labels); - is standard input.\n"
                "With --annotations alone, the annotated items are the rows.\n"
                "--roles FILE writes what each column is, and why; if the file is there, it is\n"
                "read, as by every other verb (--force: written again).",
            .example = "sieve inspect scene-train.arff scene-test.arff --xml scene.xml",
            .run = run};
  for (const auto& more : {reading_options("candidates"), annotation_options(),
                           std::vector<Option>{truth_option(), force_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
