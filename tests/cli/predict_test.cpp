#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Predict : public Learning {
 protected:
  Predict() {
    train("model");
    sieve({"convert", "crowd.arff", "crowd.csv", "--labels", "candidates"});
  }
  Ran predict(const std::string& file, const std::vector<std::string>& more = {}) const {
    return sieve(joined({"predict", "model", file}, more));
  }
  // The first `count` columns of crowd.csv, in reverse order if asked, after `extra`.
  std::string features_csv(std::size_t count, bool reverse, const std::string& extra = {}) const {
    std::istringstream lines(read("crowd.csv"));
    std::string out;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> cells;
      std::istringstream cut(line);
      for (std::string cell; cells.size() < count && std::getline(cut, cell, ',');)
        cells.push_back(cell);
      if (reverse) std::ranges::reverse(cells);
      if (!extra.empty()) out += (out.empty() ? extra : "7") + ",";
      for (std::size_t i = 0; i < cells.size(); ++i) out += (i == 0 ? "" : ",") + cells[i];
      out += '\n';
    }
    return out;
  }
};

TEST_F(Predict, scores_go_to_standard_output_under_the_names_of_the_labels) {
  const Ran ran = predict("crowd.arff");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("row,score:beach,score:mountain,"));
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 201);
  write("scores.csv", ran.out);
  const Ran measured = sieve({"evaluate", "--truth", "crowd.arff", "--scores", "scores.csv"});
  EXPECT_EQ(measured.code, 0) << measured.err;
}

TEST_F(Predict, any_format_and_order_of_the_features_gives_the_same) {
  const std::string expected = predict("crowd.arff").out;
  EXPECT_EQ(predict("crowd.csv").out, expected);
  write("features.csv", features_csv(60, false));
  EXPECT_EQ(predict("features.csv").out, expected);
  write("reverse.csv", features_csv(60, true));
  EXPECT_EQ(predict("reverse.csv").out, expected);
  EXPECT_EQ(sieve({"predict", "model", "-"}, {.input = read("features.csv")}).out, expected);
  const std::string with_header = read("features.csv");
  write("plain.csv", with_header.substr(with_header.find('\n') + 1));
  EXPECT_EQ(predict("plain.csv").out, expected);
}

// Files of many blocks, with blank lines, which are no rows.
class PredictMany : public Predict {
 protected:
  static constexpr std::size_t kCopies = 20;
  PredictMany() {
    const std::string once = read("crowd.csv");
    const std::string rows = once.substr(once.find('\n') + 1);
    text_ = once;
    for (std::size_t copy = 1; copy < kCopies; ++copy) text_ += "\n" + rows;
    write("many.csv", text_);
  }
  Ran with_threads(const std::string& file, const std::string& threads) const {
    return predict(file, {"--kind", "top", "--top", "2", "--to", "jsonl", "--threads", threads});
  }
  std::string text_;
};

TEST_F(PredictMany, every_format_and_number_of_threads_gives_the_same_rows_in_order) {
  const std::string expected = with_threads("many.csv", "1").out;
  EXPECT_EQ(std::ranges::count(expected, '\n'), 200 * kCopies);
  EXPECT_THAT(expected, HasSubstr("\n{\"row\":3999,"));
  EXPECT_EQ(with_threads("many.csv", "2").out, expected);
  EXPECT_EQ(with_threads("many.csv", "5").out, expected);
  for (const char* file : {"many.sieve", "many.svm", "many.mat"}) {
    sieve({"convert", "many.csv", file});
    EXPECT_EQ(with_threads(file, "2").out, expected) << file;
  }
}

TEST_F(PredictMany, a_bad_row_at_the_end_is_refused_alike_for_any_number_of_threads) {
  write("many.csv", text_ + "1,2,3\n");
  const Ran alone = with_threads("many.csv", "1"), many = with_threads("many.csv", "4");
  EXPECT_EQ(alone.code, 3);
  EXPECT_THAT(alone.err, HasSubstr("many.csv:4021"));
  EXPECT_EQ(many.code, 3);
  EXPECT_EQ(many.err, alone.err);
  EXPECT_EQ(many.out, alone.out);
}

TEST_F(PredictMany, a_full_disk_ends_all_threads) {
  for (const char* threads : {"1", "4"}) {
    const Ran ran =
        sieve({"predict", "model", "many.csv", "--threads", threads}, {.redirect = ">/dev/full"});
    EXPECT_EQ(ran.code, 5);
    EXPECT_THAT(ran.err, HasSubstr("standard output: write failed"));
  }
}

TEST_F(Predict, columns_the_model_does_not_know_are_ignored_with_a_note) {
  write("extra.csv", features_csv(60, true, "weight"));
  const Ran ran = predict("extra.csv");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, predict("crowd.arff").out);
  EXPECT_THAT(ran.err, HasSubstr("does not use: weight"));
}

