// The screens of a workspace: overview, annotators, export, sweeps, and which files it is made of.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "review/api.h"
#include "review/review.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;

class Workspace : public ::testing::Test {
 protected:
  void begin(ReviewMaterial material, std::size_t budget = 20) {
    ReviewOptions options;
    options.decisions = folder_ / "workspace.db";
    options.folder = folder_ / "";
    options.background_learning = false;
    options.audited = std::make_shared<AuditSubject>();
    options.audited->exported = material.data.candidates.share();
    options.audit.budget = budget;
    review_.reset();
    review_ = std::make_unique<Review>(std::move(material), options);
  }
  json call(bool post, const std::string& path, std::map<std::string, std::string> query,
            const json& body = {}, int expected = 200) {
    const ReviewReply reply =
        answer(*review_, {post, path, std::move(query), body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, expected) << path << ": " << reply.body;
    return json::parse(reply.body);
  }
  json decide(const json& item, const std::string& answer, const std::string& lane = "review",
              std::optional<int> checked = {}, int expected = 200) {
    json request = {{"reviewer", "Ann"},
                    {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)},
                    {"lane", lane},
                    {"row", item["row"]},
                    {"choices", {{{"label", item["label"]}, {"answer", answer}}}}};
    if (checked) request["checked"] = *checked;
    return call(true, "/api/decide", {}, request, expected);
  }
  json claim_of_label(std::size_t label) {
    const json labels = call(false, "/api/overview", {})["labels"];
    return std::ranges::find_if(labels, [&](const json& one) { return one["label"] == label; })
        ->at("claim");
  }
  json finish_audit();
  json choice(const std::string& undecided);  // of Export
  bool is_right(const json& item) const {
    return review_->material().data.truth->get(item["row"], item["label"]);
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  int nonces_ = 0;
};

TEST_F(Workspace, overview_has_doubtful_labels_and_annotators_by_harm) {
  begin(crowd_material(80, 6));
  const json seen = call(false, "/api/overview", {});
  EXPECT_EQ(seen["labels"].size(), 6U);
  for (const json& label : seen["labels"]) EXPECT_EQ(label["claim"]["basis"], "guess");
  double before = 1e9;
  for (const json& one : seen["annotators"]) {
    EXPECT_LE(one["wrong"], before);
    EXPECT_LE(one["wrong"], one["ticks"]);
    before = one["wrong"];
  }
  const json people = call(false, "/api/annotators", {{"most", "2"}});
  EXPECT_EQ(people["annotators"].size(), 2U);
  EXPECT_EQ(people["annotators"][0]["name"], seen["annotators"][0]["name"]);
  const json feedback = call(false, "/api/annotator",
                             {{"who", std::to_string(people["annotators"][0]["who"].get<int>())}});
  EXPECT_LE(feedback["worst"].size(), 10U);
  call(false, "/api/annotator", {{"who", "1000000"}}, {}, 400);
}

TEST_F(Workspace, questions_of_the_audit_are_blind_and_stand_beside_the_review) {
  begin(crowd_material(80, 6));
  const json asked = call(false, "/api/next", {{"reviewer", "Ann"}, {"lane", "audit"}})["item"];
  EXPECT_FALSE(asked.contains("people"));
  EXPECT_FALSE(asked.contains("confidence"));
  EXPECT_EQ(asked["number"], 1);
  const json next = decide(asked, "yes", "audit");
  EXPECT_EQ(next["counts"]["audit"]["answered"], 1);
  EXPECT_EQ(next["item"]["number"], 2);
  const json item = call(false, "/api/next", {{"reviewer", "Ann"}})["item"];
  EXPECT_TRUE(item.contains("people"));
  decide(item, "no");
  // The newest decision goes first: that of the review, then that of the audit.
  const auto undo = [&] {
    return call(true, "/api/undo", {},
                {{"reviewer", "Ann"}, {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)}});
  };
  EXPECT_EQ(undo()["counts"]["audit"]["answered"], 1);
  EXPECT_EQ(undo()["counts"]["audit"]["answered"], 0);
}

