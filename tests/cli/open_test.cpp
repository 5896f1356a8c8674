// sieve open, from the command line to the pages that it serves.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/sqlite.h"
#include "cli.h"
#include "labelsieve/data_io.h"
#include "review/decisions.h"
#include "support/wire.h"

namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kQuick = " --method mlp --set epochs=2,members=1,depth=1";

class OpenVerb : public Cli {
 protected:
  void synth(const std::string& rows = "120") const {
    sieve({"synth", "--rows", rows, "--labels", "5", "--out", "crowd.csv", "--annotations",
           "ticks.csv"});
  }
  // Starts `sieve open` with these words, and waits for its link.
  void open(const std::string& words) {
    std::filesystem::remove(folder_ / "said");
    page_ = std::make_unique<RunningProgram>(
        std::vector<std::string>{"/bin/bash", "-c",
                                 "exec " + shell_quoted(sieve_command()) + " open " + words +
                                     " --no-open > said 2> problems"},
        folder_.path());
    ASSERT_TRUE(page_->wait_until([&] { return exists("said") && has_link(read("said")); }))
        << read("problems");
    const std::string said = read("said"), host = "http://127.0.0.1:", token = "/?token=";
    port_ = static_cast<std::uint16_t>(std::stoi(said.substr(said.find(host) + host.size())));
    token_ = said.substr(said.find(token) + token.size(), 32);
  }
  void close() {
    page_->signal(SIGINT);
    EXPECT_EQ(page_->wait(), 0) << read("problems");
    page_.reset();
  }

  json get(const std::string& path) const { return ask("GET", path, ""); }
  json post(const std::string& path, const json& body) const {
    return ask("POST", path, body.dump());
  }
  // Until whatever runs in the background has ended.
  json settled() const {
    json state;
    page_->wait_until([&] {
      state = get("/api/workspace");
      return state["state"] == "ready" || state["state"] == "data";
    });
    return state;
  }
  void begin() const {
    ASSERT_EQ(settled()["problem"], "");
    post("/api/begin", json::object());
    const json state = settled();
    ASSERT_EQ(state["state"], "ready") << state;
  }
  // Decides so many cards as Ann, every second label.
  void decide(std::size_t cards) const {
    json item = get("/api/next?reviewer=Ann&order=row&unit=row")["item"];
    for (std::size_t k = 0; k < cards; ++k) {
      json choices = json::array();
      for (const json& one : item["labels"])
        choices.push_back(
            {{"label", one["label"]}, {"answer", choices.size() % 2 == 0 ? "yes" : "no"}});
      item = post("/api/decide", {{"reviewer", "Ann"},
                                  {"order", "row"},
                                  {"unit", "row"},
                                  {"nonce", "nonce-" + std::to_string(1000 + k)},
                                  {"row", item["row"]},
                                  {"choices", choices}})["item"];
    }
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::unique_ptr<RunningProgram> page_;
  std::uint16_t port_ = 0;
  std::string token_;

 private:
  static bool has_link(const std::string& said) {
    const std::size_t link = said.find("/?token=");
    return link != said.npos && said.find('\n', link) != said.npos;
  }
  json ask(const std::string& method, const std::string& path, const std::string& body) const {
    const Wire wire(port_);
    wire.say(method + " " + path + " HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" +
             std::to_string(port_) + "\r\nX-Sieve-Token: " + token_ +
             "\r\nContent-Type: application/json\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string reply = wire.hear();
    const std::size_t end = reply.find("\r\n\r\n");
    json content = json::parse(end == reply.npos ? "" : reply.substr(end + 4), nullptr, false);
    if (content.is_object()) content["http"] = reply.substr(0, reply.find("\r\n"));
    return content;
  }
};

TEST_F(OpenVerb, leads_from_one_raw_export_to_labels_without_another_command) {
  std::string tasks;
  for (int k = 0; k < 40; ++k) {
    const std::string id = std::to_string(k);
    tasks += (k == 0 ? "[" : ",") + std::string(R"({"id":)") + id + R"(,"data":{"text":")" +
             (k % 2 == 0 ? "a boat on the waves " : "snow on the hill ") + id +
             R"("},"annotations":[)";
    for (int who = 1; who < 4; ++who)
      tasks += (who == 1 ? "" : ",") + std::string(R"({"completed_by":)") + std::to_string(who) +
               R"(,"result":[{"from_name":"topic","to_name":"text","type":"choices","value":)" +
               R"({"choices":[")" + ((k + (k % 7 == who ? 1 : 0)) % 2 == 0 ? "sea" : "hill") +
               R"("]}}]})";
    tasks += "]}";
  }
  write("tasks.json", tasks + "]");
  open(std::string("tasks.json") + kQuick);
  EXPECT_THAT(read("said"), HasSubstr("--annotations tasks.json"));
  settled();
  EXPECT_EQ(get("/api/data")["files"][0]["use"], "annotations");
  begin();
  EXPECT_EQ(get("/api/overview")["annotators_all"], 3);
  decide(3);
  const json done = post("/api/export-annotations", {{"undecided", "keep"}, {"name", "back.json"}});
  EXPECT_THAT(done["http"], HasSubstr("200")) << done;
  EXPECT_EQ(json::parse(read("back.json")).size(), 40U);
  close();
  EXPECT_FALSE(exists("workspace.sieve-db.open.lock"));
}

