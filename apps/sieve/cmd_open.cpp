#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file_lock.h"
#include "base/format_text.h"
#include "base/toml.h"
#include "data/read_settings.h"
#include "data/roles/roles_file.h"
#include "labelsieve/review.h"
#include "pipeline/judge_votes.h"
#include "reading.h"
#include "serving.h"
#include "shared_options.h"
#include "signals.h"
#include "terminal.h"
#include "verbs.h"

namespace sieve {
namespace {

constexpr const char* kWorkspace = "workspace.sieve-db";
constexpr const char* kGuidelines = "guidelines.md";
constexpr std::size_t kFirstRows = 3;

std::shared_ptr<AuditSubject> subject_of(const Dataset& data, ThreadPool& pool) {
  auto subject = std::make_shared<AuditSubject>();
  subject->data = &data;
  subject->exported = data.candidates.share();
  believe_votes(*subject, pool);
  return subject;
}

// How a workspace is read: by its flags, and by what was said of its files and columns on the page,
// which is kept in a file of roles beside the decisions.
class Opening {
 public:
  using Use = WorkspaceFile::Use;

  Opening(const Arguments& arguments, WorkspaceFiles files, ReviewOptions options)
      : arguments_(arguments),
        files_(std::move(files)),
        options_(std::move(options)),
        said_(std::filesystem::path(options_.decisions).replace_extension(".roles.toml").string()),
        pool_(arguments.count("threads")) {
    if (!arguments_.has("roles") && FileSystem::real().exists(said_)) go_on();
    if (arguments_.has("annotations")) add_annotations(arguments_.list("annotations"));
    take_annotations();
  }

  WorkspaceData describe() {
    WorkspaceData data;
    data.files = files_.files;
    data.command = "sieve clean " + sources() + judging_text(arguments_);
    for (const WorkspaceFiles::Open& open : files_.open) data.open.push_back(question_about(open));
    const auto rows = files_.paths(Use::Rows), annotations = files_.paths(Use::Annotations);
    if (rows.empty() && annotations.empty())
      data.open.push_back({"No file is left to read: say below what one of them holds.", {}});
    if (!data.open.empty()) return data;
    const std::string& shown = rows.empty() ? annotations.front() : rows.front();
    const auto first = std::ranges::find(files_.files, Use::Rows, &WorkspaceFile::use);
    data.first = first_rows(files_.as_folder ? first->path : shown, kFirstRows);
    look_at_columns();
    if (draft_) add_columns(data);
    if (!problem_.empty()) data.open.push_back({problem_, {}});
    return data;
  }

  void correct(const WorkspaceColumn& column) {
    if (!draft_) throw Error(Failure::Usage, "there are no roles to correct");
    draft_->correct(column.column, column.of_annotations, column.role);
    keep();
  }

  void use(std::size_t file, Use use) {
    files_.set_use(file, use);
    take_annotations();
    draft_.reset();
  }

  void answer(std::size_t question, std::size_t answer) {
    if (question >= files_.open.size()) {
      if (!draft_) throw Error(Failure::Usage, "there is no such question");
      draft_->answer(question - files_.open.size(), answer);
      keep();
      return;
    }
    files_.answer(question, answer);
    take_annotations();
    draft_.reset();
  }

  ReviewSetup prepare(Progress& progress) {
    write_said();
    std::vector<std::string> notes;
    ReadOptions read = read_options(arguments_, pool_, notes);
    const std::vector<std::string> rows = files_.paths(Use::Rows);
    Judged judged = judge_rows(arguments_, rows, read, pool_, progress);
    read.notes = nullptr;
    read.ticks = annotation_options_of(arguments_);
    for (const std::string& note : notes) tell(note);
    ReviewOptions options = options_;
    options.sources = sources();
    options.judging = judging_text(arguments_);
    options.trained = trains_judge(arguments_, judged.data);
    options.audited = subject_of(judged.data, pool_);
    return {std::move(judged), rows, read, std::move(options)};
  }

  std::string sources() const {
    return sources_text(files_.paths(Use::Rows), arguments_.text("annotations")) +
           reading_text(arguments_);
  }

 private:
  void take_annotations() {
    arguments_.set("annotations", joined(files_.paths(Use::Annotations), ","));
  }

