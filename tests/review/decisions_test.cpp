#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/sqlite.h"
#include "review/ledger.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using Kind = DecisionLine::Kind;

DecisionLine line(Kind kind, const std::string& reviewer, std::vector<Choice> choices,
                  const std::string& nonce, std::uint64_t undoes = 0) {
  DecisionLine out;
  out.kind = kind;
  out.reviewer = reviewer;
  out.choices = std::move(choices);
  out.nonce = nonce;
  out.undoes = undoes;
  return out;
}

// Whether another process is kept from writing to the file under this name.
bool is_refused_elsewhere(const std::string& path, const Dataset& data) {
  const pid_t other = ::fork();
  if (other == 0)
    ::_exit(refusal([&] { DecisionLog(path, data); }).find("another review") == std::string::npos);
  int status = -1;
  ::waitpid(other, &status, 0);
  return status == 0;
}

class DecisionFile : public ::testing::Test {
 protected:
  Ledger ledger() const {
    Ledger out;
    for (const DecisionLine& one : read_decision_log(path_, data_).lines) out.apply(one);
    return out;
  }
  TempFolder folder_;
  std::string path_ = folder_ / "decisions.db";
  Dataset data_ = small_material().data;
};

TEST_F(DecisionFile, a_clock_that_goes_back_changes_nothing) {
  {
    DecisionLog log(path_, data_);
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, true, 0.25}}, "n1"));
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, false, 0.25}}, "n2"));
  }
  Database(path_, Database::Access::Write)
      .run("UPDATE lines SET made = '1999-12-31T23:59:59Z' WHERE id = 2");
  EXPECT_FALSE(ledger().outcome({1, 0}).on) << "the last line counts, whatever its time";
}

TEST_F(DecisionFile, keeps_every_line_across_a_restart) {
  {
    DecisionLog log(path_, data_);
    DecisionLine noted = line(Kind::Decide, "Ann", {{{1, 0}, true, 0.25}}, "n1");
    noted.note = "a <note> with \"quotes\"\nand lines";
    log.add(noted);
    log.add(line(Kind::Bulk, "Bob", {{{2, 0}, false, 0.1}, {{3, 0}, false, NAN}}, "n2"));
    log.add(line(Kind::Undo, "Bob", {}, "n3", 2));
    log.add(EstimateLine{3, 1, 0.1, 0.05, 0.2});
  }
  const Decisions read = read_decision_log(path_, data_);
  ASSERT_EQ(read.lines.size(), 3U);
  EXPECT_EQ(read.lines[0].note, "a <note> with \"quotes\"\nand lines");
  EXPECT_EQ(read.lines[0].choices[0].probability, 0.25);
  EXPECT_EQ(read.lines[1].choices.size(), 2U);
  EXPECT_TRUE(std::isnan(read.lines[1].choices[1].probability));
  EXPECT_EQ(read.lines[2].undoes, 2U);
  ASSERT_EQ(read.estimates.size(), 1U);
  EXPECT_EQ(read.estimates[0].high, 0.2);
}

TEST_F(DecisionFile, is_had_by_one_process_at_a_time) {
  const DecisionLog log(path_, data_);
  EXPECT_TRUE(is_refused_elsewhere(path_, data_));
}

TEST_F(DecisionFile, is_had_by_one_process_under_all_its_names) {
  { const DecisionLog made(path_, data_); }
  std::filesystem::create_symlink(path_, folder_ / "soft.db");
  std::filesystem::create_hard_link(path_, folder_ / "hard.db");
  for (const std::string owner : {"decisions.db", "soft.db", "hard.db"}) {
    const DecisionLog log(folder_ / owner, data_);
    for (const std::string other : {"decisions.db", "soft.db", "hard.db"})
      EXPECT_TRUE(is_refused_elsewhere(folder_ / other, data_)) << owner << " and " << other;
  }
  EXPECT_FALSE(is_refused_elsewhere(folder_ / "soft.db", data_)) << "nobody has it any more";
}

TEST_F(DecisionFile, refuses_other_files_and_other_data) {
  write_file(folder_ / "text.db", "certainly not a database, whatever its name may say");
  EXPECT_THAT(refusal([&] { read_decision_log(folder_ / "text.db", data_); }),
              HasSubstr("not a file of decisions"));
  Dataset numbered = data_.clone();
  numbered.ids.clear();
  { const DecisionLog log(path_, numbered); }
  EXPECT_THAT(refusal([&] { read_decision_log(path_, data_); }), HasSubstr("without ids"));
  const std::vector<std::size_t> some = {0, 1};
  EXPECT_THAT(refusal([&] { read_decision_log(path_, numbered.select_rows(some)); }),
              HasSubstr("6 rows without ids, and there are 2"));
}

// Rows that are known by their number, with features that begin at `first`.
Dataset numbered_rows(float first, std::size_t rows = 6) {
  Dataset data = small_material(rows).data;
  data.ids.clear();
  Matrix features(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) features(i, 0) = first + static_cast<float>(i);
  data.features = Features(std::move(features));
  return data;
}

// As version 0.2.0 wrote it.
void forget_content(const std::string& path) {
  Database(path, Database::Access::Write).run("DROP TABLE sample");
}

TEST_F(DecisionFile, of_other_rows_without_ids_is_refused) {
  const Dataset reviewed = numbered_rows(1), other = numbered_rows(2);
  {
    DecisionLog log(path_, reviewed);
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, true, 0.5}}, "n1"));
  }
  EXPECT_THAT(refusal([&] { read_decision_log(path_, other); }), HasSubstr("about other data"));
  EXPECT_THAT(refusal([&] { DecisionLog(path_, other); }), HasSubstr("about other data"));
  EXPECT_TRUE(read_decision_log(path_, reviewed).notes.empty());
  Dataset changed = reviewed.clone();
  changed.label_names.push_back("sky");
  changed.candidates = LabelMatrix(6, 3);
  EXPECT_EQ(read_decision_log(path_, changed).lines.size(), 1U) << "labels may come and go";
}

