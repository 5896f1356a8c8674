#include <span>
#include <utility>

#include <fmt/format.h>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "labelsieve/claims.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "pipeline/judge_votes.h"
#include "report/rendered.h"

struct ls_audit {
  sieve::Audit audit;
  std::vector<ls_question> questions{};
};

namespace sieve {

namespace {

AuditSubject subject_of(const ls_data& data, const ls_matrix* labels,
                        const ls_matrix* probabilities, ThreadPool& pool) {
  AuditSubject subject;
  subject.data = &data.data;
  subject.exported =
      labels != nullptr ? labels_of(known_part(*labels, "labels")) : data.data.candidates.share();
  if (probabilities == nullptr) {
    believe_votes(subject, pool);
    return subject;
  }
  const MatrixD given = scores_of(known_part(*probabilities, "probabilities"));
  if (given.rows() != data.data.rows() || given.cols() != data.data.labels())
    throw Error(Failure::Data,
                fmt::format("probabilities are {} x {}, the data {} rows x {} labels", given.rows(),
                            given.cols(), data.data.rows(), data.data.labels()));
  subject.probabilities.emplace(given.rows(), given.cols());
  for (std::size_t i = 0; i < given.rows(); ++i)
    for (std::size_t k = 0; k < given.cols(); ++k)
      (*subject.probabilities)(i, k) = static_cast<float>(given(i, k));
  subject.probabilities_from = "file";
  return subject;
}

// The settings of an audit, and how many decisions are asked for by now.
struct AuditSettings {
  AuditRequest request;
  std::size_t asked = 0;
};
AuditSettings audit_settings(const char* json, std::uint64_t seed) {
  constexpr double kMost = 1e9;
  Options checked({{.key = "budget",
                    .type = OptionSpec::Type::Integer,
                    .default_value = "120",
                    .low = 1,
                    .high = kMost},
                   {.key = "others", .type = OptionSpec::Type::Flag, .default_value = "true"},
                   {.key = "rows", .type = OptionSpec::Type::Flag, .default_value = "false"},
                   {.key = "per_label", .type = OptionSpec::Type::Flag, .default_value = "false"},
                   {.key = "twice",
                    .type = OptionSpec::Type::Integer,
                    .default_value = "10",
                    .low = 0,
                    .high = kMost},
                   {.key = "asked",
                    .type = OptionSpec::Type::Integer,
                    .default_value = "0",
                    .low = 0,
                    .high = kMost}});
  for (const auto& [key, value] : settings_of(json)) checked.set(key, value);
  if (checked.flag("rows") && checked.flag("per_label"))
    throw Error(Failure::Usage, "whole rows cannot be asked label by label", {},
                "leave out " + term("per_label") + " or " + term("rows"));
  return {{.seed = seed,
           .budget = checked.count("budget"),
           .others = checked.flag("others"),
           .per_label = checked.flag("per_label"),
           .rows = checked.flag("rows"),
           .twice = checked.count("twice")},
          checked.count("asked")};
}

// First all questions, then those that are asked a second time.
std::vector<ls_question> questions_of(const Audit& audit) {
  std::vector<ls_question> all;
  for (const int pass : {1, 2})
    for (const AuditQuestion& each : audit.questions())
      if (pass == 1 || audit.asked_twice(each))
        all.push_back({each.row, each.label, each.draw.number, pass});
  return all;
}

AuditAnswer answer_of(std::uint8_t given) {
  switch (given) {
    case LS_NO_ANSWER:
      return AuditAnswer::None;
    case LS_RIGHT:
      return AuditAnswer::Right;
    case LS_WRONG:
      return AuditAnswer::Wrong;
    case LS_UNSURE:
      return AuditAnswer::Unsure;
    default:
      throw Error(Failure::Usage, fmt::format("{} is not an answer", given));
  }
}

// `third` may be NULL.
AuditAnswers answers_of(const ls_audit& audit, const std::uint8_t* given,
                        const std::uint8_t* third) {
  require_argument(given, "answers");
  AuditAnswers answers = AuditAnswers::none(audit.audit);
  const std::size_t count = answers.first.size();
  std::size_t next = count;
  for (std::size_t q = 0; q < count; ++q) {
    answers.first[q] = answer_of(given[q]);
    if (!audit.audit.asked_twice(audit.audit.questions()[q])) continue;
    answers.second[q] = answer_of(given[next]);
    const AuditAnswer last = third != nullptr ? answer_of(third[next - count]) : AuditAnswer::None;
    if (answers.conflict(q)) answers.third[q] = last;
    ++next;
  }
  return answers;
}

constexpr double kUsualLevel = 0.9;

struct Decisions {
  AuditAnswers answers;
  double level = kUsualLevel;
};
Decisions decisions_of(const ls_audit& audit, const ls_decisions& given) {
  return {answers_of(audit, given.answers, given.third),
          given.level == 0 ? kUsualLevel : checked_level(given.level)};
}

ls_decisions answered(const uint8_t* answers, double level) {
  ls_decisions out{};
  out.struct_size = sizeof(ls_decisions);
  out.answers = answers;
  out.level = checked_level(level);
  return out;
}

std::string result_json(const ls_audit& audit, const ls_decisions& given) {
  const auto [answers, level] = decisions_of(audit, given);
  std::vector<JudgedGoal> judged;
  for (const std::string& text : texts_of(given.goals, given.goal_count, "goals")) {
    const AuditGoal goal = parse_goal(text);
    judged.push_back({goal, judge_goal(audit.audit, answers, goal, level)});
  }
  std::vector<AuditedAnnotator> annotators;
  if (given.per_annotator != 0) annotators = annotator_claims(audit.audit, answers, level);
  return render_audit(audit.audit, audit_result(audit.audit, answers, level), judged, annotators)
      .json.text();
}

std::string certificate_of(const ls_audit& audit, const ls_decisions& given) {
  const auto [answers, level] = decisions_of(audit, given);
  return certificate_json(audit.audit, answers, level);
}

}  // namespace

extern "C" {

LS_API int ls_audit_begin(const ls_data* data, const ls_matrix* labels,
                          const ls_matrix* probabilities, const char* settings, const ls_run* run,
                          ls_audit** audit) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(audit, "audit");
    Run work(run);
    const AuditSettings wanted = audit_settings(settings, work.options().seed);
    Audit made(subject_of(*data, labels, probabilities, work.pool()), wanted.request, wanted.asked);
    std::vector<ls_question> questions = questions_of(made);
    *audit = new ls_audit{std::move(made), std::move(questions)};
  });
}

