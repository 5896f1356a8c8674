#include "labelsieve/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/random.h"
#include "data/xlsx/workbook_writer.h"
#include "labelled.h"
#include "labelsieve/error.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using test::TempFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

double true_share_wrong(const Dataset& data) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kRows; ++i)
    data.candidates.for_each(i, [&](std::size_t l) { wrong += !data.truth->get(i, l); });
  return static_cast<double>(wrong) / static_cast<double>(data.candidates.count());
}

TEST(Audit, asks_both_lanes_alike_in_an_order_that_does_not_tell_them_apart) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.seed = 5, .budget = 60});
  ASSERT_EQ(audit.questions().size(), 60u);
  ASSERT_EQ(audit.lanes().size(), 2u);
  std::size_t exported = 0, exported_first = 0;
  std::set<std::pair<std::size_t, std::size_t>> cells;
  for (std::size_t q = 0; q < 60; ++q) {
    const AuditQuestion& question = audit.questions()[q];
    const bool on = data.candidates.get(question.row, question.label);
    EXPECT_EQ(on, audit.lanes()[question.lane].of_exported);
    exported += on;
    exported_first += on && q % 2 == 0;
    cells.insert({question.row, question.label});
  }
  EXPECT_EQ(exported, 30u);
  EXPECT_EQ(cells.size(), 60u);
  EXPECT_GT(exported_first, 5u);
  EXPECT_LT(exported_first, 25u);
}

TEST(Audit, asked_for_more_begins_with_what_was_asked_before) {
  const Dataset data = labelled();
  const Audit small(subject_of(data), {.budget = 40}), large(subject_of(data), {.budget = 40}, 90);
  ASSERT_EQ(large.questions().size(), 90u);
  for (std::size_t q = 0; q < 40; ++q)
    EXPECT_EQ(small.questions()[q].draw.cell, large.questions()[q].draw.cell);
  EXPECT_EQ(to_string(small.code()), to_string(large.code()));
}

TEST(Audit, gives_every_label_its_decisions) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 80, .others = false, .per_label = true});
  ASSERT_EQ(audit.lanes().size(), kLabels);
  for (const AuditLaneInfo& lane : audit.lanes()) EXPECT_EQ(lane.asked, 20u);
  const AuditResult result = audit_result(audit, answers_by_truth(audit), 0.9);
  EXPECT_EQ(result.labels.size(), kLabels);
  for (const AuditedLabel& label : result.labels) EXPECT_EQ(label.decisions, 20u);
}

TEST(Audit, of_more_decisions_than_cells_is_a_census_and_exact) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 100'000});
  ASSERT_EQ(audit.questions().size(), kRows * kLabels);
  const AuditResult result = audit_result(audit, answers_by_truth(audit), 0.9);
  EXPECT_TRUE(result.census && result.complete);
  ASSERT_TRUE(result.figures[0].fixed && result.figures[0].any_time);
  for (const Claim& claim : {*result.figures[0].fixed, *result.figures[0].any_time}) {
    EXPECT_NEAR(claim.value, true_share_wrong(data), 1e-12);
    EXPECT_NEAR(claim.low, claim.high, 1e-12);
  }
  for (const AuditedFigure& figure : result.figures)
    EXPECT_NEAR(figure.fixed->low, figure.fixed->high, 1e-9) << figure.about;
}

TEST(Audit, refuses_data_without_labels_and_too_many_labels_one_by_one) {
  Dataset data = labelled();
  AuditSubject none = subject_of(data);
  none.exported = LabelMatrix(kRows, kLabels);
  EXPECT_THAT(refusal([&] { Audit(std::move(none), {}); }), HasSubstr("nothing to audit"));
  AuditSubject other = subject_of(data);
  other.exported = LabelMatrix(kRows - 1, kLabels);
  EXPECT_THAT(refusal([&] { Audit(std::move(other), {}); }), HasSubstr("other rows"));
}

TEST(Audit, refuses_scores_that_are_no_probabilities) {
  const Dataset data = labelled();
  AuditSubject subject = subject_of(data);
  (*subject.probabilities)(3, 1) = 1.5F;
  int code = 0;
  EXPECT_THAT(refusal([&] { Audit(std::move(subject), {}); }, &code), HasSubstr("1.5"));
  EXPECT_EQ(code, 3);
}