TEST_F(OpenVerb, the_page_and_the_command_write_the_same) {
  synth();
  open(std::string("crowd.csv --annotations ticks.csv") + kQuick);
  begin();
  const std::string same = std::string("review export crowd.csv --annotations ticks.csv") + kQuick +
                           " --decisions workspace.sieve-db --undecided ";
  const auto command = [&](const std::string& more) {
    return run_program({"/bin/bash", "-c", shell_quoted(sieve_command()) + " " + same + more},
                       {.folder = folder_.path()});
  };
  for (const std::size_t cards : {0U, 15U}) {
    decide(cards);
    for (const std::string how : {"keep", "machine", "drop"}) {
      const std::string name = how + std::to_string(cards);
      const json done = post("/api/export", {{"undecided", how},
                                             {"name", name + ".csv"},
                                             {"with", {"probability", "was", "decided_by"}}});
      const Ran ran = command(how + " --with probability,was,decided_by --out " + name + "-2.csv");
      if (how == "drop" && cards == 0) {
        EXPECT_THAT(done["http"], HasSubstr("409")) << "no row is decided";
        EXPECT_EQ(ran.code, 3) << ran.err;
        continue;
      }
      EXPECT_THAT(done["http"], HasSubstr("200")) << done;
      EXPECT_EQ(ran.code, 0) << ran.err;
      EXPECT_EQ(read(name + ".csv"), read(name + "-2.csv")) << name;
      if (how == "drop") {
        EXPECT_LT(done["rows"], 120);
        EXPECT_GE(done["rows"], 15) << "all labels of these rows were decided";
      }
      post("/api/export-annotations", {{"undecided", how}, {"name", name + "-back.csv"}});
      EXPECT_EQ(command(how + " --annotations-out " + name + "-back-2.csv").code, 0);
      EXPECT_EQ(read(name + "-back.csv"), read(name + "-back-2.csv")) << name;
    }
  }
  close();
}

