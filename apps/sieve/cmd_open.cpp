#include <filesystem>
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

std::shared_ptr<AuditSubject> subject_of(const Dataset& data, ThreadPool& pool) {
  auto subject = std::make_shared<AuditSubject>();
  subject->data = &data;
  subject->exported = data.candidates.share();
  believe_votes(*subject, pool);
  return subject;
}

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
  options.sources = sources_text(files.rows, files.annotations);
  options.audit.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const ReadOptions read = read_options(arguments, pool, notes);
  Arguments with = arguments;
  if (!files.annotations.empty()) with.set("annotations", files.annotations);
  Judged judged = judge_rows(with, files.rows, read, pool);
  options.audited = subject_of(judged.data, pool);
  const StopRequests noted;
  const ReviewPage page(std::move(judged), files.rows, read, options, server);
  const std::size_t before = page.decisions();
  for (const std::string& note : notes) tell(note);
  serve_until_stopped(page, arguments,
                      fmt::format("{}\nopen {}\nCtrl-C ends it; every decision is in {} already\n",
                                  options.sources, page.link(), options.decisions));
  return {.text = fmt::format(
              "\n{}, {} of them now: {}\n", count_text(page.decisions(), "decision"),
              page.decisions() - std::min(before, page.decisions()), options.decisions)};
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
