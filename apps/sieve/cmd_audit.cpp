#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/claims.h"
#include "labelsieve/data_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/review.h"
#include "pipeline/judge_votes.h"
#include "reading.h"
#include "report/rendered.h"
#include "signals.h"
#include "verbs.h"
#include "writing.h"
#ifdef LABELSIEVE_WEB
#include "serving.h"
#endif

namespace sieve {
namespace {

constexpr double kPlannedWidths[] = {0.1, 0.05, 0.03, 0.02};

// What the first word asks for.
enum class Task { Audit, Certificate, Verify };

Task task_of(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (words.empty()) return Task::Audit;
  return words[0] == "certificate" ? Task::Certificate
         : words[0] == "verify"    ? Task::Verify
                                   : Task::Audit;
}

std::vector<std::string> data_words(const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  const Task task = task_of(arguments);
  if (task != Task::Audit) words.erase(words.begin());
  if (task == Task::Verify && !words.empty()) words.erase(words.begin());
  return words;
}

// The data with what is believed of its labels. The subject points to the data.
struct Input {
  std::unique_ptr<Dataset> data{};
  AuditSubject subject{};
  std::vector<std::string> notes{};
  ReadOptions read{};  // that the data were read with
};

LabelMatrix exported_labels(const Arguments& arguments, const Dataset& data,
                            const ReadOptions& options) {
  return arguments.has("labels") ? read_exported_labels(arguments.text("labels"), data, options)
                                 : data.candidates.share();
}

Input read_all_of(const Arguments& arguments, ThreadPool& pool) {
  Input input;
  ReadOptions options = read_options(arguments, pool, input.notes);
  options.keep_cells = options.keep_left_out = true;
  options.ticks.keep_unseen = true;
  input.data = std::make_unique<Dataset>(read_ticked(arguments, data_words(arguments), options));
  input.subject.data = input.data.get();
  input.subject.exported = exported_labels(arguments, *input.data, options);
  if (const std::string& path = arguments.text("probabilities"); !path.empty()) {
    ProbabilityFile file = read_probability_file(path, *input.data);
    input.subject.probabilities = std::move(file.scores);
    if (!input.subject.probabilities) input.subject.of_candidates = std::move(file.candidates);
    input.subject.probabilities_from = "file";
  } else {
    believe_votes(input.subject, pool);
  }
  input.read = std::move(options);
  return input;
}

AuditRequest asked_for(const Arguments& arguments) {
  return {.seed = static_cast<std::uint64_t>(arguments.integer("seed")),
          .budget = arguments.count("budget"),
          .others = arguments.text("ask-about") == "all",
          .per_label = arguments.flag("per-label"),
          .rows = arguments.text("ask-about") == "rows",
          .twice = arguments.count("twice")};
}

// The audit that the answers belong to: what their file says of it counts, and a flag that says
// something else is refused.
struct Begun {
  Audit audit;
  AuditAnswers answers{};
};
#ifdef LABELSIEVE_WEB
Begun audit_on_page(Input& input, const Arguments& arguments) {
  const std::string& path = arguments.text("decisions");
  const AuditOnPage page = read_audit(path, *input.data);
  Audit audit(std::move(input.subject), page.code.request);
  check_audit_code(page.code, audit, path);
  AuditAnswers answers = answers_of(page, audit);
  return {std::move(audit), std::move(answers)};
}
#else
Begun audit_on_page(Input&, const Arguments&) {
  throw usage_error("this sieve was built without pages", "build it with -DLABELSIEVE_WEB=ON");
}
#endif
Begun begun_audit(Input& input, const Arguments& arguments) {
  if (!arguments.has("answers")) return audit_on_page(input, arguments);
  const std::string& path = arguments.text("answers");
  const std::optional<AuditCode> code = read_audit_code(path);
  AuditRequest request = code ? code->request : asked_for(arguments);
  const std::size_t asked = arguments.given("budget") ? arguments.count("budget") : 0;
  if (code && arguments.given("seed")) request.seed = asked_for(arguments).seed;
  Audit audit(std::move(input.subject), request, asked);
  if (code)
    check_audit_code(*code, audit, path);
  else
    input.notes.push_back(
        "the answers do not say which audit they belong to: it is taken to be "
        "the one of these flags");
  AuditAnswers answers = read_answers(path, audit);
  return {std::move(audit), std::move(answers)};
}

Report report_plan(const Arguments& arguments, Input input) {
  const Audit audit(std::move(input.subject), asked_for(arguments));
  std::vector<PlannedAudit> plans;
  const double level = arguments.real("level");
  if (arguments.has("half-width"))
    plans.push_back({arguments.real("half-width"), {}});
  else
    for (const double width : kPlannedWidths) plans.push_back({width, {}});
  for (PlannedAudit& each : plans) each.plan = plan_audit(audit, each.half_width, level);
  const Rendered rendered = render_plan(audit, plans, level, arguments.real("seconds"));
  return {.text = rendered.text, .json = rendered.json, .notes = std::move(input.notes)};
}

std::string write_list(const Arguments& arguments, const Audit& audit,
                       const AuditAnswers* answered) {
  const std::string& path = arguments.text("list");
  const bool simulated = arguments.flag("answer-from-truth");
  if (simulated && !audit.data().truth)
    throw usage_error("--answer-from-truth needs data with a known truth", "give it with --truth");
  FileSet set;
  write_audit_list(audit, set.add(FileSystem::real(), path, if_exists(arguments)), answered,
                   simulated ? &*audit.data().truth : nullptr, audit_list_form(path));
  set.commit();
  const std::string lines = count_text(questions_left(audit, answered), "line");
  return simulated ? fmt::format("wrote {}: {}, answered from the known truth\n", path, lines)
                   : fmt::format(
                         "wrote {}: {} to answer with 1 (right), 0 (wrong) or ? (cannot tell)\n"
                         "Decide from the top, and keep every line: the order is random.\n",
                         path, lines);
}

Report report_list(const Arguments& arguments, Input input) {
  const Audit audit(std::move(input.subject), asked_for(arguments));
  Report report{.text = write_list(arguments, audit, nullptr), .notes = std::move(input.notes)};
  report.json = Json::object({{"list", arguments.text("list")},
                              {"lines", questions_left(audit, nullptr)},
                              {"audit", to_string(audit.code())}});
  return report;
}

std::vector<JudgedGoal> judge_goals(const Arguments& arguments, const Begun& begun) {
  std::vector<JudgedGoal> goals;
  for (const std::string& text : arguments.list("accept")) {
    const AuditGoal goal = parse_goal(text);
    goals.push_back({goal, judge_goal(begun.audit, begun.answers, goal, arguments.real("level"))});
  }
  return goals;
}

// No counts more than not yet.
void fail_by(const std::vector<JudgedGoal>& goals, Report& report) {
  bool refused = false;
  for (const JudgedGoal& each : goals) {
    if (each.verdict == Acceptance::Yes) continue;
    refused |= each.verdict == Acceptance::No;
    report.failed_checks.push_back(
        each.verdict == Acceptance::No
            ? fmt::format("not accepted: {}", to_string(each.goal))
            : fmt::format("not yet clear: {}; decide more cells", to_string(each.goal)));
  }
  report.failed_as = refused ? Failure::Check : Failure::Undecided;
}

Report report_claims(const Arguments& arguments, Input input) {
  const Begun begun = begun_audit(input, arguments);
  const AuditResult result = audit_result(begun.audit, begun.answers, arguments.real("level"));
  const std::vector<JudgedGoal> goals = judge_goals(arguments, begun);
  std::vector<AuditedAnnotator> annotators;
  if (arguments.flag("per-annotator"))
    annotators = annotator_claims(begun.audit, begun.answers, arguments.real("level"));
  const Rendered rendered = render_audit(begun.audit, result, goals, annotators);
  Report report{.text = rendered.text, .json = rendered.json, .notes = std::move(input.notes)};
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  if (arguments.has("list"))
    report.text += "\n" + write_list(arguments, begun.audit, &begun.answers);
  fail_by(goals, report);
  return report;
}

Report certify(const Arguments& arguments, Input input) {
  const Begun begun = begun_audit(input, arguments);
  const double level = arguments.real("level");
  const AuditResult result = audit_result(begun.audit, begun.answers, level);
  const std::string &out = arguments.text("out"), &page = arguments.text("page");
  FileSet set;
  OutputStream& file = set.add(FileSystem::real(), out, if_exists(arguments));
  const std::string text = certificate_json(begun.audit, begun.answers, level);
  file.write(text);
  if (!page.empty())
    set.add(FileSystem::real(), page, if_exists(arguments))
        .write(certificate_page(begun.audit, result, parse_certificate(text, out)));
  set.commit();
  Report report{.text = fmt::format("wrote {}\n", out), .notes = std::move(input.notes)};
  if (!page.empty()) report.text += fmt::format("wrote {}\n", page);
  report.json = Json::object({{"certificate", out},
                              {"page", page.empty() ? Json() : Json(page)},
                              {"decisions", result.decisions}});
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  return report;
}

Report verify(const Arguments& arguments, const Certificate& certificate, Input input) {
  const std::vector<std::string> differences =
      certificate_differences(certificate, std::move(input.subject));
  Report report{.notes = std::move(input.notes)};
  report.json =
      Json::object({{"holds", differences.empty()}, {"differences", json_strings(differences)}});
  report.text =
      differences.empty()
          ? fmt::format("{}: holds; all of it comes out the same, {}\n", arguments.words()[1],
                        count_text(certificate.decisions.size(), "decision"))
          : fmt::format("{}: does not hold\n", arguments.words()[1]);
  report.failed_checks = differences;
  return report;
}

#ifdef LABELSIEVE_WEB
// What the page shows of a row needs no probabilities: an audit is blind. Decisions keep them.
Judged page_data(const Input& input) {
  const Dataset& data = *input.data;
  Dataset copy = data.clone();
  std::vector<std::size_t> rows(data.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  CandidateScores probabilities =
      input.subject.of_candidates ? input.subject.of_candidates->select_rows(rows)
      : input.subject.probabilities
          ? CandidateScores(*input.subject.probabilities, copy.candidates.share())
          : CandidateScores(copy.candidates.share());
  return {std::move(copy), std::move(probabilities), input.subject.probabilities_from};
}

// Whether anything was decided.
bool serve_audit(const Arguments& arguments, Input input) {
  const ServerOptions server = server_options(arguments);
  ReviewOptions options = served_options(arguments);
  Judged judged = page_data(input);
  options.audited = std::make_shared<AuditSubject>(std::move(input.subject));
  options.audit = asked_for(arguments);
  options.level = arguments.real("level");
  const StopRequests noted;
  const ReviewPage page(std::move(judged), input.read.ticks, options, server);
  serve_until_stopped(
      page, arguments,
      fmt::format("{} to decide\nopen {}\nCtrl-C ends the audit and prints what it "
                  "proves; every decision is in {} already\n",
                  count_text(page.questions(), "cell"), page.link(), options.decisions));
  return page.audited() > 0;
}
#else
bool serve_audit(const Arguments& arguments, Input input) {
  audit_on_page(input, arguments);
  return false;
}
#endif

void check_request(const Arguments& arguments) {
  const Task task = task_of(arguments);
  for (const std::string& text : arguments.list("accept")) parse_goal(text);
  for (const char* name : {"list", "out", "page"})
    if (arguments.has(name)) check_writable(arguments, arguments.text(name));
  if (task == Task::Verify && arguments.words().size() < 2)
    throw usage_error("say which certificate to verify", "sieve audit verify c.json DATA");
  const bool answered = arguments.has("answers") || arguments.has("decisions");
  if (arguments.has("answers") && arguments.has("decisions"))
    throw usage_error("give --answers or --decisions, not both");
  if (task == Task::Certificate && !(answered && arguments.has("out")))
    throw usage_error("a certificate needs --answers or --decisions, and --out");
  if (data_words(arguments).empty() && !arguments.has("annotations"))
    throw usage_error("say which data to audit");
  if (task == Task::Audit && !arguments.flag("plan") && !arguments.has("list") && !answered)
    throw usage_error("say what to do",
                      "begin with --plan, --list or --decisions; go on with --answers");
  for (const char* name : {"accept", "per-annotator"})
    if (arguments.given(name) && !answered)
      throw usage_error(std::string("--") + name + " needs --answers or --decisions");
  if (arguments.flag("per-label") && arguments.text("ask-about") == "rows")
    throw usage_error("whole rows cannot be asked label by label",
                      "leave out --per-label or --ask-about rows");
}

Report run(const Arguments& arguments) {
  check_request(arguments);
  const Task task = task_of(arguments);
  Certificate certificate;
  if (task == Task::Verify) certificate = read_certificate(arguments.words()[1]);
  ThreadPool pool(arguments.count("threads"));
  Input input = read_all_of(arguments, pool);
  if (task == Task::Verify) return verify(arguments, certificate, std::move(input));
  if (task == Task::Certificate) return certify(arguments, std::move(input));
  if (arguments.flag("plan")) return report_plan(arguments, std::move(input));
  if (arguments.has("answers")) return report_claims(arguments, std::move(input));
  if (!arguments.has("decisions")) return report_list(arguments, std::move(input));
  if (!arguments.flag("claims") && !arguments.has("accept")) {
    if (!serve_audit(arguments, std::move(input)))
      return {.text = "\nno decisions, so nothing is claimed\n"};
    input = read_all_of(arguments, pool);
  }
  return report_claims(arguments, std::move(input));
}

// Those of a page, where there can be one.
std::vector<Option> page_flags() {
#ifdef LABELSIEVE_WEB
  return page_options();
#else
  return {};
#endif
}

}  // namespace

Verb audit_verb() {
  Verb verb{
      .name = "audit",
      .summary = "prove how good labels are, from a few random decisions",
      .arguments = "[certificate | verify FILE] IN...",
      .least_words = 0,
      .most_words = 1000,
      .details =
          "Draws cells at random for somebody to decide: --plan says how many, --list writes\n"
          "them, --answers reads them back and prints claims with intervals that hold whatever\n"
          "any model thinks; --decisions asks on a page in the browser instead, blind.\n"
          "certificate writes the claims down; verify computes them again.\n"
          "--accept ends with 0 for yes, 8 for no, 9 for not yet.",
      .example = "sieve audit crowd.csv --list cells.csv --budget 120",
      .run = run};
  verb.options = {
      flag("plan", "print how many decisions a width takes"),
      real("half-width", "width to plan for: 0.05 is plus or minus 5 points", 0.0001, 0.4999),
      real("seconds", "time that a decision takes, for --plan", 0.1, 1e6, "10"),
      path("list", "write the cells to decide here: .csv, .xlsx, or .json for Label Studio"),
      flag("answer-from-truth", "answer --list from the known truth, to try it out"),
      path("answers", "read the list with its answers from here, or what Label Studio exports"),
      path("decisions", "decide on a page in the browser; this file keeps the decisions"),
      flag("claims", "print what --decisions prove, without the page"),
      integer("budget", "decisions in all; with --answers, to ask for more", 1, 1e9, "120"),
      choice("ask-about", {"all", "labels", "rows"},
             "all cells; assigned labels alone (no recall, F1, Hamming loss); or whole rows",
             "all"),
      flag("per-label", "the same number of decisions for every label"),
      flag("per-annotator", "with --answers: the share of each annotator's labels that is wrong"),
      integer("twice", "ask every N-th cell a second time (0 = none)", 0, 1e9, "10"),
      real("level", "how often intervals hold", 0.5, 0.9999, "0.9"),
      list("accept", "GOALS", "goals to judge, as in \"precision >= 0.95, recall >= 0.9\""),
      path("labels", "audit the labels of this file, for the same rows, instead"),
      path("probabilities", "probabilities of labels, which make intervals narrower"),
      path("out", "write the certificate here"),
      path("page", "write the certificate as a page to print here"),
      seed_option(),
      force_option()};
  for (const auto& more : {page_flags(), reading_options("candidates"), annotation_options(),
                           std::vector<Option>{truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