TEST_F(Workspace, labels_are_written_to_new_files_of_its_folder_alone) {
  begin(small_material());
  const json choices = call(false, "/api/export", {})["choices"];
  ASSERT_EQ(choices.size(), 2U) << "nothing judges these labels";
  EXPECT_EQ(choices[0]["labels"], 9);
  EXPECT_EQ(choices[1]["rows"], 0);
  call(true, "/api/export", {}, {{"undecided", "drop"}, {"name", "none.csv"}}, 409);
  call(true, "/api/export", {}, {{"undecided", "machine"}, {"name", "none.csv"}}, 409);
  for (const char* name : {"", "../out.csv", "a/b.csv", ".hidden.csv", "a\\b.csv", "a\nb.csv"})
    call(true, "/api/export", {}, {{"undecided", "keep"}, {"name", name}}, 400);
  decide(call(false, "/api/next", {{"reviewer", "Ann"}})["item"], "no");
  const json done = call(true, "/api/export", {}, {{"undecided", "keep"}, {"name", "out.csv"}});
  EXPECT_EQ(done["labels"], 8);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.csv"));
  call(true, "/api/export", {}, {{"undecided", "keep"}, {"name", "out.csv"}}, 409);
  call(true, "/api/certificate", {}, {{"name", "proof"}}, 409);
}

TEST_F(Workspace, rows_with_an_undecided_tick_are_dropped) {
  begin(small_material());
  decide({{"row", 0}, {"label", 0}}, "yes");  // and nobody decided label 1
  EXPECT_EQ(call(false, "/api/export", {})["choices"][1]["rows"], 0);
  decide({{"row", 1}, {"label", 0}}, "no");
  const json done = call(true, "/api/export", {},
                         {{"undecided", "drop"}, {"name", "some.csv"}, {"with", {"was", "note"}}});
  EXPECT_EQ(done["rows"], 1);
  EXPECT_EQ(done["labels"], 0);
  EXPECT_EQ(read_file(folder_ / "some.csv"),
            "id,label:sun,label:sea,was:sun,was:sea,note:sun,note:sea\nb,0,0,1,0,,\n");
  call(true, "/api/export", {}, {{"undecided", "drop"}, {"name", "x.csv"}, {"with", {"what"}}},
       400);
  call(true, "/api/export", {}, {{"undecided", "perhaps"}, {"name", "x.csv"}}, 400);
}

TEST_F(Workspace, an_export_is_shown_before_it_is_written) {
  begin(small_material());
  const auto preview = [&](std::size_t choice) {
    return call(false, "/api/export", {})["choices"][choice]["preview"];
  };
  EXPECT_EQ(
      preview(0),
      json({{"kept", 9}, {"removed", 0}, {"added", 0}, {"changed", 0}, {"first", json::array()}}));
  decide({{"row", 1}, {"label", 0}}, "no");
  decide({{"row", 1}, {"label", 1}}, "yes");
  const json keep = preview(0), drop = preview(1);
  EXPECT_EQ(keep["kept"], 8);
  EXPECT_EQ(keep["removed"], 1);
  EXPECT_EQ(keep["added"], 1);
  EXPECT_EQ(keep["changed"], 1);
  EXPECT_EQ(keep["first"][0]["id"], "b");
  EXPECT_EQ(keep["first"][0]["labels"], json({{0, "removed"}, {1, "added"}}));
  EXPECT_EQ(drop["kept"], 0) << "the other rows are left out";
  EXPECT_EQ(drop["first"], keep["first"]);
}

TEST_F(Workspace, the_machine_learns_from_decisions_before_it_writes) {
  begin(crowd_material(120, 5));
  const auto labels = [&] { return call(false, "/api/export", {})["choices"][1]["labels"]; };
  const json before = labels();
  for (int k = 0; k < 40; ++k)
    decide(call(false, "/api/next", {{"reviewer", "Ann"}, {"order", "gain"}})["item"], "no");
  EXPECT_LT(labels(), before) << "more is taken for wrong than what was decided";
}

