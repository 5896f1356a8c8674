#include <nlohmann/json.hpp>
#include <sstream>

#include "learning.h"

// From what people hold to predictions, without a line of glue.
namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Tables : public Cli {
 protected:
  static std::vector<std::string> words(const std::string& line) {
    std::istringstream cut(line);
    std::vector<std::string> out;
    for (std::string word; cut >> word;) out.push_back(word);
    return out;
  }
  Ran run(const std::string& line, const std::string& input = {}) const {
    return sieve(words(line), {.input = input});
  }
  // The label that comes first in a line of --kind top --to jsonl.
  static std::string best(const std::string& out, int row) {
    std::istringstream lines(out);
    std::string line;
    for (int i = 0; i <= row; ++i) std::getline(lines, line);
    return nlohmann::json::parse(line).at("labels").at(0).get<std::string>();
  }
};

// Reviews about food or about sound, with the words that give them away.
std::string review(int i, const std::string& quote) {
  static const char* kFood[] = {"tasty soup", "fresh bread and soup", "the bread was tasty"};
  static const char* kSound[] = {"loud bass", "clear bass, loud drums", "drums were clear"};
  const std::string text = i % 2 == 0 ? kFood[i / 2 % 3] : kSound[i / 2 % 3];
  return quote + "Number " + std::to_string(i) + ":\\n" + text + quote;
}

TEST_F(Tables, text_in_json_lines_trains_and_predicts) {
  std::string lines;
  for (int i = 0; i < 120; ++i)
    lines += "{\"text\": " + review(i, "\"") + ", \"labels\": [\"" +
             (i % 2 == 0 ? "food" : "sound") + "\"" + (i % 10 == 0 ? ", \"sound\"" : "") + "]}\n";
  write("reviews.jsonl", lines);
  const Ran trained =
      run("train reviews.jsonl --text-column text --method pml-ni --out m --validate 0.2");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("text: text with "));
  write("new.jsonl",
        "{\"text\": \"The SOUP? Tasty!\"}\n{\"text\": \"drums and bass\", \"stars\": 3}\n");
  const Ran ran = run("predict m new.jsonl --kind top --to jsonl");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(best(ran.out, 0), "food") << ran.out;
  EXPECT_EQ(best(ran.out, 1), "sound") << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("ignored 1 column the model does not use: stars"));
  // The same texts as CSV, one with a line end.
  write("new.csv", "text\n\"The SOUP?\nTasty!\"\ndrums and bass\n");
  EXPECT_EQ(run("predict m new.csv --kind top --to jsonl").out, ran.out);
  EXPECT_THAT(run("info m").out, HasSubstr("table     text: text with "));
  EXPECT_EQ(run("clean reviews.jsonl --text-column text --in-sample m --suspects s.csv").code, 0);
  EXPECT_EQ(run("report --model m --data reviews.jsonl --out r.html").code, 0);
}