TEST(AuditResult, is_not_complete_where_later_cells_were_decided_instead) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 40}, 60);
  AuditAnswers answers = answers_by_truth(audit);
  std::size_t taken = 0;  // 20 answers of one lane are left out at its end, 20 later ones stay
  for (std::size_t q = answers.first.size(); q-- > 0 && taken < 20;)
    if (audit.questions()[q].lane == 0) {
      answers.first[q] = AuditAnswer::None;
      ++taken;
    }
  ASSERT_EQ(answers.answered(), 40u);
  EXPECT_FALSE(audit_result(audit, answers, 0.9).complete);
}

TEST(AuditCode, comes_back_from_its_text) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.seed = 77, .budget = 33, .others = false, .twice = 0});
  const std::optional<AuditCode> code = parse_audit_code(to_string(audit.code()));
  ASSERT_TRUE(code);
  EXPECT_EQ(code->request, audit.request());
  EXPECT_EQ(code->short_prints.data, audit.fingerprints().data.substr(0, 8));
  for (const char* bad : {"", "v1", "v2.s1.n2.all.t3.a.b.c", "v1.s1.nx.all.t3.a.b.c",
                          "v1.s1.n0.all.t3.a.b.c", "v1.s1.n2.most.t3.a.b.c"})
    EXPECT_FALSE(parse_audit_code(bad)) << bad;
}

TEST(AuditResult, holds_before_and_after_the_planned_decisions) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 80});
  const double truth = true_share_wrong(data);
  const AuditResult early = audit_result(audit, answers_by_truth(audit, 50), 0.9);
  EXPECT_FALSE(early.complete);
  EXPECT_FALSE(early.figures[0].fixed) << "50 of 80 is no number that was fixed beforehand";
  ASSERT_TRUE(early.figures[0].any_time);
  const AuditResult full = audit_result(audit, answers_by_truth(audit), 0.9);
  EXPECT_TRUE(full.complete);
  ASSERT_TRUE(full.figures[0].fixed);
  for (const Claim& claim :
       {*early.figures[0].any_time, *full.figures[0].fixed, *full.figures[0].any_time}) {
    EXPECT_LE(claim.low, truth);
    EXPECT_GE(claim.high, truth);
  }
  const Audit more(subject_of(data), {.budget = 80}, 120);
  const AuditResult late = audit_result(more, answers_by_truth(more), 0.9);
  EXPECT_FALSE(late.figures[0].fixed);
  EXPECT_THAT(late.notes, testing::Contains(HasSubstr("more decisions were made than planned")));
}

TEST(AuditResult, widens_by_what_nobody_could_tell) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 80});
  AuditAnswers sure = answers_by_truth(audit), unsure = sure, open = sure;
  for (const std::size_t q : {3u, 10u, 17u, 40u}) {
    unsure.first[q] = AuditAnswer::Unsure;
    open.first[q] = AuditAnswer::None;
  }
  const Claim clear = *audit_result(audit, sure, 0.9).figures[4].fixed;
  const AuditResult result = audit_result(audit, unsure, 0.9);
  EXPECT_EQ(result.unsure, 4u);
  EXPECT_GT(result.figures[4].fixed->high - result.figures[4].fixed->low, clear.high - clear.low);
  const AuditResult skipped = audit_result(audit, open, 0.9);
  EXPECT_EQ(skipped.skipped, 4u);
  EXPECT_EQ(skipped.figures[4].fixed->high, result.figures[4].fixed->high);
}

TEST(AuditResult, notes_answers_that_are_all_the_same) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 20});
  AuditAnswers answers;
  answers.first.assign(20, AuditAnswer::Right);
  answers.second.assign(20, AuditAnswer::None);
  EXPECT_THAT(audit_result(audit, answers, 0.9).notes,
              testing::Contains(HasSubstr("all answers are the same")));
  answers.first.assign(20, AuditAnswer::None);
  EXPECT_THAT(refusal([&] { audit_result(audit, answers, 0.9); }), HasSubstr("no answer yet"));
}

TEST(AuditResult, tells_how_far_reviewers_agree) {
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 200, .twice = 5});
  AuditAnswers answers = answers_by_truth(audit);
  std::size_t flipped = 0;
  for (AuditAnswer& each : answers.second)
    if (each != AuditAnswer::None && flipped < 3) {
      each = each == AuditAnswer::Right ? AuditAnswer::Wrong : AuditAnswer::Right;
      ++flipped;
    }
  const ReviewerAgreement found = audit_result(audit, answers, 0.9).agreement;
  EXPECT_EQ(found.pairs, 40u);
  EXPECT_EQ(found.same, 37u);
  ASSERT_TRUE(found.errors);
  EXPECT_GT(found.errors->error.high, 0.02);
}

