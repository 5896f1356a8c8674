#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/streams.h"
#include "data/table_source.h"
#include "decisions.h"
#include "labelsieve/review.h"
#include "pipeline/columns_beside.h"
#include "reading.h"
#include "report/rendered.h"
#include "review/machine_labels.h"
#include "serving.h"
#include "shared_options.h"
#include "signals.h"
#include "terminal.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// All words but "export".
std::vector<std::string> data_words(const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  if (!words.empty() && words.front() == "export") words.erase(words.begin());
  return words;
}

Report serve(const Arguments& arguments) {
  if (!arguments.has("decisions"))
    throw usage_error("--decisions is needed", "e.g. --decisions decisions.db");
  const ServerOptions server = server_options(arguments);
  ReviewOptions options = served_options(arguments);
  options.sources =
      sources_text(data_words(arguments), arguments.text("annotations")) + reading_text(arguments);
  options.judging = judging_text(arguments);
  options.overlap = arguments.count("overlap");
  if (arguments.has("stop-at")) options.stop_at = arguments.real("stop-at");
  options.batch = arguments.count("batch");
  check_decisions(options.decisions);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const ReadOptions read = read_options(arguments, pool, notes);
  Judged judged = judge_rows(arguments, data_words(arguments), read, pool);
  options.trained = trains_judge(arguments, judged.data);
  const std::string ignored =
      judged.data.votes ? why_names_are_ignored(*judged.data.votes) : std::string();
  const StopRequests noted;
  const ReviewPage page(std::move(judged), read.ticks, options, server);
  const std::size_t before = page.decisions();
  serve_until_stopped(
      page, arguments,
      fmt::format("{}{} labels to look at, {} decisions so far\nopen {}\nCtrl-C ends the review; "
                  "every decision is in {} already\n",
                  ignored.empty() ? "" : "names are ignored: " + ignored + "\n", page.cells(),
                  before, page.link(), options.decisions));
  return {
      .text = fmt::format("\n{} decisions, {} of them now: {}\n", page.decisions(),
                          page.decisions() - std::min(before, page.decisions()), options.decisions),
      .notes = std::move(notes)};
}

// ---- export

void render_reviewed(const Reviewed& reviewed, std::size_t changed, Report& report,
                     Json::Members& json) {
  report.text += fmt::format(
      "{} by {}; {} labels of rows decided, {} of them by a rule; {} differ from "
      "the data\n",
      count_text(reviewed.looks, "decision"), count_text(reviewed.reviewers.size(), "reviewer"),
      reviewed.cells.size(), reviewed.by_rule, changed);
  std::vector<Json> people;
  for (const auto& [name, looks] : reviewed.reviewers) {
    report.text += fmt::format("  {}: {}\n", name, looks);
    people.push_back(Json::object({{"name", name}, {"decisions", looks}}));
  }
  if (reviewed.pairs > 0)
    report.text += fmt::format(
        "two reviewers who decided the same label of a row agree in {}; {} are "
        "disputed\n",
        percent_text(share_of(reviewed.same, reviewed.pairs)), reviewed.disputed);
  if (reviewed.wrong)
    report.text += fmt::format("wrong current labels: {}\n", claim_text(*reviewed.wrong));
  json.insert(
      json.end(),
      {{"decisions", reviewed.looks},
       {"cells", reviewed.cells.size()},
       {"by_rule", reviewed.by_rule},
       {"changed", changed},
       {"disputed", reviewed.disputed},
       {"reviewers", Json::array(people)},
       {"agreement", reviewed.pairs == 0 ? Json() : Json(share_of(reviewed.same, reviewed.pairs))},
       {"still_wrong", reviewed.wrong ? render_claim(*reviewed.wrong).json : Json()}});
}

