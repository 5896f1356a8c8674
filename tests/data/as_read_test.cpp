#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/table_source.h"
#include "labelsieve/data_io.h"
#include "support/faulty_files.h"
#include "support/support.h"

// CSV and JSON lines that are written as they were read.
namespace sieve {
namespace {

using test::TempFolder;

using Change = std::function<void(Dataset&)>;

class AsRead : public ::testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text, const Change& change = {},
                      const std::string& to = {}) {
    test::write_file(folder_ / name, text);
    options_.keep_cells = true;
    Dataset data = read_dataset({folder_ / name}, options_);
    if (change) change(data);
    writing_.if_exists = IfExists::Replace;
    const std::string out = to.empty() ? "out-" + name : to;
    write(data, out);
    return test::read_file(folder_ / out);
  }
  void write(const Dataset& data, const std::string& to) {
    FileSet set;
    write_table(data, folder_ / to, writing_, table_, set);
    set.commit();
  }

  TempFolder folder_;
  ReadOptions options_;
  WriteOptions writing_;
  TableWriting table_{.as_read = true};
};

struct Case {
  std::string name, text;
  std::function<void(ReadOptions&)> options{};
};

class Unchanged : public AsRead, public ::testing::WithParamInterface<Case> {};

TEST_P(Unchanged, comes_back_to_the_byte) {
  if (GetParam().options) GetParam().options(options_);
  EXPECT_EQ(written(GetParam().name, GetParam().text), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Unchanged,
    ::testing::Values(
        Case{"plain.csv", "x,label:a,label:b\n1,1,0\n2,0,1\n"},
        Case{"order.csv", "label:a,ticket_id,text,label:b\n1,t1,one two,0\n0,t2,three four,1\n"},
        Case{"quotes.csv",
             "\"ticket_id\",\"text\",\"label:a\"\r\n\"t1\",\"say \"\"hi\"\", you\",\"1\"\r\n"
             "\"t2\",\"two\r\nlines\",\"0\"\r\n"},
        Case{"mark.csv", "\xEF\xBB\xBFx,label:a\n1,1\n2,0\n"},
        Case{"blank.csv", "\nx,label:a\n\n 1 , 1 \n \n2,0\n\n"},
        Case{"open.csv", "x,label:a\n1,1\n2,0"}, Case{"semicolon.csv", "x;label:a\n1;1\n2;0\n"},
        Case{"tabs.tsv", "x\tlabel:a\n1\t1\n\t0\n"},
        Case{"numbers.csv", "1,0.50,1\n2,007,0\n", [](ReadOptions& o) { o.labels.count = -1; }},
        Case{"words.csv", "x,a,b\n1,yes,True\n2,no,False\n",
             [](ReadOptions& o) {
               o.labels.names = {"a", "b"};
             }},
        Case{"signs.csv", "x,y_a,y_b\n1,-1,1\n2,1,-1\n",
             [](ReadOptions& o) { o.labels.prefix = "y_"; }},
        Case{"both.csv", "x,candidate:a,truth:a\n1,1,0\n2,1,1\n"},
        Case{"truth.csv", "x,truth:a\n1,1\n2,0\n"},
        Case{"list.csv", "x,tags\n1,b; a\n2,\n3,a\n",
             [](ReadOptions& o) { o.labels.column = "tags"; }},
        Case{"python.csv", "x,tags\n1,\"['b', 'a']\"\n2,[]\n3,['a']\n",
             [](ReadOptions& o) { o.labels.column = "tags"; }},
        Case{"gaps.csv", "id,x,c,label:a\nr1,,red,1\nr2,NA,red,0\nr3,3,red,0\n"},
        Case{"rows.jsonl",
             "{\"id\": \"r1\", \"x\": 1.50, \"labels\": [\"b\", \"a\"]}\n"
             "{\"id\": \"r2\", \"x\": null, \"labels\": []}\n"},
        Case{"nested.jsonl",
             "{\"label:a\":true,\"v\":[1,2.0],\"label:b\":0,\"t\":\"\\u00e9 a { b c\"}\r\n\n"
             "{\"v\":[3,4],\"label:a\":false,\"label:b\":1,\"t\":\"so ] so\"}"},
        Case{"vector.jsonl", "{\"x\":1,\"y\":[1, 0]}\n{\"x\":2,\"y\":[0, 1]}\n",
             [](ReadOptions& o) { o.labels.prefix = "y["; }}),
    [](const auto& info) {
      return info.param.name.substr(0, info.param.name.find('.')) +
             info.param.name.substr(info.param.name.find('.') + 1);
    });

TEST_F(AsRead, a_label_that_changed_is_all_that_differs) {
  options_.table.text = {"say, so"};
  EXPECT_EQ(written("x.csv", "label:a,ticket_id,\"say, so\"\r\n1 ,t1,\"x\"\r\n\"0\",t2,\"y\"\r\n",
                    [](Dataset& data) {
                      data.candidates.set(0, 0, false);
                      data.candidates.set(1, 0, true);
                    }),
            "label:a,ticket_id,\"say, so\"\r\n0 ,t1,\"x\"\r\n\"1\",t2,\"y\"\r\n");
}

TEST_F(AsRead, labels_keep_the_words_of_their_column) {
  options_.labels.names = {"a", "b", "c"};
  const Change all = [](Dataset& data) {
    for (std::size_t k = 0; k < 3; ++k) data.candidates.set(0, k, !data.candidates.get(0, k));
  };
  EXPECT_EQ(written("x.csv", "x,a,b,c\n1,yes,1,False\n2,no,-1,False\n", all),
            "x,a,b,c\n1,no,-1,True\n2,no,-1,False\n");
}

TEST_F(AsRead, lists_lose_and_gain_labels_in_their_own_style) {
  options_.labels.column = "tags";
  const Change swap = [](Dataset& data) {
    data.candidates.set(0, 1, false);  // b
    data.candidates.set(1, 0, true);   // a
  };
  EXPECT_EQ(written("x.csv", "x,tags\n1,b; a\n2,\n", swap), "x,tags\n1,a\n2,a\n");
  EXPECT_EQ(written("x.csv", "x,tags\n1,\"['b', 'a']\"\n2,['b']\n", swap),
            "x,tags\n1,\"['a']\"\n2,\"['b', 'a']\"\n");
  EXPECT_EQ(written("x.csv", "x,tags\n1,\"[7, 3]\"\n2,[7]\n", swap),
            "x,tags\n1,\"[3]\"\n2,\"[7, 3]\"\n");
  EXPECT_EQ(written("x.jsonl", "{\"tags\": [\"b\", \"a\"], \"x\": 1}\n{\"x\": 2}\n", swap),
            "{\"tags\": [\"a\"], \"x\": 1}\n{\"x\": 2, \"tags\": [\"a\"]}\n");
  EXPECT_EQ(written("x.jsonl", "{\"x\":1,\"tags\":\"b;a\"}\n{\"x\":2,\"tags\":\"\"}\n", swap),
            "{\"x\":1,\"tags\":\"a\"}\n{\"x\":2,\"tags\":\"a\"}\n");
  EXPECT_EQ(written("x.jsonl", "{\"x\":1,\"tags\":[7,3]}\n{\"x\":2,\"tags\":[7]}\n",
                    [](Dataset& data) {
                      data.candidates.set(0, 1, false);
                      data.candidates.set(1, 0, true);
                    }),
            "{\"x\":1,\"tags\":[3]}\n{\"x\":2,\"tags\":[7,3]}\n");
}

TEST_F(AsRead, json_values_change_in_place) {
  EXPECT_EQ(written("x.jsonl",
                    "{\"label:a\": true, \"x\": 1, \"label:b\": 1}\n"
                    "{\"label:a\": false, \"x\": 2, \"label:b\": 0}\n",
                    [](Dataset& data) {
                      data.candidates.set(0, 0, false);
                      data.candidates.set(1, 1, true);
                    }),
            "{\"label:a\": false, \"x\": 1, \"label:b\": 1}\n"
            "{\"label:a\": false, \"x\": 2, \"label:b\": 1}\n");
}

TEST_F(AsRead, some_rows_in_another_order_are_whole_lines) {
  options_.table.text = {"t"};
  const Change select = [](Dataset& data) {
    const std::vector<std::size_t> rows = {2, 0};
    data = data.select_rows(rows);
  };
  EXPECT_EQ(written("x.csv", "ticket_id,label:a,t\na,1,\"x\"\nb,0,y\nc,1,z", select),
            "ticket_id,label:a,t\nc,1,z\na,1,\"x\"\n");
}

TEST_F(AsRead, two_files_of_a_set_are_one) {
  test::write_file(folder_ / "a.csv", "ticket_id,label:a,x\nt1,1,007\n");
  test::write_file(folder_ / "b.csv", "ticket_id,label:a,x\nt2,0,8");
  options_.keep_cells = true;
  write(read_dataset({folder_ / "a.csv", folder_ / "b.csv"}, options_), "c.csv");
  EXPECT_EQ(test::read_file(folder_ / "c.csv"), "ticket_id,label:a,x\nt1,1,007\nt2,0,8");
}

TEST_F(AsRead, labels_of_annotations_are_new_columns) {
  test::write_file(folder_ / "a.csv",
                   "item,annotator,label\nt1,ann,sea\nt1,bob,sea\nt2,ann,\nt2,bob,wood\n");
  options_.ticks.path = folder_ / "a.csv";
  EXPECT_EQ(written("x.csv", "text,item\none two,t1\nthree four,t2\n"),
            "text,item,label:sea,label:wood\none two,t1,1,0\nthree four,t2,0,1\n");
  EXPECT_EQ(written("x.jsonl",
                    "{\"text\": \"one two\", \"item\": \"t1\"}\n"
                    "{\"text\": \"three four\", \"item\": \"t2\"}\n"),
            "{\"text\": \"one two\", \"item\": \"t1\", \"label:sea\": 1, \"label:wood\": 0}\n"
            "{\"text\": \"three four\", \"item\": \"t2\", \"label:sea\": 0, \"label:wood\": 1}\n");
}

TEST_F(AsRead, columns_beside_come_last) {
  table_.beside = {{"note", [](std::size_t row) { return row == 0 ? "a, b" : ""; }}};
  EXPECT_EQ(written("x.csv", "x,label:a\n1,1\n2,0\n"), "x,label:a,note\n1,1,\"a, b\"\n2,0,\n");
  EXPECT_EQ(written("x.jsonl", "{\"x\":1,\"label:a\":1}\n{\"x\":2,\"label:a\":0}\n"),
            "{\"x\":1,\"label:a\":1,\"note\":\"a, b\"}\n{\"x\":2,\"label:a\":0,\"note\":null}\n");
  EXPECT_EQ(written("x.csv", "x,label:a\n1,1\n2,0\n", {}, "x.jsonl"),
            "{\"x\":1,\"label:a\":1,\"note\":\"a, b\"}\n{\"x\":2,\"label:a\":0,\"note\":null}\n");
}

TEST_F(AsRead, another_format_keeps_the_name_of_the_ids) {
  EXPECT_EQ(written("x.csv", "ticket_id,x,label:a\nt1,1,1\nt2,2,0\n", {}, "y.jsonl"),
            "{\"ticket_id\":\"t1\",\"x\":1,\"label:a\":1}\n"
            "{\"ticket_id\":\"t2\",\"x\":2,\"label:a\":0}\n");
  EXPECT_EQ(written("x.tsv", "ticket_id\tx\tlabel:a\nt1\t1\t1\n", {}, "y.csv"),
            "ticket_id,x,label:a\nt1,1,1\n");
}

TEST_F(AsRead, labels_that_the_file_has_no_place_for_are_written_anew) {
  const Change noise = [](Dataset& data) {
    data.truth = data.candidates.clone();
    data.candidates.set(1, 0, true);
  };
  EXPECT_EQ(written("x.csv", "x,label:a\n1,1\n2,0\n", noise),
            "x,candidate:a,truth:a\n1,1,1\n2,1,0\n");
}

TEST_F(AsRead, packed_files_are_packed_again) {
  const std::string text = "x,label:a\n1,1\n2,0\n";
  EXPECT_NE(written("x.csv", text, {}, "y.csv.gz"), text);
  EXPECT_EQ(written("z.csv", text), text);
  Dataset data = read_dataset({folder_ / "y.csv.gz"}, options_);
  write(data, "again.csv");
  EXPECT_EQ(test::read_file(folder_ / "again.csv"), text);
}

TEST_F(AsRead, a_failing_disk_leaves_the_old_file_or_the_new_one) {
  const std::string text = "ticket_id,label:a\nt1,1\nt2,0\n";
  test::write_file(folder_ / "x.csv", text);
  options_.keep_cells = true;
  Dataset data = read_dataset({folder_ / "x.csv"}, options_);
  data.candidates.set(1, 0, true);
  writing_.if_exists = IfExists::Replace;
  for (std::size_t failing = 1;; ++failing) {
    test::write_file(folder_ / "y.csv", "before");
    test::FaultyFiles files(failing, true);
    writing_.files = &files;
    const std::string message = test::refusal([&] { write(data, "y.csv"); });
    const std::string after = test::read_file(folder_ / "y.csv");
    EXPECT_TRUE(after == "before" || after == "ticket_id,label:a\nt1,1\nt2,1\n") << after;
    for (const std::string& name : FileSystem::real().list(folder_.path()))
      EXPECT_EQ(name.find(".part-"), std::string::npos) << name;
    if (!message.empty()) continue;
    EXPECT_NE(after, "before");
    break;
  }
}

}  // namespace
}  // namespace sieve