// Room for so many bytes in a file, as on a disk that is nearly full.
class Room {
 public:
  explicit Room(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    before_signal_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~Room() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, before_signal_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  rlimit before_{};
  sighandler_t before_signal_;
};

TEST_F(Workspace, exports_without_room_leave_nothing) {
  begin(small_material());
  decide(call(false, "/api/next", {{"reviewer", "Ann"}})["item"], "no");
  for (const char* name : {"out.csv", "out.csv.gz", "out.xlsx"}) {
    for (const rlim_t bytes : {0, 10}) {
      const Room room(bytes);
      const ReviewReply reply =
          answer(*review_,
                 {true, "/api/export", {}, json({{"undecided", "keep"}, {"name", name}}).dump()});
      EXPECT_GE(reply.status, 400) << name;
      EXPECT_FALSE(std::filesystem::exists(folder_ / name)) << name;
    }
    call(true, "/api/export", {}, {{"undecided", "keep"}, {"name", name}});
    EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << entry;
}

TEST_F(Workspace, certificates_without_room_leave_nothing) {
  begin(crowd_material(80, 6));
  for (int k = 0; k < 20; ++k)
    decide(call(false, "/api/next", {{"reviewer", "Ann"}, {"lane", "audit"}})["item"], "yes",
           "audit");
  for (const rlim_t bytes : {0, 100}) {
    const Room room(bytes);
    const ReviewReply reply =
        answer(*review_, {true, "/api/certificate", {}, json({{"name", "proof"}}).dump()});
    EXPECT_GE(reply.status, 400);
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      EXPECT_EQ(entry.path().filename().string().find("proof"), std::string::npos) << entry;
  }
  call(true, "/api/certificate", {}, {{"name", "proof"}});
}

TEST_F(Workspace, an_export_is_named_as_the_file_that_was_read) {
  test::write_file(folder_ / "rows.csv", "t,label:a\nx,1\ny,0\n");
  {
    FileSet set;
    set.add(FileSystem::real(), folder_ / "rows.csv.gz", IfExists::Refuse)
        .write("t,label:a\nx,1\ny,0\n");
    set.commit();
  }
  for (const auto& [name, ending] :
       {std::pair{"rows.csv", "labels.csv"}, {"rows.csv.gz", "labels.csv.gz"}}) {
    ReadOptions options;
    options.keep_cells = true;
    options.table.category = {"t"};
    ReviewMaterial material = small_material();
    const Dataset read = read_dataset({folder_ / name}, options);
    material.data.cells = read.cells;
    begin(std::move(material));
    EXPECT_EQ(call(false, "/api/export", {})["name"], ending);
  }
}

TEST_F(Workspace, a_sweep_is_about_what_was_checked) {
  begin(crowd_material(200, 6));
  const std::map<std::string, std::string> rule = {
      {"action", "remove"}, {"threshold", "0.9"}, {"seed", "7"}};
  const json check = call(false, "/api/check", rule);
  ASSERT_EQ(check["items"].size(), 20U);
  EXPECT_EQ(call(false, "/api/check", rule)["items"], check["items"]);
  EXPECT_FALSE(check["items"][0].contains("confidence"));
  for (const json& item : check["items"]) decide(item, "no", "review", 7);
  const json claim = call(false, "/api/checked", {{"seed", "7"}, {"mistakes", "0"}})["claim"];
  EXPECT_EQ(claim["basis"], "audit");
  EXPECT_EQ(claim["decisions"], 20);
  EXPECT_EQ(claim["low"], 0);
  EXPECT_NEAR(claim["high"], 0.13, 0.02);
  call(false, "/api/checked", {{"seed", "7"}, {"mistakes", "21"}}, {}, 400);
  call(false, "/api/checked", {{"seed", "8"}, {"mistakes", "0"}}, {}, 409);
  review_->learn_now();
  json sweep = {{"reviewer", "Ann"},
                {"nonce", "sweep-number-one"},
                {"action", "remove"},
                {"threshold", 0.9},
                {"checked", 7}};
  sweep["expected"] = check["count"].get<std::size_t>() - 20;
  call(true, "/api/bulk", {}, sweep);
  sweep["nonce"] = "sweep-number-two";
  sweep["checked"] = 8;
  call(true, "/api/bulk", {}, sweep, 409);
}

TEST_F(Workspace, checks_of_a_sweep_are_kept_as_drawn_and_shown_blind) {
  begin(crowd_material(200, 6));
  const json check =
      call(false, "/api/check", {{"action", "remove"}, {"threshold", "0.9"}, {"seed", "7"}});
  decide(check["items"][0], "no", "review", 7);
  decide(check["items"][1], "yes", "review", 7);
  const json item = call(false, "/api/next", {{"reviewer", "Ann"}})["item"];
  decide(item, "no");
  decide(item, "no", "review", 8, 409);  // an unknown check
  const Decisions log = read_decision_log(review_->options().decisions, review_->material().data);
  ASSERT_EQ(log.lines.size(), 3U);
  const double cells = check["count"].get<double>();
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_TRUE(log.lines[k].audited) << k;
    EXPECT_EQ(log.lines[k].audited->lane, "sweep");
    EXPECT_EQ(log.lines[k].audited->draw, k + 1);
    EXPECT_DOUBLE_EQ(log.lines[k].audited->probability, 1 / (cells - static_cast<double>(k)));
    EXPECT_EQ(log.lines[k].audited->shown, "row and label");
    EXPECT_THAT(log.lines[k].audited->audit, ::testing::HasSubstr("remove ticks with at most"));
  }
  EXPECT_FALSE(log.lines[2].audited);
  EXPECT_THROW(read_audit(review_->options().decisions, review_->material().data), Error)
      << "a check is no audit";
  const auto undo = [&] {
    return call(true, "/api/undo", {},
                {{"reviewer", "Ann"}, {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)}});
  };
  undo();
  EXPECT_EQ(undo()["item"]["label"], check["items"][1]["label"]) << "not a question of the audit";
}

