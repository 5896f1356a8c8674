#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/streams.h"
#include "cli.h"
#include "labelsieve/data_io.h"
#include "review/decisions.h"

// Files that people hold, there and back.
namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> quick(std::vector<std::string> words) {
  for (const char* word : {"--method", "mlp", "--set", "epochs=1,members=1,depth=1"})
    words.emplace_back(word);
  return words;
}

class InAndOut : public Cli {
 protected:
  // Three annotators of 30 sentences, in batches as Mechanical Turk exports them.
  void write_batches() const {
    for (int batch = 0; batch < 3; ++batch) {
      std::string text = "\"HITId\",\"AssignmentId\",\"WorkerId\",\"Input.sentence\",";
      text += batch == 2 ? "\"Answer.topic\",\"Approve\",\"Reject\"\n" : "\"Answer.topic\"\n";
      for (int i = 0; i < 10; ++i)
        for (const char* worker : {"ann", "bob", "cy"})
          text +=
              fmt::format("\"h{0}{1}\",\"a{0}{1}{2}\",\"{2}\",\"{3} of sentence {0}{1}\",\"{4}\"\n",
                          batch, i, worker, i % 2 == 0 ? "waves at the sea" : "leaves in the wood",
                          (i % 2 == 0) != (i == 7 && worker[0] == 'c') ? "sea" : "wood");
      write(fmt::format("batch {}.csv", batch), text);
    }
  }
  void expect_all_batches(const Ran& ran) const {
    ASSERT_EQ(ran.code, 0) << ran.err;
    const json summary = json::parse(ran.out);
    EXPECT_EQ(summary["rows"], 30);
    EXPECT_EQ(summary["votes"]["annotations"], 90) << ran.out;
  }
};

TEST_F(InAndOut, annotations_come_as_a_pattern_repeated_flags_or_what_a_shell_makes_of_one) {
  write_batches();
  expect_all_batches(sieve({"inspect", "--json", "--annotations", "batch*.csv"}));
  expect_all_batches(sieve({"inspect", "--json", "--annotations", "batch 0.csv", "--annotations",
                            "batch 1.csv", "--annotations", "batch 2.csv"}));
  expect_all_batches(sieve({"inspect", "--json", "--annotations", "batch 0.csv,batch [12].csv"}));
  expect_all_batches(
      sieve({"inspect", "--annotations", "batch 0.csv", "batch 1.csv", "batch 2.csv", "--json"}));
}

TEST_F(InAndOut, a_file_that_two_patterns_match_is_read_once) {
  write_batches();
  const Ran ran = sieve({"inspect", "--json", "--annotations", "batch*.csv,./batch 1.csv"});
  expect_all_batches(ran);
  EXPECT_THAT(ran.err, HasSubstr("./batch 1.csv is given twice and read once"));
}

TEST_F(InAndOut, a_name_with_a_comma_is_one_file) {
  write("a,b.csv", "item,annotator,label\nx,ann,sea\n");
  EXPECT_EQ(sieve({"inspect", "--annotations", "a,b.csv"}).code, 0);
}