TEST_F(Tables, a_csv_file_with_gaps_and_categories_trains_and_predicts) {
  std::string table = "age;colour;shop;label:a;label:b\n";
  for (int i = 0; i < 80; ++i)
    table += (i % 9 == 0 ? std::string("NA") : std::to_string(20 + i % 5) + ",5") + ";" +
             (i % 7 == 0   ? ""
              : i % 2 == 0 ? "red"
                           : "blue") +
             ";s" + std::to_string(i) + ";" + (i % 2 == 0 ? "1;0\n" : "0;1\n");
  write("people.csv", table);
  const Ran refused = run("train people.csv --decimal , --method pml-ni --out m");
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("column 'shop' is text"));
  EXPECT_THAT(refused.err, HasSubstr("--ignore-columns"));
  const Ran trained =
      run("train people.csv --decimal , --ignore-columns shop --method pml-ni --out m");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("age 9"));
  EXPECT_THAT(trained.err, HasSubstr("colour with 2 values (12 missing)"));
  write("new.csv", "colour;age;shop\nred;;x\nblue;21,5;y\ngreen;22,5;z\n");
  const Ran ran = run("predict m new.csv --kind top --to jsonl");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(best(ran.out, 0), "a");
  EXPECT_EQ(best(ran.out, 1), "b");
  EXPECT_THAT(ran.err, HasSubstr("filled in 1 missing value"));
  EXPECT_THAT(ran.err, HasSubstr("1 value of categories not seen in training"));
  EXPECT_EQ(run("predict m - --kind top --to jsonl", read("new.csv")).out, ran.out);
  const Ran inspected = run("inspect people.csv --decimal , --ignore-columns shop");
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.err, HasSubstr("categories: colour with 2 values"));
  EXPECT_EQ(run("convert people.csv p.sieve --decimal , --ignore-columns shop").code, 0);
  EXPECT_EQ(run("convert people.csv p.npz --decimal , --ignore-columns shop").code, 0);
  write("named.csv", "id,age,label:a\np,,1\nq,3,0\n");
  const Ran converted = run("convert named.csv named.sieve");
  EXPECT_EQ(converted.code, 0) << converted.err;
  const std::size_t note = converted.err.find("took column 'id'");
  EXPECT_NE(note, std::string::npos) << converted.err;
  EXPECT_EQ(converted.err.find("took column 'id'", note + 1), std::string::npos) << converted.err;
}

TEST_F(Tables, arrays_with_labels_and_ids_of_their_own_train_and_predict) {
  std::string x = "f1,f2,label:z\n", y = "cat,dog\n", ids;
  for (int i = 0; i < 60; ++i) {
    x += std::to_string(i % 2) + "," + std::to_string(i % 5) + ",0\n";
    y += i % 2 == 0 ? "1,0\n" : "0,1\n";
    ids += "item" + std::to_string(i) + "\n";
  }
  write("x.csv", x);
  write("y.csv", y);
  write("ids.txt", ids);
  ASSERT_EQ(run("convert x.csv x.npz").code, 0);
  const Ran trained =
      run("train x.npz --label-file y.csv --id-file ids.txt --method pml-ni --out m");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("60 rows, 2 features and 2 labels"));
  const Ran ran = run("predict m x.npz --id-file ids.txt --kind top --to jsonl");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"item59\""));
  write("few.txt", "item0\n");
  EXPECT_THAT(run("predict m x.npz --id-file few.txt").err, HasSubstr("1 ids for 60 rows"));
  EXPECT_EQ(best(ran.out, 0), "cat");
  EXPECT_EQ(best(ran.out, 1), "dog");
  EXPECT_EQ(run("inspect x.npz --label-file y.csv").code, 0);
}

TEST_F(Tables, labels_of_a_file_of_their_own_go_to_the_rows_with_their_ids) {
  write("x.csv", "id,f1,f2\na,1,5\nb,2,6\nc,3,7\nd,4,8\n");
  write("y.csv", "id,sea,wood\nd,1,0\nc,1,0\nb,0,1\na,0,1\nz,1,1\n");
  const Ran ran = run("convert x.csv --label-file y.csv o.csv");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("ids that are not in the data, left out: 1 (z)"));
  EXPECT_EQ(read("o.csv"),
            "id,f1,f2,label:sea,label:wood\na,1,5,0,1\nb,2,6,0,1\nc,3,7,1,0\nd,4,8,1,0\n");
  write("y.csv", "id,sea,wood\nq,1,0\nr,0,1\ns,1,0\nt,0,1\n");
  const Ran refused = run("train x.csv --label-file y.csv --method pml-ni --out m");
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("none of its ids is an id of the data"));
}