TEST_F(Predict, features_that_a_sparse_file_does_not_reach_are_zero_with_a_note) {
  write("narrow.svm", "0 1:0.5 55:2\n3 7:1\n");
  write("wide.svm", "0 1:0.5 55:2 60:0\n3 7:1\n");
  const Ran narrow = predict("narrow.svm"), wide = predict("wide.svm");
  EXPECT_EQ(narrow.code, 0) << narrow.err;
  EXPECT_EQ(narrow.out, wide.out);
  EXPECT_THAT(narrow.err, HasSubstr("the last 5 features of the model"));
  EXPECT_THAT(wide.err, Not(HasSubstr("features of the model")));
}

TEST_F(Predict, a_model_of_other_features_refuses) {
  write("few.csv", features_csv(55, false));
  const Ran named = predict("few.csv");
  EXPECT_EQ(named.code, 3);
  EXPECT_EQ(named.out, "");
  EXPECT_THAT(named.err, HasSubstr("'f56', 'f57', 'f58' and 2 more"));
  const std::string content = read("few.csv");
  write("plain.csv", content.substr(content.find('\n') + 1));
  const Ran numbered = predict("plain.csv");
  EXPECT_EQ(numbered.code, 3);
  EXPECT_THAT(numbered.err, HasSubstr("trained on 60 features, but the data has 55"));
}

TEST_F(Predict, decisions_and_top_labels_in_every_format) {
  write("scores.csv", predict("crowd.csv").out);
  const Ran decisions = predict("crowd.csv", {"--kind", "decisions", "--out", "d.csv"});
  EXPECT_THAT(decisions.out, HasSubstr("wrote d.csv: decisions of 200 rows"));
  predict("crowd.csv", {"--kind", "decisions", "--to", "libsvm", "--out", "d.svm"});
  const auto measure = [&](const std::string& flag, const std::string& file) {
    return sieve({"evaluate", "--truth", "crowd.arff", flag, file, "--metrics", "micro-f1",
                  "--threshold", "0.5", "--scores", "scores.csv"})
        .out;
  };
  const std::string by_threshold = measure("--ties", "sklearn");
  EXPECT_THAT(by_threshold, HasSubstr("Micro F1"));
  EXPECT_EQ(measure("--decisions", "d.csv"), by_threshold);
  EXPECT_EQ(measure("--decisions", "d.svm"), by_threshold);

  const Ran top = predict("crowd.csv", {"--kind", "top", "--top", "3", "--to", "jsonl"});
  const nlohmann::json first = nlohmann::json::parse(top.out.substr(0, top.out.find('\n')));
  EXPECT_EQ(first["labels"].size(), 3U);
  EXPECT_GE(first["scores"][0], first["scores"][1]);
  EXPECT_EQ(std::ranges::count(top.out, '\n'), 200);
  EXPECT_THAT(predict("crowd.csv", {"--kind", "top"}).out,
              StartsWith("row,rank,label,score\n0,1," + first["labels"][0].get<std::string>()));
  const Ran scores = predict("crowd.csv", {"--to", "jsonl"});
  EXPECT_EQ(nlohmann::json::parse(scores.out.substr(0, scores.out.find('\n')))["scores"].size(),
            12U);
}