  // Those that a flag names, and no others.
  void add_annotations(const std::vector<std::string>& paths) {
    for (WorkspaceFile& file : files_.files)
      if (file.use == Use::Annotations) file.use = Use::LeftOut;
    for (const std::string& path : paths) {
      const auto known = std::ranges::find(files_.files, path, &WorkspaceFile::path);
      if (known == files_.files.end())
        files_.files.push_back({path, Use::Annotations});
      else
        files_.set_use(static_cast<std::size_t>(known - files_.files.begin()), Use::Annotations);
    }
  }

  WorkspaceQuestion question_about(const WorkspaceFiles::Open& open) const {
    WorkspaceQuestion question{open.use == Use::Rows
                                   ? "Which of these files holds the rows?"
                                   : "Which of these files holds the annotations?"};
    for (const std::size_t file : open.files)
      question.answers.push_back(std::filesystem::path(files_.files[file].path).filename());
    question.answers.emplace_back(open.files.size() == 2 ? "both" : "all of them");
    return question;
  }

  // Of files whose columns have no names, nothing is known.
  void look_at_columns() {
    problem_.clear();
    if (draft_) return;
    try {
      std::vector<SettingValue> given;
      ReadOptions read = given_options(arguments_, pool_, given);
      if (arguments_.has("roles")) {
        std::vector<std::string> notes;
        read = read_options(arguments_, pool_, notes);
        read.notes = nullptr;
        read.ticks = annotation_options_of(arguments_);
        for (SettingValue& one : read_beside_roles(arguments_.text("roles")).settings)
          given.push_back(std::move(one));
      }
      draft_.emplace(files_.paths(Use::Rows), read, std::move(given));
    } catch (const Error& error) {
      if (error.kind() != Failure::Usage) problem_ = error.message();
    }
  }

  void add_columns(WorkspaceData& data) const {
    const RoleTable& table = draft_->table();
    for (const ColumnRole& one : table.columns)
      data.columns.push_back({one.column, one.role, one.reason, one.example, one.of_annotations});
    data.roles = role_names();
    for (const std::string& role : role_names())
      if (role != "annotator" && role != "vote" && role != "unsure")
        data.roles_of_rows.push_back(role);
    for (const OpenQuestion& open : table.open) {
      WorkspaceQuestion question{open.message};
      for (const ReadAnswer& answer : open.answers) question.answers.push_back(answer.meaning);
      data.open.push_back(std::move(question));
    }
    data.rows = table.rows;
    data.labels = table.labels;
    data.annotators = table.annotators;
    data.annotations = table.annotations;
  }

  // Once all is clear, the file of roles says it, and flags that named columns are in it.
  void keep() {
    if (!draft_->is_clear()) return;
    corrected_ = true;
    arguments_.set("roles", said_);
    write_said();
    for (const ReadSetting& row : read_setting_table()) {
      const bool files = row.option.type == OptionSpec::Type::Path || row.option.meta == "FILES";
      if (!files && arguments_.given(row.option.key))
        arguments_.set(row.option.key, arguments_.spec(row.option.key).default_value);
    }
  }

  void write_said() const {
    if (corrected_ && !draft_) return;
    std::string text;
    if (corrected_) text = draft_->text();
    if (!files_.as_folder && files_.files.size() > 1) {
      text += "\n[files]\n";
      for (const WorkspaceFile& file : files_.files)
        text += fmt::format("{} = {}\n",
                            toml_quoted(std::filesystem::path(file.path).filename().string()),
                            toml_quoted(std::string(kUses[static_cast<std::size_t>(file.use)])));
    }
    if (text.empty() || (arguments_.has("roles") && arguments_.text("roles") != said_)) return;
    AtomicFile file(FileSystem::real(), said_, IfExists::Replace);
    file.write(text);
    file.commit();
  }

  // What was said before. Files that have come since are left out: an export, say.
  void go_on() {
    const RolesBeside beside = read_beside_roles(said_);
    corrected_ = beside.has_columns;
    arguments_.set("roles", said_);
    if (beside.files.empty()) return;
    for (std::size_t k = 0; k < files_.files.size(); ++k) {
      const std::string name = std::filesystem::path(files_.files[k].path).filename().string();
      const auto known = std::ranges::find(beside.files, name, &SettingValue::first);
      const auto use =
          known == beside.files.end() ? kUses.end() : std::ranges::find(kUses, known->second);
      files_.set_use(k, use == kUses.end() ? Use::LeftOut : static_cast<Use>(use - kUses.begin()));
    }
  }