Report export_review(const Arguments& arguments) {
  if (!arguments.has("decisions"))
    throw usage_error("--decisions is needed", "e.g. --decisions decisions.db");
  const WriteOptions options = write_options(arguments);
  if (arguments.has("out")) check_output(arguments, arguments.text("out"), options);
  if (arguments.has("annotations-out")) check_layout(arguments, "");
  for (const char* list : {"list", "label-studio", "annotations-out", "report"})
    if (arguments.has(list)) check_writable(arguments, arguments.text(list));
  if (arguments.has("with") && !arguments.has("out"))
    throw usage_error("--with adds columns to the output, and there is none", "give --out");
  ThreadPool pool(arguments.count("threads"));
  Report report;
  const ReadOptions read = read_options(arguments, pool, report.notes);
  const Undecided undecided = undecided_named(arguments.text("undecided"));
  std::optional<Judged> judged;
  if (undecided == Undecided::Machine)
    judged = judge_rows(arguments, data_words(arguments), read, pool);
  const Dataset data =
      judged ? judged->data.clone() : read_rows(arguments, data_words(arguments), read);
  const Reviewed reviewed = read_reviewed(arguments.text("decisions"), data);
  report.notes.insert(report.notes.end(), reviewed.notes.begin(), reviewed.notes.end());
  if (reviewed.unknown_cells > 0)
    report.notes.push_back(fmt::format(
        "{} decisions are about rows or labels that the data do not have", reviewed.unknown_cells));

  FileSet set;
  const std::string &list = arguments.text("list"), &studio = arguments.text("label-studio"),
                    &out = arguments.text("out");
  std::string wrote;
  if (!list.empty()) {
    write_decisions(reviewed, data, set.add(FileSystem::real(), list, if_exists(arguments)),
                    unpacked_name(list).ends_with(".jsonl"));
    wrote += fmt::format("wrote {}: {} decisions\n", list, reviewed.cells.size());
  }
  if (const std::string& page = arguments.text("report"); !page.empty()) {
    set.add(FileSystem::real(), page, if_exists(arguments)).write(review_report(reviewed, data));
    wrote += fmt::format("wrote {}: a page about the review\n", page);
  }
  LabelMatrix current = data.candidates.clone();
  const std::size_t changed = apply_decisions(reviewed, current);
  std::optional<MachineLabels> machine;
  if (judged) {
    const ReviewCells cells = cells_of(*judged);
    machine = machine_labels(
        *judged, cells,
        decided_cells(read_decision_log(arguments.text("decisions"), data), data, cells));
  }
  const CandidateScores* probabilities = machine ? &machine->probabilities : nullptr;
  const ReviewedLabels labels =
      reviewed_labels(data, reviewed, undecided, machine ? &machine->kept : nullptr);
  // Of annotations, all rows come back.
  const ReviewedLabels all = undecided == Undecided::Drop
                                 ? reviewed_labels(data, reviewed, Undecided::Keep, nullptr)
                                 : ReviewedLabels{labels.data.clone()};
  if (!studio.empty()) {
    write_tasks(arguments, all.data, reviewed,
                {.probabilities = probabilities,
                 .version = machine                        ? judged->judge
                            : undecided == Undecided::Keep ? "not reviewed"
                                                           : "",
                 .all_rows = machine.has_value()},
                set.add(FileSystem::real(), studio, if_exists(arguments)), report.notes);
    wrote += fmt::format("wrote {}: tasks of Label Studio\n", studio);
  }
  if (const std::string& back = arguments.text("annotations-out"); !back.empty()) {
    write_back(arguments, all.data, reviewed,
               {.probabilities = probabilities,
                .version = machine ? judged->judge : "",
                .all_rows = machine.has_value()},
               set.add(FileSystem::real(), back, if_exists(arguments)), report.notes);
    wrote += fmt::format("wrote {}: the annotations, with the decisions beside them\n", back);
  }
  if (!out.empty()) {
    if (labels.rows.empty())
      throw Error(Failure::Data, "no row is decided yet: there is nothing to write");
    write_table(
        labels.data, out, options,
        {.as_read = true,
         .beside = columns_of_rows(columns_beside(arguments.list("with"),
                                                  {data, data.candidates, probabilities, reviewed}),
                                   labels.rows)},
        set);
    add_lost(report.notes, labels.data, out, options);
  }
  set.commit();
  Json::Members json;
  render_reviewed(reviewed, changed, report, json);
  report.text += wrote;
  if (!out.empty()) report.text += written_line(labels.data.shape(), out, options);
  report.json = Json::object(json);
  return report;
}

Report run(const Arguments& arguments) {
  const bool exports = !arguments.words().empty() && arguments.words().front() == "export";
  if (data_words(arguments).empty() && !arguments.has("annotations"))
    throw usage_error("give the data to review");
  return exports ? export_review(arguments) : serve(arguments);
}

}  // namespace

Verb review_verb() {
  Verb verb{
      .name = "review",
      .summary = "decide on suspicious labels, on a page in the browser",
      .arguments = "[export] IN...",
      .least_words = 0,
      .most_words = 1000,
      .details =
          "Serves a page on this machine: the rows first where a look changes most, decided by\n"
          "keyboard. "
          "Every decision is in the file of --decisions before the page says so; the page may be\n"
          "closed, and sieve killed, at any time. Probabilities come from --model or "
          "--probabilities,\n"
          "otherwise from a training as in sieve clean, or from votes alone without features.\n"
          "With export, what was decided is written out instead.",
      .example = "sieve review crowd.csv --annotations annotations.csv --decisions decisions.db",
      .run = run};
  verb.options = {
      path("decisions", "the file that keeps all decisions; created if it does not exist"),
      integer("overlap", "how many reviewers should decide each label of a row", 1, 100, "1"),
      real("stop-at", "say when no more than this share of the labels is still wrong", 0, 1),
      integer("batch", "learn again after this many decisions, sooner at first", 1, 1e6, "10"),
      seed_option()};
  const std::vector<Option> exporting = in_group(
      "with export",
      {path("out", "write the reviewed data here"),
       choice("undecided", undecided_names(),
              "ticks that nobody decided stay, are judged as in sieve clean, or their rows are "
              "left out",
              "keep"),
       with_option(), path("list", "write the decisions here, as CSV or JSON lines (.jsonl)"),
       path("label-studio", "write the reviewed rows here, for Label Studio"),
       path("annotations-out",
            "write --annotations here as they came, and decisions as further ones"),
       path("report", "write a page about the review here, as HTML")});
  const std::vector<Option> judging = judging_options();
  verb.options.insert(verb.options.begin() + 1, judging.begin(), judging.end());
  for (const auto& more :
       {exporting, page_options(), method_options(), writing_options(),
        reading_options("candidates"), annotation_options(), std::vector<Option>{truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
