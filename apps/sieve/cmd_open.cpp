#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "judging.h"
#include "labelsieve/review.h"
#include "method_choice.h"
#include "pipeline/audit_subject.h"
#include "reading.h"
#include "serving.h"
#include "signals.h"
#include "terminal.h"
#include "verbs.h"

namespace sieve {
namespace {

constexpr const char* kWorkspace = "workspace.sieve-db";
constexpr std::size_t kFirstRows = 3;

std::shared_ptr<AuditSubject> subject_of(const Dataset& data, ThreadPool& pool) {
  auto subject = std::make_shared<AuditSubject>();
  subject->data = &data;
  subject->exported = data.candidates.share();
  believe_votes(*subject, pool);
  return subject;
}

// How a workspace is read.
class Opening {
 public:
  Opening(const Arguments& arguments, WorkspaceFiles files, ReviewOptions options)
      : arguments_(arguments),
        files_(std::move(files)),
        options_(std::move(options)),
        pool_(arguments.count("threads")) {
    if (!files_.annotations.empty()) arguments_.set("annotations", files_.annotations);
  }

  WorkspaceData describe() const {
    WorkspaceData data;
    data.files = files_.rows;
    if (!files_.annotations.empty()) data.files.push_back(files_.annotations);
    data.command = "sieve clean " + sources();
    const std::string& shown = files_.rows.empty() ? files_.annotations : files_.rows.front();
    if (!FileSystem::real().is_folder(shown)) data.first = first_rows(shown, kFirstRows);
    return data;
  }

  ReviewSetup prepare(Progress& progress) {
    std::vector<std::string> notes;
    ReadOptions read = read_options(arguments_, pool_, notes);
    Judged judged = judge_rows(arguments_, files_.rows, read, pool_, progress);
    read.notes = nullptr;
    for (const std::string& note : notes) tell(note);
    ReviewOptions options = options_;
    options.sources = sources();
    options.audited = subject_of(judged.data, pool_);
    return {std::move(judged), files_.rows, read, std::move(options)};
  }

  std::string sources() const { return sources_text(files_.rows, files_.annotations); }

 private:
  Arguments arguments_;
  WorkspaceFiles files_;
  ReviewOptions options_;
  ThreadPool pool_;
};

Report run(const Arguments& arguments) {
  const std::vector<std::string> words =
      arguments.words().empty() ? std::vector<std::string>{"."} : arguments.words();
  WorkspaceFiles files = find_workspace_files(words, arguments.has("annotations"));
  const ServerOptions server = server_options(arguments);
  ReviewOptions options = served_options(arguments);
  options.folder = files.folder;
  if (options.decisions.empty())
    options.decisions = (std::filesystem::path(files.folder) / kWorkspace).string();
  if (arguments.has("annotations")) files.annotations = arguments.text("annotations");
  options.audit.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  const std::string decisions = options.decisions;
  const bool again = FileSystem::real().exists(decisions);
  const std::string title =
      files.folder == "." ? std::filesystem::current_path().string() : files.folder;
  Opening opening(arguments, std::move(files), std::move(options));
  const StopRequests noted;
  const WorkspacePage page(
      {.describe = [&] { return opening.describe(); },
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
          "In a folder, the table that says who annotated holds the annotations. All decisions\n"
          "are in one file beside the data, which are never changed.",
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