TEST_F(Tables, users_that_differ_in_their_last_digit_are_other_categories) {
  std::string table = "user,f,label:cat,label:dog,label:cow\n";
  for (int i = 0; i < 90; ++i)
    table += "170000001" + std::to_string(1 + i % 3) + ",1," +
             (i % 3 == 0   ? "1,0,0\n"
              : i % 3 == 1 ? "0,1,0\n"
                           : "0,0,1\n");
  write("x.csv", table);
  const Ran trained = run("train x.csv --category-column user --method pml-ni --out m");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("categories: user with 3 values"));
  const std::string lines = "{\"user\":1700000012,\"f\":1}\n{\"user\":\"1700000013\",\"f\":1}\n";
  write("new.csv", "user,f\n1700000012,1\n1700000013,1\n");
  write("new.jsonl", lines);
  for (const std::string& out : {run("predict m new.csv --kind top --to jsonl").out,
                                 run("predict m new.jsonl --kind top --to jsonl").out,
                                 run("predict m --stream --kind top", lines).out}) {
    EXPECT_EQ(best(out, 0), "dog") << out;
    EXPECT_EQ(best(out, 1), "cow") << out;
  }
}

TEST_F(Tables, copies_have_the_numbers_of_a_table_as_they_came) {
  std::string table = "user,code,truth:x,truth:y\n";
  for (int i = 0; i < 40; ++i)
    table += "17000000" + std::to_string(10 + i) + ",00" + std::to_string(i) +
             (i % 2 == 0 ? ".50,1,0\n" : ".50,0,1\n");
  write("x.csv", table);
  ASSERT_EQ(run("convert x.csv y.csv").code, 0);
  EXPECT_EQ(read("y.csv"), table);
  ASSERT_EQ(run("corrupt x.csv noisy.csv --protocol fill --average 1").code, 0);
  ASSERT_EQ(run("split x.csv --out parts/ --test-share 0.5").code, 0);
  ASSERT_EQ(run("clean x.csv --method pml-ni --out cleaned.csv").code, 0);
  for (const std::string& copy :
       {read("noisy.csv"), read("parts/train.csv") + read("parts/test.csv"), read("cleaned.csv")})
    EXPECT_THAT(copy, HasSubstr("\n1700000021,0011.50,"));
  ASSERT_EQ(run("convert x.csv scaled.csv --scale minmax").code, 0);
  EXPECT_THAT(read("scaled.csv"), Not(HasSubstr("17000000"))) << "what is changed is written so";
}

TEST_F(Tables, texts_with_ids_and_ticks_train_and_predict) {
  std::string lines, ticks = "item,person,label\n";
  for (int i = 0; i < 80; ++i) {
    const std::string id = "r" + std::to_string(i);
    lines += "{\"id\": \"" + id + "\", \"text\": " + review(i, "\"") + "}\n";
    for (const char* annotator : {"ann", "bob"})
      if (i % 8 != 7) ticks += id + "," + annotator + "," + (i % 2 == 0 ? "food\n" : "sound\n");
  }
  write("reviews.jsonl", lines);
  write("ticks.csv", ticks);
  const Ran trained =
      run("train reviews.jsonl --annotations ticks.csv --text-column text --method pml-ni --out m "
          "--validate "
          "0.2");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("took column 'id' as the ids of the rows"));
  write("new.jsonl", "{\"id\": 7, \"text\": \"tasty soup\"}\n{\"id\": 8, \"text\": \"bass\"}\n");
  const Ran ran = run("predict m new.jsonl --kind top --to jsonl");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(best(ran.out, 0), "food") << ran.out;
  EXPECT_EQ(nlohmann::json::parse(ran.out.substr(0, ran.out.find('\n')))["id"], "7");
  EXPECT_THAT(ran.err, Not(HasSubstr("ignored")));
}

