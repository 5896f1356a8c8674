#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelled.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::MemoryOutput;
using test::refusal;
using test::TempFolder;
using testing::HasSubstr;
using testing::Not;

double share_of_perfect_rows(const Dataset& data) {
  std::size_t perfect = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    bool same = true;
    for (std::size_t l = 0; l < kLabels; ++l)
      same &= data.candidates.get(i, l) == data.truth->get(i, l);
    perfect += same;
  }
  return static_cast<double>(perfect) / static_cast<double>(kRows);
}

TEST(AuditOfRows, asks_all_labels_of_a_row_together) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 10, .rows = true});
  ASSERT_EQ(audit.questions().size(), 10 * kLabels);
  for (std::size_t q = 0; q < audit.questions().size(); ++q) {
    EXPECT_EQ(audit.questions()[q].label, q % kLabels);
    EXPECT_EQ(audit.questions()[q].row, audit.questions()[q / kLabels * kLabels].row);
  }
  EXPECT_EQ(audit.asked(), 10u);
  const auto code = parse_audit_code(to_string(audit.code()));
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(code->request, audit.request());
}

TEST(AuditOfRows, claims_the_share_of_perfect_rows_that_holds) {
  const Dataset data = labelled();
  const double real = share_of_perfect_rows(data);
  std::size_t held = 0, held_always = 0;
  constexpr std::size_t kDraws = 60;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Audit audit(subject_of(data), {.seed = seed, .budget = 40, .rows = true});
    const AuditResult result = audit_result(audit, answers_by_truth(audit), 0.9);
    ASSERT_EQ(result.figures.size(), 1u);
    EXPECT_EQ(result.figures[0].about, "perfect");
    EXPECT_EQ(result.decisions, 40u);
    const Claim &fixed = *result.figures[0].fixed, &always = *result.figures[0].any_time;
    held += fixed.low <= real && real <= fixed.high;
    held_always += always.low <= real && real <= always.high;
  }
  EXPECT_GE(held, 50u);
  EXPECT_GE(held_always, 52u);
}

TEST(AuditOfRows, of_all_rows_is_exact) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 1000, .rows = true});
  const AuditResult result = audit_result(audit, answers_by_truth(audit), 0.9);
  EXPECT_TRUE(result.census);
  EXPECT_NEAR(result.figures[0].fixed->value, share_of_perfect_rows(data), 1e-12);
  EXPECT_EQ(result.figures[0].fixed->low, result.figures[0].fixed->high);
}

TEST(AuditOfRows, counts_a_row_once_it_is_answered_as_a_whole) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 10, .rows = true});
  const AuditResult half = audit_result(audit, answers_by_truth(audit, 5 * kLabels + 1), 0.9);
  EXPECT_EQ(half.decisions, 5u);
  EXPECT_FALSE(half.complete);
  EXPECT_FALSE(half.figures[0].fixed.has_value());
  EXPECT_TRUE(half.figures[0].any_time.has_value());
}

TEST(AuditOfRows, judges_goals_about_rows_alone) {
  const Dataset data = labelled();
  const Audit rows(subject_of(data), {.budget = 100, .rows = true}), cells(subject_of(data), {});
  const AuditAnswers answers = answers_by_truth(rows);
  EXPECT_EQ(judge_goal(rows, answers, parse_goal("perfect >= 0.05"), 0.9), Acceptance::Yes);
  EXPECT_EQ(judge_goal(rows, answers, parse_goal("perfect >= 0.95"), 0.9), Acceptance::No);
  EXPECT_THAT(refusal([&] { judge_goal(rows, answers, parse_goal("recall >= 0.5"), 0.9); }),
              HasSubstr("asks about whole rows"));
  EXPECT_THAT(refusal([&] {
                judge_goal(cells, answers_by_truth(cells), parse_goal("perfect >= 0.5"), 0.9);
              }),
              HasSubstr("does not ask about whole rows"));
}

TEST(AuditOfRows, is_certified) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 10, .rows = true});
  const std::string text = certificate_json(audit, answers_by_truth(audit), 0.9, "today");
  const Certificate certificate = parse_certificate(text, "c.json");
  EXPECT_TRUE(certificate.request.rows);
  EXPECT_THAT(certificate_differences(certificate, subject_of(data)), testing::IsEmpty());
}