TEST(AuditGoal, is_read_and_judged) {
  EXPECT_EQ(to_string(parse_goal(" Precision>=0.95 ")), "precision >= 0.95");
  for (const char* bad : {"precision", "precision > 0.9", "speed >= 0.9", "recall >= 1.5",
                          "precision <= 0.9", "hamming >= 0.1", "recall >= "})
    EXPECT_THAT(refusal([&] { parse_goal(bad); }), Not(IsEmpty())) << bad;
  const Dataset data = labelled();
  const Audit audit(subject_of(data), {.budget = 200});
  const AuditAnswers answers = answers_by_truth(audit);
  const auto judged = [&](const char* goal) {
    return judge_goal(audit, answers, parse_goal(goal), 0.9);
  };
  EXPECT_EQ(judged("precision >= 0.5"), Acceptance::Yes);
  EXPECT_EQ(judged("precision >= 0.95"), Acceptance::No);
  EXPECT_EQ(judged("recall >= 0.5"), Acceptance::Yes);
  EXPECT_EQ(judged("hamming <= 0.01"), Acceptance::No);
  EXPECT_EQ(judged("wrong <= 0.25"), judged("precision >= 0.75"));
  const Audit alone(subject_of(data), {.budget = 50, .others = false});
  EXPECT_THAT(refusal([&] {
                judge_goal(alone, answers_by_truth(alone), parse_goal("recall >= 0.9"), 0.9);
              }),
              HasSubstr("does not ask about cells without"));
}

bool writes_sheets() {
  try {
    WorkbookWriter book;
    return true;
  } catch (const Error&) {
    return false;
  }
}

class AuditFiles : public testing::Test {
 protected:
  std::string list_of(const Audit& audit, bool answered = true,
                      const std::string& name = "list.csv") {
    const std::string path = folder_ / name;
    AtomicFile file(FileSystem::real(), path, IfExists::Replace);
    write_audit_list(audit, file, nullptr, answered ? &*audit.data().truth : nullptr,
                     audit_list_form(path));
    file.commit();
    return path;
  }
  std::string refusal_of(const std::string& content, const Audit& audit) {
    test::write_file(folder_ / "answers.csv", content);
    return refusal([&] { read_answers(folder_ / "answers.csv", audit); });
  }
  TempFolder folder_;
  Dataset data_ = labelled();
};

TEST_F(AuditFiles, come_back_as_they_were_answered) {
  const Audit audit(subject_of(data_), {.budget = 50});
  std::vector<std::string> names = {"list.csv", "list.json"};
  if (writes_sheets()) names.emplace_back("list.xlsx");
  for (const std::string& name : names) {
    const std::string path = list_of(audit, true, name);
    ASSERT_TRUE(read_audit_code(path)) << name;
    check_audit_code(*read_audit_code(path), audit, path);
    const AuditAnswers expected = answers_by_truth(audit), found = read_answers(path, audit);
    EXPECT_EQ(found.first, expected.first) << name;
    EXPECT_EQ(found.second, expected.second) << name;
    EXPECT_EQ(questions_left(audit, &found), 0u) << name;
    const AuditAnswers open = read_answers(list_of(audit, false, name), audit);
    EXPECT_EQ(open.answered(), 0u) << name;
  }
}