TEST_F(InAndOut, a_pattern_without_a_match_is_refused_by_name) {
  const Ran ran = sieve({"inspect", "--annotations", "none*.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("none*.csv"), HasSubstr("no file matches")));
}

TEST_F(InAndOut, data_behind_annotations_stays_data) {
  write("ticks.csv", "item,annotator,label\nx,ann,sea\ny,ann,wood\n");
  write("data.csv", "item,size\nx,1\ny,2\n");
  const Ran ran = sieve({"inspect", "--json", "--annotations", "ticks.csv", "data.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["features"], 1);
}

TEST_F(InAndOut, two_files_of_one_name_with_other_columns_are_not_mixed_up) {
  std::filesystem::create_directories(folder_ / "a");
  std::filesystem::create_directories(folder_ / "b");
  write("a/all.csv", "item,annotator,label\nx,ann,sea\n");
  write("b/all.csv", "document,rater,tags\ny,bob,wood\n");
  const Ran ran = sieve({"inspect", "--json", "--annotations", "*/all.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["rows"], 2);
  write("b/all.csv", "size,colour\n1,red\n");
  const Ran other = sieve({"inspect", "--json", "--annotations", "*/all.csv"});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("b/all.csv"));
}

TEST_F(InAndOut, sentences_in_an_export_are_its_data) {
  write_batches();
  const Ran ran = sieve(quick({"clean", "--annotations", "batch*.csv", "--out", "cleaned.csv"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("those in 'Input.sentence' of the annotations"));
  EXPECT_THAT(read("cleaned.csv"),
              StartsWith("id,Input.sentence,label:sea,label:wood\nh00,waves at the sea of "
                         "sentence 00,1,0\n"));
  EXPECT_EQ(sieve(quick({"train", "--annotations", "batch*.csv", "--text-column", "Input.sentence",
                         "--out", "m.model"}))
                .code,
            0);
  const Ran wrong =
      sieve(quick({"clean", "--annotations", "batch*.csv", "--text-column", "Input.sentense"}));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("Input.sentence"));
}

TEST_F(InAndOut, a_cleaned_table_is_the_table_with_other_labels) {
  std::string table = "priority;ticket_id;text;tags\r\n";
  for (int i = 0; i < 40; ++i)
    table += fmt::format("0{};T-{};\"say \"\"{}\"\"; again {}\";{}\r\n", i % 3, i,
                         i % 2 == 0 ? "waves" : "leaves", i, i % 2 == 0 ? "sea" : "wood");
  write("tickets.csv", table);
  const Ran ran =
      sieve(quick({"clean", "tickets.csv", "--label-column", "tags", "--label-separator", "|",
                   "--text-column", "text", "--threshold", "0", "--out", "cleaned.csv"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("cleaned.csv"), table);
  ASSERT_EQ(sieve({"split", "tickets.csv", "--label-column", "tags", "--text-column", "text",
                   "--out", "part"})
                .code,
            0);
  std::vector<std::string> lines, parts;
  const auto take = [](const std::string& text, std::vector<std::string>& into) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) into.push_back(line);
  };
  take(table, lines);
  take(read("part-train.csv"), parts);
  take(read("part-test.csv"), parts);
  std::erase(parts, lines.front());
  lines.erase(lines.begin());
  EXPECT_THAT(parts, ::testing::UnorderedElementsAreArray(lines));
}

// ---- decisions

class Decisions : public Cli {
 protected:
  Decisions() {
    std::string rows = "ticket,size,label:sun,label:sea\n";
    for (int i = 0; i < 40; ++i) rows += fmt::format("t{},{},{},{}\n", i, i, i % 2, (i + 1) % 2);
    write("rows.csv", rows);
    const Dataset data = read_dataset({folder_ / "rows.csv"}, options());
    DecisionLog log(folder_ / "d.db", data);
    for (const Choice& choice : {Choice{{1, 0}, false, 0.25}, Choice{{2, 0}, true, 0.5}}) {
      DecisionLine line;
      line.reviewer = "rita@example.org";
      line.note = "not at all";
      line.nonce = std::to_string(choice.at.row);
      line.choices = {choice};
      log.add(line);
    }
  }
  static ReadOptions options() {
    ReadOptions options;
    options.id_column = "ticket";
    return options;
  }
};

TEST_F(Decisions, have_the_last_word_when_labels_are_cleaned) {
  const Ran ran =
      sieve(quick({"clean", "rows.csv", "--id-column", "ticket", "--threshold", "0", "--decisions",
                   "d.db", "--out", "out.csv", "--with", "was,decided_by,note"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(
      read("out.csv"),
      StartsWith("ticket,size,label:sun,label:sea,was:sun,was:sea,decided_by:sun,decided_by:sea,"
                 "note:sun,note:sea\n"
                 "t0,0,0,1,0,1,,,,\n"
                 "t1,1,0,0,1,0,rita@example.org,,not at all,\n"
                 "t2,2,1,1,0,1,rita@example.org,,not at all,\n"));
}

// Whatever is written: the verbs do not know of packing.
TEST_F(Decisions, outputs_named_gz_are_packed) {
  std::string votes = "item,annotator,label\n";
  for (int i = 0; i < 40; ++i)
    for (const char* who : {"ann", "bob"})
      votes += fmt::format("t{},{},{}\n", i, who, i % 2 == 0 ? "sea" : "sun");
  write("votes.csv", votes);
  const std::vector<std::string> votes_only = {"--annotations", "votes.csv"};
  const std::vector<std::string> rows = {"rows.csv", "--id-column", "ticket"};
  struct Case {
    std::vector<std::string> words;
    std::string flag, name;
  };
  for (const Case& one : std::vector<Case>{
           {quick({"clean"}), "--suspects", "s.csv"},
           {quick({"clean"}), "--missing", "m.csv"},
           {quick({"clean", "--annotations", "votes.csv", "--to", "label-studio"}), "--out",
            "ls.json"},
           {quick({"clean", "--annotations", "votes.csv", "--to", "long"}), "--out", "l.csv"},
           {{"review", "export", "--decisions", "d.db"}, "--list", "list.jsonl"},
           {{"review", "export", "--decisions", "d.db", "--annotations", "votes.csv"},
            "--annotations-out",
            "back.csv"},
           {{"review", "export", "--decisions", "d.db"}, "--label-studio", "tasks.json"},
           {{"review", "export", "--decisions", "d.db"}, "--report", "report.html"},
           {{"audit", "--budget", "10"}, "--list", "audit.csv"},
           {{"split"}, "--indices", "parts.json"},
           {{"annotators", "--annotations", "votes.csv"}, "--report", "annotators.html"},
           {{"agree", "--annotations", "votes.csv"}, "--report", "agree.html"},
           {{"aggregate", "--annotations", "votes.csv"}, "--out", "likely.csv"}}) {
    std::vector<std::string> words = one.words;
    words.insert(words.end(), rows.begin(), rows.end());
    const auto run = [&](const std::string& name) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {one.flag, name});
      const Ran ran = sieve(all);
      EXPECT_EQ(ran.code, 0) << one.flag << ": " << ran.err;
    };
    run(one.name);
    run(one.name + ".gz");
    const std::string packed = read(one.name + ".gz");
    ASSERT_TRUE(packed.starts_with("\x1f\x8b")) << one.name;
    const std::string path = folder_ / (one.name + ".gz");
    EXPECT_EQ(read_all(*open_unpacked(FileSystem::real(), path), 1U << 30, path), read(one.name))
        << one.name;
  }
  const Ran ran =
      sieve({"audit", "rows.csv", "--id-column", "ticket", "--answers", "audit.csv.gz"});
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("audit.csv.gz"))) << "it is read as it was written";
}

// However little there is room for, an output is the old one or the new one as a whole.
TEST_F(Decisions, outputs_without_room_are_old_or_new) {
  std::string votes = "item,annotator,label\n";
  for (int i = 0; i < 40; ++i)
    for (const char* who : {"ann", "bob"})
      votes += fmt::format("t{},{},{}\n", i, who, i % 2 == 0 ? "sea" : "sun");
  write("votes.csv", votes);
  const std::vector<std::string> rows = {"rows.csv", "--id-column", "ticket", "--force"};
  const auto with_rows = [&](std::vector<std::string> words) {
    words.insert(words.end(), rows.begin(), rows.end());
    return words;
  };
  ASSERT_EQ(sieve(with_rows({"audit", "--budget", "10", "--list", "cells.csv"})).code, 0);
  std::string cells = read("cells.csv");
  for (std::size_t at = 0; (at = cells.find(",,", at)) != cells.npos; at += 3)
    cells.replace(at, 2, ",1,");
  write("cells.csv", cells);
  struct Case {
    std::vector<std::string> words;
    std::string name;
  };
  for (const Case& one : std::vector<Case>{
           {quick({"clean", "--out", "o.xlsx"}), "o.xlsx"},
           {{"split", "--out", "p", "--to", "xlsx"}, "p-train.xlsx"},
           {quick(
                {"clean", "--annotations", "votes.csv", "--to", "label-studio", "--out", "o.json"}),
            "o.json"},
           {quick({"clean", "--annotations", "votes.csv", "--to", "long", "--out", "o.csv"}),
            "o.csv"},
           {{"review", "export", "--decisions", "d.db", "--annotations", "votes.csv",
             "--annotations-out", "back.csv.gz"},
            "back.csv.gz"},
           {{"inspect", "--roles", "r.toml"}, "r.toml"},
           {{"audit", "--budget", "10", "--list", "l.csv"}, "l.csv"},
           {{"audit", "certificate", "--answers", "cells.csv", "--out", "c.json"}, "c.json"}}) {
    const std::vector<std::string> words = with_rows(one.words);
    ASSERT_EQ(sieve(words).code, 0) << one.name << sieve(words).err;
    const std::string whole = read(one.name);
    std::string command = shell_quoted(sieve_command());
    for (const std::string& word : words) command += " " + shell_quoted(word);
    bool failed = false;
    for (const int kilobytes : {0, 1, 4, 16}) {
      write(one.name, "older");
      const Ran ran = run_program(
          {"bash", "-c", fmt::format("ulimit -f {}; trap '' XFSZ; exec {}", kilobytes, command)},
          {.folder = folder_.path()});
      const std::string now = read(one.name);  // certificates say when they were made
      EXPECT_TRUE(ran.code == 0 ? now.size() == whole.size() : now == "older")
          << one.name << " " << kilobytes;
      EXPECT_THAT(ran.code, ::testing::AnyOf(0, 5)) << ran.err;
      failed |= ran.code != 0;
      for (const std::string& name : FileSystem::real().list(folder_.path()))
        EXPECT_EQ(name.find(".part-"), name.npos) << name;
    }
    EXPECT_TRUE(failed) << one.name;
  }
}

TEST_F(Decisions, columns_beside_labels_come_in_every_table_and_nowhere_else) {
  for (const char* name : {"out.xlsx", "part.xlsx"}) {
    const bool whole = name[0] == 'o';  // a workbook of all that was found
    const Ran ran =
        whole ? sieve(quick({"clean", "rows.csv", "--id-column", "ticket", "--threshold", "0",
                             "--decisions", "d.db", "--out", name, "--with", "was,decided_by"}))
              : sieve({"review", "export", "rows.csv", "--id-column", "ticket", "--decisions",
                       "d.db", "--out", name, "--with", "was,decided_by"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Ran back =
        sieve({"convert", name, std::string(name) + ".csv", "--sheet", whole ? "labels" : "data",
               "--id-column", "ticket", "--label-names", "label:sun,label:sea", "--category-column",
               "decided_by:sun,decided_by:sea"});
    ASSERT_EQ(back.code, 0) << back.err;
    EXPECT_THAT(read(std::string(name) + ".csv"),
                AllOf(StartsWith("id,size,was:sun,was:sea,decided_by:sun,decided_by:sea,"),
                      HasSubstr("\nt1,1,1,0,rita@example.org,,0,0\n")));
  }
  write("votes.csv", "item,annotator,label\nt1,ann,sea\nt2,bob,sun\n");
  const Ran ran = sieve(quick({"clean", "rows.csv", "--id-column", "ticket", "--annotations",
                               "votes.csv", "--to", "long", "--out", "l.csv", "--with", "was"}));
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--with adds columns to a table, and 'long' is none"));
}

TEST_F(Decisions, say_what_becomes_of_labels_that_nobody_decided) {
  const auto exported = [&](const std::string& undecided) {
    const Ran ran =
        sieve(quick({"review", "export", "rows.csv", "--id-column", "ticket", "--decisions", "d.db",
                     "--undecided", undecided, "--out", undecided + ".csv"}));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return read(undecided + ".csv");
  };
  const std::string head = "ticket,size,label:sun,label:sea\n";
  EXPECT_THAT(exported("keep"), StartsWith(head + "t0,0,0,1\nt1,1,0,0\nt2,2,1,1\nt3,3,1,0\n"));
  EXPECT_EQ(exported("drop"), head + "t1,1,0,0\n") << "a row with an undecided tick is left out";
  EXPECT_THAT(exported("machine"), AllOf(HasSubstr("\nt1,1,0,"), HasSubstr("\nt2,2,1,")));
}

// ---- Label Studio

class Studio : public Cli {
 protected:
  Studio() {
    json tasks = json::array();
    for (int i = 0; i < 30; ++i) {
      json annotations = json::array();
      for (int who = 1; who <= 3; ++who)
        annotations.push_back(
            {{"id", 100 * i + who},
             {"completed_by", who},
             {"lead_time", 1.5},
             {"result",
              {{{"id", "r"},
                {"from_name", "topic"},
                {"to_name", "text"},
                {"type", "choices"},
                {"value", {{"choices", {i % 2 == 0 || who == 3 ? "sea" : "wood"}}}}}}}});
      tasks.push_back({{"id", i + 7},
                       {"data", {{"text", fmt::format("a text about number {}", i)}, {"n", i}}},
                       {"meta", {{"source", "é"}}},
                       {"annotations", annotations}});
    }
    tasks[0]["predictions"] = json::array({{{"model_version", "old"}, {"result", json::array()}}});
    write("tasks.json", tasks.dump(2));
    ReadOptions options;
    options.ticks.path = folder_ / "tasks.json";
    const Dataset data = read_dataset({}, options);
    const auto label = [&](const char* name) {
      return static_cast<std::uint32_t>(std::ranges::find(data.label_names, name) -
                                        data.label_names.begin());
    };
    DecisionLog log(folder_ / "d.db", data);
    int nonce = 0;
    for (const auto& [who, on] : {std::pair("rita@example.org", true), std::pair("3", false)}) {
      DecisionLine line;
      line.reviewer = who;
      line.nonce = std::to_string(++nonce);
      line.choices = {{{1, label("sea")}, on, 0.5}};
      log.add(line);
    }
  }

  // What the importer of Label Studio asks of a file (label_studio/tasks/serializers.py and
  // validation.py; of predictions label_interface/interface.py of its SDK), and that nothing is
  // lost.
  void expect_valid(const std::string& name) const {
    const json before = json::parse(read("tasks.json")), after = json::parse(read(name));
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (const char* key : {"id", "data", "meta"}) EXPECT_EQ(after[i][key], before[i][key]);
      const json &old = before[i]["annotations"], &now = after[i]["annotations"];
      ASSERT_GE(now.size(), old.size());
      for (std::size_t k = 0; k < now.size(); ++k) {
        if (k < old.size()) EXPECT_EQ(now[k], old[k]);
        expect_annotation(now[k]);
        // It is true unless the file says otherwise.
        if (k >= old.size()) EXPECT_EQ(now[k]["ground_truth"], false);
      }
      for (const json& one : after[i].value("predictions", json::array())) expect_prediction(one);
    }
  }
  // A number or an address: any other value refuses the whole file.
  static void expect_annotation(const json& annotation) {
    const json& by = annotation["completed_by"];
    EXPECT_TRUE(by.is_number_integer() || (by.is_object() && by["email"].is_string())) << by;
    expect_results(annotation["result"]);
  }
  static void expect_prediction(const json& prediction) {
    EXPECT_TRUE(prediction["model_version"].is_string());
    const double score = prediction.value("score", 0.0);
    EXPECT_TRUE(score >= 0 && score <= 1) << score;
    expect_results(prediction["result"]);
  }
  // Regions that the project knows: its question, its text, its choices, and at least one.
  static void expect_results(const json& results) {
    ASSERT_TRUE(results.is_array());
    for (const json& one : results) {
      EXPECT_EQ(one["from_name"], "topic");
      EXPECT_EQ(one["to_name"], "text");
      EXPECT_EQ(one["type"], "choices");
      EXPECT_FALSE(one["value"]["choices"].empty());
      for (const json& choice : one["value"]["choices"])
        EXPECT_TRUE(choice == "sea" || choice == "wood") << choice;
    }
  }
};

TEST_F(Studio, a_project_comes_back_with_decisions_under_the_names_of_those_who_made_them) {
  const Ran ran = sieve({"review", "export", "--annotations", "tasks.json", "--decisions", "d.db",
                         "--label-studio", "out.json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_valid("out.json");
  const json task = json::parse(read("out.json"))[1];
  ASSERT_EQ(task["annotations"].size(), 5U);
  EXPECT_EQ(task["annotations"][3]["completed_by"], 3);
  EXPECT_TRUE(task["annotations"][3]["result"].empty());
  EXPECT_EQ(task["annotations"][4]["completed_by"]["email"], "rita@example.org");
  EXPECT_EQ(task["annotations"][4]["result"][0]["value"]["choices"], json({"sea"}));
  EXPECT_EQ(task["predictions"][0]["model_version"], "not reviewed");
  const std::string before = read("tasks.json"), after = read("out.json");
  EXPECT_EQ(after.substr(0, 1000), before.substr(0, 1000)) << "other tasks stay to the byte";
  EXPECT_EQ(after.substr(after.size() - 5000), before.substr(before.size() - 5000));
}

TEST_F(Studio, labels_of_the_machine_are_predictions_with_score_and_version) {
  const Ran ran = sieve(quick({"clean", "--annotations", "tasks.json", "--decisions", "d.db",
                               "--to", "label-studio", "--out", "out.json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_valid("out.json");
  const json tasks = json::parse(read("out.json"));
  EXPECT_EQ(tasks[0]["annotations"].size(), 3U) << "nobody decided it";
  EXPECT_EQ(tasks[0]["predictions"].size(), 2U);
  const json& mine = tasks[0]["predictions"][1];
  EXPECT_THAT(mine["model_version"].get<std::string>(), HasSubstr("mlp"));
  EXPECT_GE(mine["score"], 0);
  EXPECT_LE(mine["score"], 1);
  EXPECT_EQ(tasks[1]["annotations"].size(), 5U);
}

TEST_F(Studio, reads_what_it_wrote) {
  ASSERT_EQ(sieve({"review", "export", "--annotations", "tasks.json", "--decisions", "d.db",
                   "--label-studio", "out.json"})
                .code,
            0);
  const Ran ran = sieve({"inspect", "--annotations", "out.json", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["votes"]["annotations"], 91) << "3 looked at it twice";
}

// ---- real exports

std::vector<std::string> records_of(const std::string& path) {
  std::istringstream in(read_all(*open_unpacked(FileSystem::real(), path), 1U << 30, path));
  std::vector<std::string> records;
  bool open = false;
  for (std::string line; std::getline(in, line); open ^= std::ranges::count(line, '"') % 2 == 1)
    open ? records.back() += line + "\n" : records.emplace_back(line + "\n");
  return records;
}

// How many rows have each label, and how many annotations there are.
std::map<std::string, std::size_t> counts_of(const std::string& text) {
  const json found = json::parse(text);
  std::map<std::string, std::size_t> counts = {{"annotations", found["votes"]["annotations"]},
                                               {"rows", found["rows"]}};
  for (const json& label : found["per_label"])
    counts[label["name"].get<std::string>()] += label["candidates"].get<std::size_t>();
  return counts;
}

class ManyFiles : public InAndOut, public ::testing::WithParamInterface<bool> {};

TEST_P(ManyFiles, of_real_exports_say_what_the_exports_do) {
  REQUIRE_DATA_FOLDER(data);
  std::map<std::string, std::size_t> expected;
  for (const auto& [name, count] : {std::pair("mturk", 18), std::pair("crowdflower", 50)}) {
    const std::string path = *data + "/relex/export-" + name + ".csv.gz";
    const std::vector<std::string> all = records_of(path);
    std::vector<std::string> parts(static_cast<std::size_t>(count), all.front());
    for (std::size_t i = 1; i < all.size(); ++i)
      parts[GetParam() ? i % parts.size() : (i - 1) * parts.size() / (all.size() - 1)] += all[i];
    for (std::size_t part = 0; part < parts.size(); ++part)
      write(fmt::format("{}{}.csv", name, part), parts[part]);
    const Ran one = sieve({"inspect", "--json", "--annotations", path});
    ASSERT_EQ(one.code, 0) << one.err;
    for (const auto& [what, times] : counts_of(one.out)) expected[what] += times;
  }
  const Ran ran =
      sieve({"inspect", "--json", "--annotations", "mturk*.csv", "--annotations", "crowd*.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(counts_of(ran.out), expected);
}

INSTANTIATE_TEST_SUITE_P(Cut, ManyFiles, ::testing::Bool(), [](const auto& info) {
  return info.param ? "in_turn" : "one_after_the_other";
});

TEST_F(InAndOut, relex_is_read_in_one_attempt_and_an_export_of_it_is_hardly_larger) {
  REQUIRE_DATA_FOLDER(data);
  const std::string texts = *data + "/relex/texts.csv.gz",
                    judgments = *data + "/relex/judgments.csv.gz";
  ReadOptions options;
  options.ticks.path = judgments;
  options.ticks.keep_unseen = true;
  const Dataset rows = read_dataset({texts}, options);
  { const DecisionLog log(folder_ / "d.db", rows); }
  const Ran ran = sieve({"review", "export", texts, "--annotations", judgments, "--decisions",
                         "d.db", "--out", "out.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string before = read_all(*open_unpacked(FileSystem::real(), texts), 1U << 30, texts);
  EXPECT_LE(static_cast<double>(read("out.csv").size()), 1.2 * static_cast<double>(before.size()));
}

TEST_F(InAndOut, repeated_answers_of_several_platforms_go_by_the_times_of_each) {
  write("cf.csv",
        "_unit_id,_worker_id,_created_at,topic\n1,w1,7/11/2014 23:53:21,[sea]\n"
        "1,w1,7/11/2014 22:00:00,[wood]\n2,w2,7/12/2014 00:04:01,[wood]\n");
  write("mturk.csv",
        "HITId,AssignmentId,WorkerId,SubmitTime,Answer.topic\n"
        "h1,a1,w1,Sun Oct 08 11:17:09 PDT 2017,sea\nh1,a2,w1,Mon Oct 09 04:05:45 PDT 2017,wood\n");
  const Ran ran = sieve({"inspect", "--json", "--annotations", "*.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(counts_of(ran.out), (std::map<std::string, std::size_t>{
                                    {"annotations", 3}, {"rows", 3}, {"sea", 1}, {"wood", 2}}));
  EXPECT_THAT(ran.err, HasSubstr("the last by '_created_at' or 'SubmitTime' counts"));
}

TEST_F(InAndOut, a_sheet_of_three_raters_needs_no_names_of_columns_that_are_known) {
  std::string rows = ",comment_id,reader,emotion\n";
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("{},c{},r{},{}\n", i, i / 3, i % 3, i / 4 % 2 == 0 ? "joy" : "anger");
  write("rated.csv", rows);
  const Ran ran = sieve({"inspect", "--json", "--annotations", "rated.csv", "--roles", "r.toml"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("r.toml"),
              AllOf(HasSubstr("'comment_id' = 'id'"), HasSubstr("'reader' = 'annotator'"),
                    HasSubstr("'emotion' = 'labels'")));
  const Ran by_roles =
      sieve({"aggregate", "--annotations", "rated.csv", "--roles", "r.toml", "--out", "a.csv"});
  EXPECT_EQ(by_roles.code, 0) << by_roles.err;
}

// The commands that a refusal shows, one behind each ": ".
std::vector<std::string> commands_in(const std::string& text) {
  std::vector<std::string> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(": sieve "); at != line.npos)
      commands.push_back(line.substr(at + 8));
  return commands;
}

TEST_F(InAndOut, data_without_a_word_about_labels_get_commands_for_what_they_may_be) {
  write("yes no.csv", "id,width,broken,bent\na,1,yes,no\nb,2,no,No\nc,3,yes,yes\nd,4,no,yes\n");
  Ran ran = sieve({"inspect", "yes no.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(commands_in(ran.err),
              ::testing::ElementsAre("inspect 'yes no.csv' --label-names broken,bent"));
  EXPECT_EQ(sieve({"inspect", "yes no.csv", "--label-names", "broken,bent"}).code, 0);
  write("tags.csv", "ticket id,Tags,size\nt1,sea;wood,1\nt2,sea,2\nt3,wood,3\nt4,sea,4\n");
  ran = sieve({"clean", "tags.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(commands_in(ran.err), ::testing::ElementsAre("clean tags.csv --label-column Tags "
                                                           "--label-separator ';'"));
  write("numbers.csv", "a,b\n1.5,2\n2.5,3\n");
  ran = sieve({"inspect", "numbers.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("say it with --label-names"));
  ran = sieve({"inspect", "-"}, {.input = "id,broken\na,yes\nb,no\n"});
  EXPECT_EQ(ran.code, 3) << "a pipe is not read twice";
}

TEST_F(InAndOut, answers_with_blanks_can_be_copied_to_a_shell) {
  write("form.csv",
        "Item,Who are you?,Which topic? (choose)\ni1,ann b,sea\ni1,bob c,sea\ni2,ann b,wood\n"
        "i2,bob c,sea\ni3,ann b,wood\ni3,bob c,wood\n");
  const Ran ran = sieve({"inspect", "--annotations", "form.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("--annotation-label-column 'Which topic? (choose)'"));
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("column Which")));
}

TEST_F(InAndOut, utf_16_is_refused_with_a_command_that_mends_it) {
  write("sheet 1.csv", std::string("\xFF\xFEi\0d\0", 6));
  const Ran ran = sieve({"inspect", "sheet 1.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("iconv -f UTF-16 -t UTF-8 'sheet 1.csv' > utf8.csv"));
}

// ---- tables with the labels of a model

class PredictedTable : public Cli {
 protected:
  PredictedTable() {
    std::string rows = "ticket_id;\"text\";size;tags\r\n";
    for (int i = 0; i < 40; ++i)
      rows += fmt::format("T-{};\"{} of {}\";0{};{}\r\n", i,
                          i % 2 == 0 ? "waves at the sea" : "leaves in the wood", i, i % 3,
                          i % 2 == 0 ? "sea" : "wood");
    write("rows.csv", rows);
    const Ran ran =
        sieve({"train", "rows.csv", "--label-column", "tags", "--text-column", "text", "--out", "m",
               "--method", "mlp", "--set", "epochs=40,members=1,depth=0"});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
};

TEST_F(PredictedTable, is_the_table_with_labels_of_the_model_in_its_own_words) {
  const Ran ran = sieve({"predict", "m", "rows.csv", "--label-column", "tags", "--kind", "table",
                         "--out", "out.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("out.csv"), read("rows.csv"));  // the model finds what it was trained on
}

TEST_F(PredictedTable, has_probabilities_where_scores_are_none) {
  std::string numbers = "a,b,label:x,label:y\n";
  for (int i = 0; i < 30; ++i) numbers += fmt::format("{},{},{},{}\n", i, i * i % 7, i % 2, i / 15);
  write("numbers.csv", numbers);
  ASSERT_EQ(sieve({"train", "numbers.csv", "--out", "linear", "--method", "pml-ni"}).code, 0);
  const Ran ran = sieve({"predict", "linear", "numbers.csv", "--kind", "table", "--with",
                         "probability", "--out", "out.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::istringstream lines(read("out.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "a,b,label:x,label:y,probability:x,probability:y");
  while (std::getline(lines, line)) {
    const double last = std::stod(line.substr(line.rfind(',') + 1));
    EXPECT_TRUE(last > 0 && last < 1) << line;
  }
}

TEST_F(PredictedTable, has_new_columns_where_there_were_no_labels) {
  write("new.csv",
        "ticket_id,text,size,mood\nA,\"waves, at the sea\",1,7\nB,leaves in the wood,2,8\n");
  const Ran ran = sieve(
      {"predict", "m", "new.csv", "--kind", "table", "--with", "probability", "--out", "out.csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read("out.csv"),
              AllOf(StartsWith("ticket_id,text,size,mood,label:sea,label:wood,probability:sea,"
                               "probability:wood\nA,\"waves, at the sea\",1,7,1,0,"),
                    HasSubstr("\nB,leaves in the wood,2,8,0,1,")));
  EXPECT_EQ(sieve({"predict", "m", "new.csv", "--kind", "table"}).code, 2);
}

}  // namespace
}  // namespace sieve::test