TEST_F(Tables, cells_are_written_as_they_came) {
  std::string table = "id,age,colour,note,label:a,label:b\n";
  for (int i = 0; i < 40; ++i)
    table += "r" + std::to_string(i) + "," + (i % 5 == 0 ? "" : std::to_string(20 + i)) + "," +
             (i % 2 == 0 ? "red" : "blue") + ",\"He said \"\"no\"\", twice\n" +
             (i % 2 == 0 ? "warm" : "cold") + "\"," + (i % 2 == 0 ? "1,0\n" : "0,1\n");
  write("t.csv", table);
  const std::string read_as = " --text-column note --category-column colour";
  ASSERT_EQ(run("convert t.csv again.csv" + read_as).code, 0);
  EXPECT_EQ(read("again.csv"), table);
  ASSERT_EQ(run("convert t.csv t.jsonl" + read_as).code, 0);
  EXPECT_THAT(read("t.jsonl"), StartsWith(R"({"id":"r0","age":null,"colour":"red",)"
                                          R"("note":"He said \"no\", twice\nwarm","label:a":1)"));
  ASSERT_EQ(run("convert t.jsonl back.csv" + read_as).code, 0);
  EXPECT_EQ(read("back.csv"), table);
  ASSERT_EQ(run("split t.csv --out part --seed 3 --test-share 0.5" + read_as).code, 0);
  ASSERT_EQ(run("convert part-train.csv part-test.csv both.csv" + read_as).code, 0);
  EXPECT_EQ(read("both.csv").size(), table.size());
  EXPECT_THAT(read("part-test.csv"), HasSubstr("\"He said \"\"no\"\", twice\n"));
  const Ran cleaned = run("clean t.csv --method pml-ni --out clean.csv" + read_as);
  ASSERT_EQ(cleaned.code, 0) << cleaned.err;
  EXPECT_THAT(read("clean.csv"), StartsWith("id,age,colour,note,label:a,label:b\nr0,,red,"));
}

TEST_F(Tables, formats_of_numbers_get_the_features_and_a_note_says_so) {
  write("t.csv", "age,label:a\n1,1\n,0\n3,1\n");
  const std::string note = "the features that were made of the columns";
  EXPECT_THAT(run("convert t.csv t.arff").err, HasSubstr(note));
  EXPECT_THAT(run("convert t.csv t2.csv").err, Not(HasSubstr(note)));
  const Ran scaled = run("convert t.csv scaled.csv --scale minmax");
  EXPECT_THAT(scaled.err, HasSubstr(note));
  EXPECT_THAT(read("scaled.csv"), StartsWith("age,age is missing,label:a\n"));
}

TEST_F(Tables, gaps_in_arff_files_are_filled_in) {
  std::string rows;
  for (int i = 0; i < 40; ++i)
    rows += (i % 8 == 0 ? "?" : std::to_string(i % 2)) + std::string(",") + std::to_string(i) +
            (i % 2 ? ",1,0\n" : ",0,1\n");
  const std::string head =
      "@relation 't: -C -2'\n@attribute a numeric\n@attribute b numeric\n"
      "@attribute x {0,1}\n@attribute y {0,1}\n@data\n";
  write("t.arff", head + rows);
  const Ran inspected = run("inspect t.arff");
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_THAT(inspected.err,
              HasSubstr("filled in by the median, with a feature that marks them: a 5"));
  ASSERT_EQ(run("train t.arff --method pml-ni --out m").code, 0);
  EXPECT_EQ(run("predict m t.arff").code, 0);
  ASSERT_EQ(run("convert t.arff t.csv").code, 0);
  EXPECT_THAT(read("t.csv"), StartsWith("a,b,label:x,label:y\n,0,0,1\n1,1,1,0\n"));
  // A model of numbers alone has no rule for them.
  write("whole.arff", head + "0,1,0,1\n1,1,1,0\n0,2,0,1\n1,3,1,0\n");
  ASSERT_EQ(run("train whole.arff --method pml-ni --out whole").code, 0);
  const Ran refused = run("predict whole t.arff");
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("row 1: a value is missing in column 'a'"));
}

TEST_F(Tables, a_model_of_numbers_refuses_a_gap_with_its_place) {
  write_small_set();
  ASSERT_EQ(run("train small.csv --method pml-ni --out m").code, 0);
  write("gap.csv", "f1,f2\n1,2\n1,\n");
  const Ran ran = run("predict m gap.csv");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("gap.csv:3:3: a value is missing in column 2 ('f2')"));
}

}  // namespace
}  // namespace sieve::test