  static constexpr std::array<std::string_view, 3> kUses = {"rows", "annotations", "left out"};

  Arguments arguments_;
  WorkspaceFiles files_;
  ReviewOptions options_;
  std::string said_;  // the file of roles of this workspace
  bool corrected_ = false;
  ThreadPool pool_;
  std::optional<RoleDraft> draft_;
  std::string problem_;  // why the columns could not be read
};

// Whether a flag says which columns of the files are labels: then they are rows.
bool names_labels(const Arguments& arguments, const std::vector<std::string>& words) {
  return !FileSystem::real().is_folder(words.front()) &&
         std::ranges::any_of(data_settings(), [&](const ReadSetting& row) {
           return row.term.starts_with("labels.") && arguments.given(row.option.key);
         });
}

// Those that lie beside the data; "" without any.
std::string guidelines_in(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / kGuidelines).string();
  return FileSystem::real().exists(path) ? file_content(path) : "";
}

Report run(const Arguments& arguments) {
  const std::vector<std::string> words =
      arguments.words().empty() ? std::vector<std::string>{"."} : arguments.words();
  WorkspaceFiles files =
      find_workspace_files(words, arguments.has("annotations") || names_labels(arguments, words));
  const ServerOptions server = server_options(arguments);
  ReviewOptions options = served_options(arguments);
  options.folder = files.folder;
  if (options.media.empty()) options.media = files.folder;
  if (options.decisions.empty())
    options.decisions = (std::filesystem::path(files.folder) / kWorkspace).string();
  options.audit.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  if (options.guidelines.empty()) options.guidelines = guidelines_in(files.folder);
  const std::string decisions = options.decisions;
  // Before anything is learnt: only the start makes the file of decisions.
  const FileLock alone(decisions + ".open", "sieve open",
                       "its page serves several reviewers: use that one, or end it first");
  check_decisions(decisions);
  const bool again = FileSystem::real().exists(decisions);
  const std::string title =
      files.folder == "." ? std::filesystem::current_path().string() : files.folder;
  Opening opening(arguments, std::move(files), std::move(options));
  const StopRequests noted;
  const WorkspacePage page(
      {.describe = [&] { return opening.describe(); },
       .correct = [&](const WorkspaceColumn& column) { opening.correct(column); },
       .use = [&](std::size_t file, WorkspaceFile::Use use) { opening.use(file, use); },
       .answer = [&](std::size_t question,
                     std::size_t answer) { opening.answer(question, answer); },
       .prepare = [&](Progress& progress) { return opening.prepare(progress); }},
      title, again, server);
  serve_until_stopped(page.link(), arguments,
                      fmt::format("{}\nopen {}\nCtrl-C ends it; every decision is in {} already\n",
                                  opening.sources(), page.link(), decisions));
  return {.text = fmt::format("\n{}: {}\n", count_text(page.decisions(), "decision"), decisions)};
}

}  // namespace

Verb open_verb() {
  Verb verb{
      .name = "open",
      .summary = "all of it on one page in the browser: overview, review, audit, export",
      .arguments = "[FOLDER | IN...]",
      .least_words = 0,
      .most_words = 1000,
      .details =
          "Serves a workspace on this machine: which labels and annotators to look at first,\n"
          "cards to decide on, a blind audit, and the labels written out with a certificate.\n"
          "Exports of platforms and tables that say who annotated hold the annotations; the page\n"
          "asks what is unclear. All decisions are in one file beside the data, which are never\n"
          "changed; what was said of files and columns is in another, workspace.roles.toml.",
      .example = "sieve open crowd.csv --annotations annotations.csv",
      .run = run};
  verb.options = {path("decisions", std::string("the file that keeps all decisions (default: ") +
                                        kWorkspace + " beside the data)")};
  for (const auto& more :
       {judging_options(), page_options(), method_options(), std::vector<Option>{seed_option()},
        reading_options("candidates"), annotation_options(), std::vector<Option>{truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