LS_API int ls_audit_questions(const ls_audit* audit, const ls_question** questions, size_t* count,
                              char** code) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(questions, "questions");
    require_argument(count, "count");
    if (code != nullptr) *code = text_for_caller(to_string(audit->audit.code()));
    *questions = audit->questions.data();
    *count = audit->questions.size();
  });
}

LS_API int ls_audit_claims(const ls_audit* audit, const uint8_t* answers, double level,
                           const char* const* goals, size_t goal_count, char** json) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(json, "json");
    ls_decisions decisions = answered(answers, level);
    decisions.goals = goals;
    decisions.goal_count = goal_count;
    *json = text_for_caller(result_json(*audit, decisions));
  });
}

LS_API int ls_audit_certificate(const ls_audit* audit, const uint8_t* answers, double level,
                                char** json) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(json, "json");
    *json = text_for_caller(certificate_of(*audit, answered(answers, level)));
  });
}

LS_API int ls_audit_conflicts(const ls_audit* audit, const uint8_t* answers, uint8_t* differ) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(differ, "differ");
    const AuditAnswers given = answers_of(*audit, answers, nullptr);
    for (std::size_t q = 0; q < given.first.size(); ++q)
      if (audit->audit.asked_twice(audit->audit.questions()[q])) *differ++ = given.conflict(q);
  });
}

LS_API int ls_audit_result(const ls_audit* audit, const ls_decisions* decisions, char** json) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(decisions, "decisions");
    require_argument(json, "json");
    *json = text_for_caller(result_json(*audit, known_part(*decisions, "decisions")));
  });
}

LS_API int ls_audit_certify(const ls_audit* audit, const ls_decisions* decisions, char** json) {
  return guarded([&] {
    require_argument(audit, "audit");
    require_argument(decisions, "decisions");
    require_argument(json, "json");
    *json = text_for_caller(certificate_of(*audit, known_part(*decisions, "decisions")));
  });
}

LS_API int ls_audit_verify(const char* certificate, const ls_data* data, const ls_matrix* labels,
                           const ls_matrix* probabilities, const ls_run* run, char** json) {
  return guarded([&] {
    require_argument(certificate, "certificate");
    require_argument(data, "data");
    require_argument(json, "json");
    Run work(run);
    const Certificate given = parse_certificate(certificate, "the certificate");
    *json = text_for_caller(
        json_strings(
            certificate_differences(given, subject_of(*data, labels, probabilities, work.pool())))
            .text());
  });
}

LS_API void ls_free_audit(ls_audit* audit) {
  delete audit;
}

}  // extern "C"
}  // namespace sieve