// Numbers, quotes, line ends, tabs, blanks and words that are read as numbers elsewhere.
TEST_F(Cli, what_predict_writes_is_measured_under_any_label_names) {
  const std::vector<std::vector<std::string>> kinds = {
      {"0", "1", "2"},
      {"label:17", "3", "1e5"},
      {"\"label:say \"\"x\"\"\"", "\"label:a\nb\"", "\"label:a\tb\""},
      {"label:nan", "label:inf", "label:-inf"},
      {"label:row", "label:score:x", "label:label:y"},
      {"\"label: x \"", "\"label:,;|\"", "\"label:\r\""}};
  for (const std::vector<std::string>& names : kinds) {
    std::string text = "x,z";
    for (const std::string& name : names)
      text += "," + (name.find("label:") == name.npos ? "label:" + name : name);
    text += "\n";
    for (int i = 0; i < 16; ++i)
      text += std::to_string(i) + "," + std::to_string(i % 3) + "," + std::to_string(i % 2) + "," +
              std::to_string(i / 8) + "," + std::to_string(i % 3 == 0) + "\n";
    write("set.csv", text);
    const Ran trained = sieve({"train", "set.csv", "--out", "m", "--force", "--method", "pml-ni"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    for (const char* kind : {"scores", "decisions"}) {
      const Ran predicted =
          sieve({"predict", "m", "set.csv", "--kind", kind, "--out", "p.csv", "--force"});
      ASSERT_EQ(predicted.code, 0) << predicted.err;
      const std::string flag = "--" + std::string(kind);
      const Ran measured = sieve({"evaluate", "--truth", "set.csv", flag, "p.csv"});
      EXPECT_EQ(measured.code, 0) << names[0] << ' ' << kind << ": " << measured.err;
      const std::string whole = read("p.csv");
      write("p.csv", whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));
      const Ran cut = sieve({"evaluate", "--truth", "set.csv", flag, "p.csv"});
      EXPECT_EQ(cut.code, 3) << names[0] << ' ' << kind;
      EXPECT_THAT(cut.err, HasSubstr("the file has 15 rows, the data 16"))
          << names[0] << ' ' << kind;
    }
  }
}

TEST_F(Predict, a_file_appears_only_when_complete) {
  write("cut.csv", features_csv(60, false) + "1,2,3\n");
  const Ran ran = predict("cut.csv", {"--out", "scores.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_FALSE(exists("scores.csv"));
  EXPECT_EQ(predict("crowd.csv", {"--out", "scores.csv.gz"}).code, 0);
  EXPECT_EQ(predict("crowd.csv", {"--out", "scores.csv.gz"}).code, 5);
  EXPECT_EQ(predict("crowd.csv", {"--json"}).code, 2);
  EXPECT_EQ(predict("crowd.csv", {"--top", "3"}).code, 2);
}

TEST_F(Predict, a_damaged_model_is_refused_with_its_name) {
  const std::string model = read("model");
  const auto refused = [&](const std::string& bytes) {
    write("bad", bytes);
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"predict", "bad", "crowd.csv"}, {"info", "bad"}}) {
      const Ran ran = sieve(words);
      EXPECT_EQ(ran.code, 4);
      EXPECT_THAT(ran.err, HasSubstr("bad"));
    }
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, model.size() / 2, model.size() - 1})
    refused(model.substr(0, size));
  for (const std::size_t place :
       {std::size_t{3}, std::size_t{20}, std::size_t{200}, model.size() / 2, model.size() - 2}) {
    std::string flipped = model;
    flipped[place] = static_cast<char>(flipped[place] ^ 4);
    refused(flipped);
  }
  refused(read("crowd.csv"));
  EXPECT_EQ(sieve({"predict", "nowhere", "crowd.csv"}).code, 5);
}

TEST_F(Predict, info_tells_what_is_in_a_model) {
  const Ran ran = sieve({"info", "model"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("model of pml-gan"));
  EXPECT_THAT(ran.out, HasSubstr("12: beach, mountain"));
  const nlohmann::json json = nlohmann::json::parse(sieve({"info", "model", "--json"}).out);
  EXPECT_EQ(json["features"], 60);
  EXPECT_EQ(json["label_names"].size(), 12U);
  EXPECT_EQ(json["options"]["width"], "16");
  EXPECT_EQ(json["scaling"], "minmax");
  EXPECT_GT(json["tensors"].size(), 3U);
}

TEST_F(Predict, features_far_outside_the_training_range_are_noted) {
  std::string train = "height,f2,label:a\n", metres = "height,f2\n", millimetres = metres;
  for (int i = 0; i < 30; ++i) {
    const std::string rest = "," + std::to_string(i % 7) + "\n";
    train +=
        "1." + std::to_string(50 + i) + "," + std::to_string(i % 7) + (i % 2 ? ",1\n" : ",0\n");
    metres += "1." + std::to_string(40 + i) + rest;
    millimetres += "1" + std::to_string(500 + i) + rest;
  }
  write("train.csv", train);
  ASSERT_EQ(
      sieve({"train", "train.csv", "--method", "mlp", "--set", "epochs=2", "--out", "m2"}).code, 0);
  write("m.csv", metres);
  EXPECT_EQ(sieve({"predict", "m2", "m.csv"}).err, "");
  write("mm.csv", millimetres);
  const Ran ran = sieve({"predict", "m2", "mm.csv"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("most values of height lie far outside the range the model was "
                                 "trained on: check the units"));
}

TEST_F(Predict, swapped_arguments_and_names_of_other_formats_are_noticed) {
  train("model");
  const Ran swapped = sieve({"predict", "crowd.arff", "model"});
  EXPECT_EQ(swapped.code, 4);
  EXPECT_THAT(swapped.err, HasSubstr("the model comes first, then the data"));
  EXPECT_EQ(sieve({"predict", "model", "crowd.arff", "--out", "p.parquet"}).code, 2);
  EXPECT_FALSE(exists("p.parquet"));
  EXPECT_EQ(sieve({"predict", "model", "crowd.arff", "--out", "p.jsonl"}).code, 0);
  EXPECT_THAT(read("p.jsonl"), ::testing::StartsWith("{\"row\":0,"));
}

}  // namespace
}  // namespace sieve::test