TEST_F(DecisionFile, knows_the_same_rows_however_they_are_stored) {
  const Dataset reviewed = numbered_rows(0);
  { const DecisionLog log(path_, reviewed); }
  Dataset sparse = reviewed.clone();
  sparse.features = Features(reviewed.features.to_sparse());
  EXPECT_TRUE(read_decision_log(path_, sparse).notes.empty());
}

TEST_F(DecisionFile, of_an_earlier_version_is_read_with_a_note_if_its_labels_fit) {
  Dataset data = numbered_rows(1);
  {
    DecisionLog log(path_, data);
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, true, 0.5}}, "n1"));
  }
  forget_content(path_);
  const Decisions read = read_decision_log(path_, data);
  EXPECT_EQ(read.lines.size(), 1U);
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_THAT(read.notes[0], HasSubstr("could not be checked"));
  data.label_names[0] = "another";
  EXPECT_THAT(refusal([&] { read_decision_log(path_, data); }), HasSubstr("labels"));
}

TEST_F(DecisionFile, by_ids_outlives_new_rows_and_notes_other_content) {
  Dataset data = numbered_rows(1);
  data.ids = data_.ids;
  {
    DecisionLog log(path_, data);
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, true, 0.5}}, "n1"));
  }
  Dataset more = numbered_rows(1, 9);
  more.ids = small_material(9).data.ids;
  const Decisions read = read_decision_log(path_, more);
  EXPECT_EQ(read.lines[0].choices[0].at, (Cell{1, 0}));
  EXPECT_TRUE(read.notes.empty());
  Dataset other = numbered_rows(100);
  other.ids = data.ids;
  ASSERT_EQ(read_decision_log(path_, other).notes.size(), 1U);
  for (std::string& id : other.ids) id += " of another set";
  EXPECT_THAT(refusal([&] { read_decision_log(path_, other); }),
              HasSubstr("none of the decisions"));
}

TEST_F(DecisionFile, counts_decisions_on_rows_that_are_not_there) {
  {
    DecisionLog log(path_, data_);
    log.add(line(Kind::Decide, "Ann", {{{1, 0}, true, 0.5}}, "n1"));
    log.add(line(Kind::Decide, "Ann", {{{5, 0}, true, 0.5}}, "n2"));
  }
  const std::vector<std::size_t> some = {0, 1};
  const Decisions read = read_decision_log(path_, data_.select_rows(some));
  EXPECT_EQ(read.unknown_cells, 1U);
  EXPECT_EQ(read.lines[0].choices[0].at, (Cell{1, 0}));
}

TEST_F(DecisionFile, undo_goes_back_line_by_line_across_restarts) {
  {
    DecisionLog log(path_, data_);
    log.add(line(Kind::Decide, "Ann", {{{0, 0}, false, 0.1}}, "n1"));
    log.add(line(Kind::Bulk, "Ann", {{{1, 0}, false, 0.1}, {{2, 0}, false, 0.1}}, "n2"));
    log.add(line(Kind::Decide, "Ann", {{{0, 0}, true, 0.1}}, "n3"));
  }
  EXPECT_TRUE(ledger().outcome({0, 0}).on);
  const auto undo = [&](const std::string& nonce) {
    DecisionLog log(path_, data_);
    Ledger before = ledger();
    const std::uint64_t last = before.last_line(before.reviewer("Ann"));
    if (last != 0) log.add(line(Kind::Undo, "Ann", {}, nonce, last));
    return last;
  };
  EXPECT_EQ(undo("u1"), 3U);
  EXPECT_FALSE(ledger().outcome({0, 0}).on) << "the decision before holds again";
  EXPECT_TRUE(ledger().outcome({2, 0}).by_rule);
  EXPECT_EQ(undo("u2"), 2U);
  EXPECT_FALSE(ledger().outcome({2, 0}).decided());
  EXPECT_EQ(undo("u3"), 1U);
  EXPECT_FALSE(ledger().outcome({0, 0}).decided());
  EXPECT_EQ(undo("u4"), 0U);
}

TEST(Ledger, annotators_come_before_rules_and_most_of_them_decide) {
  Ledger ledger;
  std::uint64_t id = 0;
  const auto say = [&](Kind kind, const std::string& who, bool on) {
    DecisionLine one = line(kind, who, {{{0, 0}, on, 0.5}}, std::to_string(++id));
    one.id = id;
    ledger.apply(one);
  };
  say(Kind::Bulk, "Ann", false);
  EXPECT_FALSE(ledger.outcome({0, 0}).on);
  say(Kind::Decide, "Bob", true);
  EXPECT_TRUE(ledger.outcome({0, 0}).on);
  say(Kind::Decide, "Cem", false);
  EXPECT_FALSE(ledger.outcome({0, 0}).on) << "they are even: the last one decides";
  EXPECT_TRUE(ledger.outcome({0, 0}).disputed());
  say(Kind::Decide, "Dee", true);
  EXPECT_TRUE(ledger.outcome({0, 0}).on);
  EXPECT_EQ(ledger.outcome({0, 0}).looked, 3U);
  EXPECT_EQ(ledger.agreement().pairs, 3U);
  EXPECT_EQ(ledger.agreement().same, 1U);
  say(Kind::Skip, "Eva", true);
  EXPECT_EQ(ledger.outcome({0, 0}).looked, 3U);
}

}  // namespace
}  // namespace sieve::test