// Label Studio gives tasks ids of its own, and may have several annotations of one.
TEST_F(AuditFiles, come_back_from_label_studio) {
  const Audit audit(subject_of(data_), {.budget = 30});
  const AuditQuestion& asked = audit.questions()[0];
  const std::string item = audit.item(asked.row), label = data_.label_names[asked.label];
  const std::string path = folder_ / "export.json";
  const auto annotation = [](const std::string& choice, bool cancelled = false) {
    return std::string(R"({"was_cancelled":)") + (cancelled ? "true" : "false") +
           R"(,"result":[{"from_name":"answer","type":"choices","value":{"choices":[")" + choice +
           "\"]}}]}";
  };
  const auto first_answer = [&](const std::string& annotations) {
    test::write_file(path, R"([{"id":7,"data":{"item":")" + item + R"(","label":")" + label +
                               R"(","pass":1,"audit":")" + to_string(audit.code()) +
                               R"("},"annotations":[)" + annotations + "]}]");
    return read_answers(path, audit).first[0];
  };
  EXPECT_EQ(first_answer(annotation("right")), AuditAnswer::Right);
  EXPECT_TRUE(read_audit_code(path));
  EXPECT_EQ(first_answer(annotation("wrong")), AuditAnswer::Wrong);
  EXPECT_EQ(first_answer(annotation("cannot tell")), AuditAnswer::Unsure);
  EXPECT_EQ(first_answer(""), AuditAnswer::None);
  EXPECT_EQ(first_answer(annotation("right", true)), AuditAnswer::None);
  EXPECT_EQ(first_answer(annotation("wrong") + "," + annotation("wrong")), AuditAnswer::Wrong);
  EXPECT_THAT(refusal([&] { first_answer(annotation("wrong") + "," + annotation("right")); }),
              HasSubstr("two annotations"));
  // Its short form has one object per task.
  test::write_file(path, R"([{"id":7,"item":")" + item + R"(","label":")" + label +
                             R"(","pass":1,"answer":"right","audit":")" + to_string(audit.code()) +
                             R"("}])");
  EXPECT_EQ(read_answers(path, audit).first[0], AuditAnswer::Right);
}

TEST_F(AuditFiles, of_a_workbook_may_stand_beside_other_sheets) {
  if (!writes_sheets()) GTEST_SKIP() << "sheets are not written here";
  const Audit audit(subject_of(data_), {.budget = 30});
  const AuditQuestion& asked = audit.questions()[0];
  const std::string path = folder_ / "answers.xlsx";
  AtomicFile file(FileSystem::real(), path, IfExists::Replace);
  WorkbookWriter book;
  book.add_sheet("notes", [&](OutputStream& sheet) { sheet.write("who,when\nAnn,today\n"); });
  book.add_sheet("answers", [&](OutputStream& sheet) {
    sheet.write("id,label,answer,audit\n" + audit.item(asked.row) + "," +
                data_.label_names[asked.label] + ",0," + to_string(audit.code()) + "\n");
  });
  book.finish(file);
  file.commit();
  EXPECT_EQ(read_answers(path, audit).first[0], AuditAnswer::Wrong);
}

TEST_F(AuditFiles, show_nothing_but_the_question) {
  const Audit audit(subject_of(data_), {.budget = 50});
  const std::string text = test::read_file(list_of(audit, false));
  EXPECT_THAT(text, testing::StartsWith("id,label,answer,draw,pass,audit\n"));
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count)
    EXPECT_THAT(line, testing::MatchesRegex("r[0-9]+,[a-z]+,,[0-9]+,[12],v1[.][a-z0-9.]+"));
  EXPECT_EQ(count, 54u);
}

TEST_F(AuditFiles, refuse_answers_that_do_not_belong) {
  const Audit audit(subject_of(data_), {.budget = 30});
  const AuditQuestion& asked = audit.questions()[0];
  const std::string cell = audit.item(asked.row) + "," + data_.label_names[asked.label];
  std::string other;
  for (std::size_t i = 0; i < kRows && other.empty(); ++i)
    if (!audit.find(i, 0)) other = audit.item(i) + ",sun";
  EXPECT_THAT(refusal_of("id,label,answer\n" + other + ",1\n", audit), HasSubstr("was not asked"));
  EXPECT_THAT(refusal_of("id,label,answer\n" + cell + ",1\n" + cell + ",1\n", audit),
              HasSubstr("a second time"));
  EXPECT_THAT(refusal_of("id,label,answer\n" + cell + ",maybe\n", audit),
              HasSubstr("is not an answer"));
  EXPECT_THAT(refusal_of("id,label,answer\nr999,sun,1\n", audit), HasSubstr("there is no row"));
  EXPECT_THAT(refusal_of("id,label,answer\nr1,son,1\n", audit), HasSubstr("there is no label"));
  EXPECT_THAT(refusal_of("id,label,answer,pass\n" + cell + ",1,4\n", audit), HasSubstr("pass"));
  EXPECT_THAT(refusal_of("id,label\n" + cell + "\n", audit), HasSubstr("answers"));
}

