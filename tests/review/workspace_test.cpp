// A workspace on its way from data to a review, with the work in the background.
#include "review/workspace.h"

#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class OpenedWorkspace : public ::testing::Test {
 protected:
  WorkspaceSteps steps() {
    return {.describe =
                [this] {
                  WorkspaceData data{.files = {{"rows.csv", use_}},
                                     .columns = {{"when", role_, "it looks so", "May", false}},
                                     .roles = {"text", "date", "vote"},
                                     .roles_of_rows = {"text", "date"}};
                  if (role_ == "?") data.open = {{"is 'when' a date?", {"if it is"}}};
                  data.first = {{{"when", "May <b>1</b>"}}};
                  return data;
                },
            .correct = [this](const WorkspaceColumn& column) { role_ = column.role; },
            .use = [this](std::size_t, WorkspaceFile::Use use) { use_ = use; },
            .answer = [this](std::size_t, std::size_t) { role_ = "date"; },
            .prepare = [this](Progress& progress) { return prepare(progress); }};
  }

  ReviewSetup prepare(Progress& progress) {
    progress.begin("Learn", 4);
    progress.update(1);
    while (waits_ && !progress.stop_requested()) std::this_thread::yield();
    if (progress.stop_requested()) throw Error(Failure::Interrupted, "stopped on request");
    SynthOptions options;
    options.rows = 30;
    options.labels = 8;
    options.votes = true;
    ThreadPool pool(1);
    ReviewSetup setup;
    setup.judged = judge(make_synthetic(options, pool), for_review({.fit = {.threads = &pool}}));
    setup.options.decisions = folder_ / "workspace.db";
    setup.options.background_learning = false;
    return setup;
  }

  static json call(Workspace& workspace, bool post, const std::string& path, const json& body = {},
                   int expected = 200) {
    const ReviewReply reply = workspace.answer({post, path, {}, body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, expected) << path << ": " << reply.body;
    return json::parse(reply.body);
  }
  // The state after whatever runs has come to its end, or to the state that is waited for.
  static json wait_for(Workspace& workspace, const std::string& state) {
    for (;;) {
      json now = call(workspace, false, "/api/workspace");
      if (now["state"] == state) return now;
      if (now["problem"] != "") throw std::runtime_error(now["problem"].get<std::string>());
      std::this_thread::yield();
    }
  }

  TempFolder folder_;
  std::string role_ = "date";
  WorkspaceFile::Use use_ = WorkspaceFile::Use::Rows;
  std::atomic<bool> waits_ = false;
};

TEST_F(OpenedWorkspace, shows_its_data_and_begins_on_request) {
  Workspace workspace(steps(), "space", false);
  EXPECT_EQ(wait_for(workspace, "data")["title"], "space");
  const json data = call(workspace, false, "/api/data");
  EXPECT_EQ(data["columns"][0]["role"], "date");
  EXPECT_EQ(data["first"][0][0][1], "May <b>1</b>");
  call(workspace, false, "/api/start", {}, 409);
  call(workspace, true, "/api/begin", json::object());
  wait_for(workspace, "ready");
  EXPECT_EQ(call(workspace, false, "/api/start")["rows"], 30);
}

TEST_F(OpenedWorkspace, asks_what_is_unclear_before_it_begins) {
  role_ = "?";
  Workspace workspace(steps(), "space", true);
  wait_for(workspace, "data");
  EXPECT_THAT(call(workspace, true, "/api/begin", json::object(), 409)["error"].get<std::string>(),
              HasSubstr("unclear"));
  call(workspace, true, "/api/role", {{"column", "when"}, {"role", "colour"}}, 400);
  call(workspace, true, "/api/role", {{"column", "when"}, {"role", "vote"}}, 400);  // of rows
  call(workspace, true, "/api/role", {{"column", "other"}, {"role", "date"}}, 400);
  call(workspace, true, "/api/role", json::array(), 400);
  call(workspace, true, "/api/role", {{"column", "when"}, {"role", "date"}});
  wait_for(workspace, "data");
  EXPECT_TRUE(call(workspace, false, "/api/data")["open"].empty());
}

TEST_F(OpenedWorkspace, takes_answers_and_other_uses_of_files) {
  role_ = "?";
  Workspace workspace(steps(), "space", true);
  wait_for(workspace, "data");
  EXPECT_EQ(call(workspace, false, "/api/data")["open"][0]["answers"][0], "if it is");
  call(workspace, true, "/api/answer", {{"question", 0}, {"answer", 1}}, 400);
  call(workspace, true, "/api/answer", {{"question", 0}}, 400);
  call(workspace, true, "/api/answer", {{"question", 0}, {"answer", 0}});
  wait_for(workspace, "data");
  EXPECT_TRUE(call(workspace, false, "/api/data")["open"].empty());
  call(workspace, true, "/api/use", {{"file", 0}, {"use", "nothing"}}, 400);
  call(workspace, true, "/api/use", {{"file", 1}, {"use", "rows"}}, 400);
  call(workspace, true, "/api/use", {{"file", 0}, {"use", "left out"}});
  wait_for(workspace, "data");
  EXPECT_EQ(call(workspace, false, "/api/data")["files"][0]["use"], "left out");
}

TEST_F(OpenedWorkspace, can_be_stopped_and_begun_again) {
  waits_ = true;
  Workspace workspace(steps(), "space", true);
  for (json now; now["progress"].is_null() || now["progress"]["share"] != 0.25;)
    now = call(workspace, false, "/api/workspace");
  call(workspace, true, "/api/begin", json::object(), 409);
  call(workspace, true, "/api/stop", json::object());
  EXPECT_EQ(wait_for(workspace, "data")["problem"], "Stopped. Nothing is lost.");
  waits_ = false;
  call(workspace, true, "/api/begin", json::object());
  wait_for(workspace, "ready");
}

TEST_F(OpenedWorkspace, says_what_failed_and_lets_one_correct_it) {
  WorkspaceSteps failing = steps();
  failing.prepare = [](Progress&) -> ReviewSetup { throw Error(Failure::Data, "no label is on"); };
  Workspace workspace(failing, "space", true);
  EXPECT_EQ(wait_for(workspace, "data")["problem"], "no label is on");
}

TEST_F(OpenedWorkspace, a_role_is_corrected_later_and_decisions_stay) {
  Workspace workspace(steps(), "space", true);
  wait_for(workspace, "ready");
  const json item = call(workspace, false, "/api/start");
  call(workspace, true, "/api/decide",
       {{"reviewer", "Ann"},
        {"nonce", "one-of-many"},
        {"row", 0},
        {"choices", {{{"label", 0}, {"answer", "yes"}}}}});
  EXPECT_EQ(workspace.decisions(), 1U);
  call(workspace, true, "/api/role", {{"column", "when"}, {"role", "text"}});
  wait_for(workspace, "data");
  call(workspace, true, "/api/begin", json::object());
  wait_for(workspace, "ready");
  EXPECT_EQ(workspace.decisions(), 1U);
}

TEST_F(OpenedWorkspace, ends_while_it_works) {
  waits_ = true;
  const Workspace workspace(steps(), "space", true);
}

}  // namespace
}  // namespace sieve::test