// Turns the first second answer round.
std::size_t disagree(AuditAnswers& answers) {
  std::size_t q = 0;
  while (answers.second[q] == AuditAnswer::None) ++q;
  answers.second[q] =
      answers.first[q] == AuditAnswer::Right ? AuditAnswer::Wrong : AuditAnswer::Right;
  return q;
}

TEST(AuditConflicts, are_asked_a_third_time) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 40, .twice = 4});
  AuditAnswers answers = answers_by_truth(audit);
  EXPECT_EQ(questions_left(audit, &answers), 0u);
  const std::size_t q = disagree(answers);
  EXPECT_TRUE(answers.conflict(q));
  ASSERT_EQ(questions_left(audit, &answers), 1u);
  MemoryOutput list;
  write_audit_list(audit, list, &answers);
  EXPECT_THAT(list.text, HasSubstr("," + std::to_string(audit.questions()[q].draw.number) + ",3,"));
  answers.third.assign(answers.first.size(), AuditAnswer::None);
  answers.third[q] = answers.first[q];
  EXPECT_EQ(questions_left(audit, &answers), 0u);
  const ReviewerAgreement found = audit_result(audit, answers, 0.9).agreement;
  EXPECT_EQ(found.pairs - found.same, 1u);
  EXPECT_EQ(found.settled, 1u);
  EXPECT_EQ(found.first_right, 1u);
}

TEST(AuditConflicts, are_read_back_and_certified) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 40, .twice = 4});
  AuditAnswers answers = answers_by_truth(audit);
  const std::size_t q = disagree(answers);
  MemoryOutput list;
  write_audit_list(audit, list, &answers, &*data.truth);
  const TempFolder folder;
  test::write_file(folder / "third.csv", list.text);
  const AuditAnswers read = read_answers(folder / "third.csv", audit);
  EXPECT_EQ(read.third[q], answers.first[q]);
  EXPECT_EQ(read.answered(), 0u);
  answers.third = read.third;
  const Certificate certificate =
      parse_certificate(certificate_json(audit, answers, 0.9, "today"), "c.json");
  EXPECT_EQ(certificate.decisions.back().pass, 3u);
  EXPECT_THAT(certificate_differences(certificate, subject_of(data)), testing::IsEmpty());
}

// Two annotators tick every second candidate each; those of the second are wrong.
Dataset ticked_by_two() {
  Dataset data = labelled();
  VoteCollector votes;
  std::uint32_t ticks = 0;
  for (std::uint32_t i = 0; i < kRows; ++i)
    data.candidates.for_each(i, [&](std::size_t l) {
      votes.tick(i, ticks % 2, static_cast<std::uint32_t>(l));
      data.truth->set(i, l, ticks++ % 2 == 0);
    });
  data.votes = std::make_shared<const Votes>(votes.finish(kRows, {"good", "bad"}));
  return data;
}

TEST(AuditedAnnotators, are_told_apart_by_their_own_ticks) {
  const Dataset data = ticked_by_two();
  const Audit audit(subject_of(data), {.budget = 60, .others = false});
  const AuditAnswers answers = answers_by_truth(audit);
  const std::vector<AuditedAnnotator> claims = annotator_claims(audit, answers, 0.9);
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].decisions + claims[1].decisions, 60u);
  ASSERT_TRUE(claims[0].claim && claims[1].claim);
  EXPECT_EQ(claims[0].claim->low, 0);
  EXPECT_LT(claims[0].claim->high, 0.2);
  EXPECT_GT(claims[1].claim->low, 0.8);
  EXPECT_EQ(claims[1].claim->high, 1);
}

TEST(AuditedAnnotators, are_not_judged_by_few_decisions_or_before_the_end) {
  const Dataset data = ticked_by_two();
  const Audit few(subject_of(data), {.budget = 20, .others = false});
  for (const AuditedAnnotator& each : annotator_claims(few, answers_by_truth(few), 0.9))
    EXPECT_FALSE(each.claim.has_value());
  const Audit open(subject_of(data), {.budget = 80, .others = false});
  for (const AuditedAnnotator& each : annotator_claims(open, answers_by_truth(open, 70), 0.9))
    EXPECT_FALSE(each.claim.has_value());
  const Dataset nameless = labelled();
  const Audit audit(subject_of(nameless), {});
  EXPECT_THAT(refusal([&] { annotator_claims(audit, answers_by_truth(audit), 0.9); }),
              HasSubstr("not known who ticked"));
}

}  // namespace
}  // namespace sieve