TEST_F(AuditFiles, say_what_has_changed_since) {
  const Audit audit(subject_of(data_), {.budget = 30});
  const AuditCode code = audit.code();
  const auto problem = [&](AuditSubject subject, AuditRequest request) {
    const Audit now(std::move(subject), request);
    return refusal([&] { check_audit_code(code, now, "a.csv"); });
  };
  EXPECT_EQ(problem(subject_of(data_), {.budget = 30}), "");
  EXPECT_THAT(problem(subject_of(data_), {.seed = 2, .budget = 30}), HasSubstr("random seed 1"));
  Dataset renamed = data_.clone();
  renamed.ids[7] = "another";
  EXPECT_THAT(problem(subject_of(renamed), {.budget = 30}), HasSubstr("data are not those"));
  Dataset changed = data_.clone();
  changed.candidates.set(4, 1, !changed.candidates.get(4, 1));
  EXPECT_THAT(problem(subject_of(changed), {.budget = 30}), HasSubstr("labels have changed"));
  AuditSubject believed = subject_of(data_);
  (*believed.probabilities)(0, 0) = 0.125F;
  EXPECT_THAT(problem(std::move(believed), {.budget = 30}), HasSubstr("other probabilities"));
  EXPECT_THAT(problem(subject_of(data_), {.budget = 31}), HasSubstr("other settings"));
}

TEST_F(AuditFiles, of_several_audits_are_refused) {
  const Audit one(subject_of(data_), {.budget = 30}), two(subject_of(data_), {.budget = 31});
  const std::string path = folder_ / "mixed.csv";
  test::write_file(path, "id,label,answer,audit\nr1,sun,1," + to_string(one.code()) +
                             "\nr2,sun,1," + to_string(two.code()) + "\n");
  EXPECT_THAT(refusal([&] { read_audit_code(path); }), HasSubstr("another audit"));
  test::write_file(path, "id,label,answer,audit\nr1,sun,1,spoilt\n");
  EXPECT_THAT(refusal([&] { read_audit_code(path); }), HasSubstr("does not name an audit"));
}

class CertificateTest : public testing::Test {
 protected:
  CertificateTest() {
    const Audit audit(subject_of(data_), {.seed = 4, .budget = 60});
    text_ = certificate_json(audit, answers_by_truth(audit), 0.9, "2026-01-31T12:00:00Z");
  }
  std::vector<std::string> differences(const std::string& text, const Dataset& data) const {
    return certificate_differences(parse_certificate(text, "c.json"), subject_of(data));
  }
  std::string replaced(const std::string& from, const std::string& to) const {
    std::string text = text_;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  }
  Dataset data_ = labelled();
  std::string text_;
};

TEST_F(CertificateTest, holds_for_the_same_data) {
  EXPECT_THAT(differences(text_, data_), IsEmpty());
}

TEST_F(CertificateTest, is_broken_by_a_flipped_decision) {
  EXPECT_THAT(differences(replaced(R"("answer":"1")", R"("answer":"0")"), data_),
              testing::Contains(HasSubstr("decisions")));
}

TEST_F(CertificateTest, is_broken_by_a_changed_label_of_the_data) {
  Dataset changed = data_.clone();
  changed.candidates.set(11, 2, !changed.candidates.get(11, 2));
  EXPECT_THAT(differences(text_, changed), testing::Contains(HasSubstr("labels are others")));
}

TEST_F(CertificateTest, is_broken_by_another_seed_and_other_claims) {
  EXPECT_THAT(differences(replaced(R"("seed":4)", R"("seed":5)"), data_),
              testing::Contains(HasSubstr("this seed did not draw")));
  EXPECT_THAT(differences(replaced(R"("value":0.)", R"("value":0.1)"), data_),
              testing::Contains(HasSubstr("claims")));
  EXPECT_THAT(differences(replaced(R"("level":0.9)", R"("level":0.8)"), data_),
              testing::Contains(HasSubstr("claims")));
}

TEST_F(CertificateTest, is_refused_where_it_is_none) {
  const auto refused = [](const std::string& text) {
    return refusal([&] { parse_certificate(text, "c.json"); });
  };
  EXPECT_THAT(refused("{}"), HasSubstr("not a certificate"));
  EXPECT_THAT(refused("no JSON"), HasSubstr("c.json"));
  EXPECT_THAT(refused(replaced(R"("format":1)", R"("format":7)")), HasSubstr("another version"));
  EXPECT_THAT(refused(replaced(R"("budget":60)", R"("budget":"x")")), HasSubstr("lacks a number"));
  EXPECT_THAT(refused(text_.substr(0, text_.size() / 2)), HasSubstr("c.json"));
}

}  // namespace
}  // namespace sieve