TEST_F(OpenVerb, without_decisions_the_machine_writes_what_clean_does) {
  synth();
  open(std::string("crowd.csv --annotations ticks.csv") + kQuick);
  begin();
  post("/api/export", {{"undecided", "machine"}, {"name", "page.csv"}});
  const Ran ran =
      run_program({"/bin/bash", "-c",
                   shell_quoted(sieve_command()) +
                       " clean crowd.csv --annotations ticks.csv --out clean.csv" + kQuick},
                  {.folder = folder_.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("page.csv"), read("clean.csv"));
  close();
}

TEST_F(OpenVerb, rows_alone_are_opened_and_a_role_replaces_the_flag_that_said_it) {
  std::string rows = "id,text,labels,code\n";
  for (int k = 0; k < 30; ++k)
    rows += "r" + std::to_string(k) + (k % 2 == 0 ? ",a boat on the sea," : ",snow on the hill,") +
            (k % 2 == 0 ? "sea" : "hill") + ",x" + std::to_string(k) + "y\n";
  write("rows.csv", rows);
  open("rows.csv --label-column labels --text-column text --ignore-columns code" +
       std::string(kQuick));
  ASSERT_EQ(settled()["problem"], "");
  EXPECT_EQ(get("/api/data")["open"].size(), 0U) << get("/api/data");
  post("/api/role", {{"column", "code"}, {"of_annotations", false}, {"role", "category"}});
  begin();
  EXPECT_THAT(get("/api/data")["command"].get<std::string>(),
              ::testing::AllOf(HasSubstr("--roles"), Not(HasSubstr("--ignore-columns"))));
  close();
}

TEST_F(OpenVerb, a_second_one_on_the_same_folder_is_refused_at_once) {
  synth("30");
  open(".");
  const Ran second = sieve({"open", ".", "--no-open"});
  EXPECT_EQ(second.code, 5);
  EXPECT_THAT(second.err, HasSubstr("another sieve open"));
  EXPECT_THAT(second.err, HasSubstr("serves several reviewers"));
  settled();
  close();
}

TEST_F(OpenVerb, a_workspace_of_a_later_version_is_refused_before_anything_is_read) {
  synth("30");
  { const DecisionLog made(folder_ / "workspace.sieve-db", read_dataset({folder_ / "crowd.csv"})); }
  Database(folder_ / "workspace.sieve-db", Database::Access::Write).run("PRAGMA user_version = 9");
  const Ran ran = sieve({"open", ".", "--no-open"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("the decisions have format 9"));
  EXPECT_EQ(ran.out, "");
  write("workspace.sieve-db", "this is no database, and no short text either");
  EXPECT_EQ(sieve({"open", ".", "--no-open"}).code, 3);
}

TEST_F(OpenVerb, ten_thousand_annotators_are_listed_in_pages) {
  std::string ticks = "item,worker,label\n";
  for (int k = 0; k < 30'000; ++k)
    ticks += std::to_string(k % 600) + ",w" + std::to_string(k % 10'007) + ",l" +
             std::to_string((k / 600 + k) % 5) + "\n";
  write("ticks.csv", ticks);
  open("ticks.csv");
  begin();
  const json some = get("/api/annotators?from=10000&most=50");
  EXPECT_EQ(some["total"], 10'007);
  EXPECT_EQ(some["annotators"].size(), 7U);
  EXPECT_EQ(some["annotators"][0]["labels"].size(), 5U);
  EXPECT_EQ(get("/api/overview")["annotators"].size(), 30U);
  close();
}

TEST_F(OpenVerb, a_text_of_50_megabytes_is_cut_where_it_is_shown) {
  std::string rows = "id,text,labels\n";
  for (int k = 0; k < 40; ++k)
    rows += "r" + std::to_string(k) + (k % 2 == 0 ? ",a boat,sea\n" : ",some snow,hill\n");
  std::string longest;
  while (longest.size() < 50'000'000) longest += "boats and waves and ";
  write("rows.csv", rows + "long," + longest + ",sea\n");
  open(std::string("rows.csv --label-column labels --text-column text") + kQuick);
  begin();
  EXPECT_LT(get("/api/data").dump().size(), 10'000U);
  const json item = get("/api/item?reviewer=Ann&row=40&label=0");
  ASSERT_THAT(item["http"], HasSubstr("200"));
  EXPECT_LT(item.dump().size(), 1'000'000U);
  EXPECT_EQ(item["item"]["texts"][0]["cut"], true);
  close();
}

// Run by users.test_cli_as_another_user where the tests run as root.
TEST(OpenFilesOfOthers, a_folder_that_cannot_be_read_is_named) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempFolder folder;
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::none);
  const Ran ran = run_program({sieve_command(), "open", folder / "closed", "--no-open"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("closed"));
  EXPECT_THAT(ran.err, HasSubstr("permission"));
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace sieve::test