TEST_F(Workspace, claims_nothing_of_labels_that_every_row_has) {
  SynthOptions options;
  options.rows = 120;
  options.labels = 6;
  ThreadPool pool(1);
  Dataset data = make_synthetic(options, pool);
  for (std::size_t row = 0; row < data.rows(); ++row) data.candidates.set(row, 2);
  begin(material_of(
      judge(std::move(data),
            {.method = "forest", .settings = {{"trees", "5"}}, .fit = {.threads = &pool}}),
      {}));
  const json seen = call(false, "/api/overview", {});
  EXPECT_TRUE(seen["counts"]["error"]["claim"].is_null());
  EXPECT_THAT(seen["counts"]["error"]["not_claimed"].get<std::string>(),
              ::testing::HasSubstr("every row has the label"));
  EXPECT_FALSE(claim_of_label(0).is_null());
  EXPECT_TRUE(claim_of_label(2).is_null());
  EXPECT_EQ(seen["labels"][2]["not_claimed"], "every row has it");
}

TEST_F(Workspace, a_label_that_is_decided_has_no_guess_any_more) {
  begin(crowd_material(60, 6));
  const ReviewCells& cells = review_->material().cells;
  const json before = claim_of_label(1);
  EXPECT_EQ(before["basis"], "guess");
  std::size_t ticks = 0, wrong = 0, half = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    half += cells[i].ticked && cells[i].at.label == 1 ? 1 : 0;
  half /= 2;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].ticked || cells[i].at.label != 1) continue;
    const json item = {{"row", cells[i].at.row}, {"label", 1}};
    ++ticks;
    wrong += is_right(item) ? 0 : 1;
    decide(item, is_right(item) ? "yes" : "no");
    if (ticks != half) continue;
    const json claim = claim_of_label(1);
    EXPECT_EQ(claim["basis"], "guess");
    EXPECT_LT(claim["high"].get<double>() - claim["low"].get<double>(),
              0.7 * (before["high"].get<double>() - before["low"].get<double>()));
  }
  const json claim = claim_of_label(1);
  EXPECT_EQ(claim["basis"], "audit");
  EXPECT_EQ(claim["decisions"], ticks);
  EXPECT_EQ(claim["low"], claim["high"]);
  EXPECT_NEAR(claim["value"], static_cast<double>(wrong) / static_cast<double>(ticks), 1e-8);
}

// Answers the rest of the audit from the truth.
json Workspace::finish_audit() {
  json reply = call(false, "/api/next", {{"reviewer", "Ann"}, {"lane", "audit"}});
  while (!reply["item"].is_null())
    reply = decide(reply["item"], is_right(reply["item"]) ? "yes" : "no", "audit");
  return reply["counts"];
}

json Workspace::choice(const std::string& undecided) {
  const json choices = call(false, "/api/export", {})["choices"];
  return *std::ranges::find(choices, json(undecided),
                            [](const json& one) { return one["undecided"]; });
}

TEST_F(Workspace, audits_the_labels_that_export_writes) {
  begin(crowd_material(300, 6), 120);
  const Dataset& data = review_->material().data;
  EXPECT_TRUE(choice("machine")["wrong"].is_null()) << "nothing is claimed before an audit";
  const json begun = call(true, "/api/audit", {}, {{"of", "machine"}})["counts"];
  EXPECT_EQ(begun["audit_of"], "machine");
  EXPECT_EQ(begun["audit"]["labels"], choice("machine")["labels"]);
  EXPECT_LT(begun["audit"]["labels"], data.candidates.count()) << "not the ticks";
  finish_audit();
  const json audited = choice("machine");
  EXPECT_EQ(audited["changed"], 0) << "answers correct their cells, and teach nothing";
  EXPECT_EQ(audited["wrong"]["basis"], "audit");
  call(true, "/api/export", {}, {{"name", "labels.csv"}, {"undecided", "machine"}});
  const LabelMatrix written = read_exported_labels(folder_ / "labels.csv", data, {});
  const double wrong = static_cast<double>(count_outside(written, *data.truth)) /
                       static_cast<double>(written.count());
  EXPECT_LE(audited["wrong"]["low"], wrong);
  EXPECT_GE(audited["wrong"]["high"], wrong);
  EXPECT_LT(audited["wrong"]["high"], 0.6);

  begin(crowd_material(300, 6), 120);
  EXPECT_EQ(choice("machine"), audited) << "goes on after a restart";
}

TEST_F(Workspace, labels_that_change_after_their_audit_need_a_new_one) {
  begin(crowd_material(300, 6), 40);
  call(true, "/api/audit", {}, {{"of", "machine"}});
  const json audited = finish_audit()["audit"];
  const ReviewCells& cells = review_->material().cells;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].ticked && cells[i].at.label == 1 && cells[i].at.row < 150)
      decide({{"row", cells[i].at.row}, {"label", 1}}, "no");
  const json changed = choice("machine");
  EXPECT_GT(changed["changed"], 0);
  EXPECT_TRUE(changed["wrong"].is_null());
  const json again = call(true, "/api/audit", {}, {{"of", "machine"}})["counts"]["audit"];
  EXPECT_EQ(again["answered"], 0);
  EXPECT_NE(again["labels"], audited["labels"]);
  begin(crowd_material(300, 6), 40);
  const json counts = call(false, "/api/overview", {})["counts"];
  EXPECT_EQ(counts["audit_of"], "machine") << "begun, and not answered yet";
  EXPECT_EQ(counts["audit"]["labels"], again["labels"]);

  const json came = call(true, "/api/audit", {}, {{"of", "came"}})["counts"];
  EXPECT_TRUE(came["audit_of"].is_null());
  EXPECT_EQ(came["audit"]["labels"], review_->material().data.candidates.count());
  call(true, "/api/audit", {}, {{"of", "drop"}}, 409);
  call(true, "/api/audit", {}, {{"of", "elsewhere"}}, 400);
}

TEST_F(Workspace, answers_of_the_audit_become_claims_of_labels) {
  begin(crowd_material(200, 6), 240);
  for (json item = call(false, "/api/next", {{"reviewer", "Ann"}, {"lane", "audit"}})["item"];
       !item.is_null();)
    item = decide(item, is_right(item) ? "yes" : "no", "audit")["item"];
  const Dataset& data = review_->material().data;
  std::size_t held = 0;
  for (std::size_t label = 0; label < 6; ++label) {
    const json claim = claim_of_label(label);
    EXPECT_EQ(claim["basis"], "audit") << label;
    double ticks = 0, wrong = 0;
    for (std::size_t row = 0; row < data.rows(); ++row)
      if (data.candidates.get(row, label)) ++ticks, wrong += !data.truth->get(row, label);
    held +=
        claim["low"].get<double>() <= wrong / ticks && claim["high"].get<double>() >= wrong / ticks;
  }
  EXPECT_GE(held, 5U);
}

TEST_F(Workspace, annotators_have_a_guess_with_its_range) {
  begin(crowd_material(80, 6));
  const json seen = call(false, "/api/overview", {});
  for (const json& one : seen["annotators"]) {
    EXPECT_EQ(one["claim"]["about"], "noise of an annotator");
    EXPECT_NEAR(one["claim"]["value"].get<double>() * one["ticks"].get<double>(),
                one["wrong"].get<double>(), 1e-6);
    EXPECT_LT(one["claim"]["low"], one["claim"]["high"]);
  }
  EXPECT_EQ(seen["worst"]["ticks"].get<int>(), seen["annotators"][0]["ticks"].get<int>() +
                                                   seen["annotators"][1]["ticks"].get<int>() +
                                                   seen["annotators"][2]["ticks"].get<int>());
  EXPECT_EQ(seen["worst"]["claim"]["basis"], "guess");
}

}  // namespace
}  // namespace sieve::test
