#include <algorithm>
#include <nlohmann/json.hpp>

#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Train = Learning;

TEST_F(Train, writes_a_model_and_leaves_no_checkpoint) {
  const Ran ran = train("model");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("wrote model: PML-GAN of 200 rows, 60 features and 12 labels"));
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(exists("model"));
  EXPECT_FALSE(exists("model.checkpoint"));
}

TEST_F(Train, the_model_does_not_depend_on_the_number_of_threads) {
  for (const char* threads : {"1", "2", "3", "8"}) {
    const Ran ran = train(threads, {"--threads", threads});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(read(threads), read("1")) << threads << " threads";
  }
}

TEST_F(Train, another_seed_gives_another_model) {
  train("one");
  train("two", {"--seed", "2"});
  EXPECT_NE(read("one"), read("two"));
}

TEST_F(Train, the_truth_does_not_reach_the_fit) {
  train("with");
  sieve({"convert", "crowd.arff", "blind.arff", "--labels", "candidates"});
  const Ran ran = sieve(joined({"train", "blind.arff", "--out", "without"}, quick()));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("with"), read("without"));
}

TEST_F(Train, measures_on_held_out_rows_against_truth_and_candidates) {
  const Ran ran = train("model", {"--validate", "0.25", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  EXPECT_NEAR(json["rows"].get<double>(), 150, 3);
  EXPECT_TRUE(json["held_out_truth"]["ranking-loss"]["value"].is_number());
  EXPECT_TRUE(json["held_out_candidates"]["micro-f1"]["value"].is_number());
  EXPECT_EQ(json["options"]["epochs"], "2");
  EXPECT_THAT(train("text", {"--validate", "0.25"}).out,
              HasSubstr("held-out rows against the truth"));
  sieve({"convert", "crowd.arff", "blind.arff", "--labels", "candidates"});
  const Ran blind =
      sieve(joined({"train", "blind.arff", "--out", "b", "--validate", "0.25"}, quick()));
  EXPECT_THAT(blind.out, Not(HasSubstr("against the truth")));
  EXPECT_THAT(blind.out, HasSubstr("against their candidates"));
}

TEST_F(Train, the_log_has_one_json_object_an_epoch) {
  train("model", {"--log", "log.jsonl", "--set", "noise-share=0.85"});
  const std::string log = read("log.jsonl");
  EXPECT_EQ(std::ranges::count(log, '\n'), 2);
  const nlohmann::json first = nlohmann::json::parse(log.substr(0, log.find('\n')));
  EXPECT_EQ(first["epoch"], 1);
  EXPECT_TRUE(first["L_c"].is_number());
  const Ran again = train("other", {"--log", "log.jsonl"});
  EXPECT_EQ(again.code, 5);
  EXPECT_THAT(again.err, HasSubstr("log.jsonl"));
}

TEST_F(Train, says_what_a_method_kept_of_what_it_tried) {
  const Ran ran = sieve({"train", "crowd.arff", "--out", "blended", "--method", "blend", "--set",
                         "trees=10,width=8,epochs=1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("kept: "));
  EXPECT_THAT(ran.out, HasSubstr("; the game was not tried"));
}

TEST_F(Train, options_come_from_flags_and_from_the_configuration) {
  write("c.toml",
        "[train]\nmethod = \"pml-gan\"\n[train.set]\nepochs = 9\nwidth = 16\nmembers = 1\ndepth = "
        "1\n");
  const Ran ran = sieve({"train", "crowd.arff", "--out", "model", "--config", "c.toml", "--set",
                         "epochs=2", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json options = nlohmann::json::parse(ran.out)["options"];
  EXPECT_EQ(options["epochs"], "2");
  EXPECT_EQ(options["width"], "16");
  train("flags");
  EXPECT_EQ(read("model"), read("flags"));

  const Ran printed = sieve({"train", "--print-config", "--set", "epochs=2", "--set", "width=8"});
  write("again.toml", printed.out);
  EXPECT_EQ(sieve({"train", "--print-config", "--config", "again.toml"}).out, printed.out);
}

TEST_F(Train, unknown_methods_and_options_name_the_nearest) {
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& message) {
    const Ran ran = sieve(joined({"train", "crowd.arff", "--out", "model"}, flags));
    EXPECT_EQ(ran.code, 2) << message;
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_FALSE(exists("model"));
  };
  refused({"--method", "pml-gam"}, "did you mean 'pml-gan'?");
  refused({"--set", "epoch=3"}, "did you mean 'epochs'?");
  refused({"--set", "epochs"}, "'epochs' is not key=value");
  refused({"--set", "epochs=0"}, "it takes a whole number from 1 to");
  refused({"--set", "width=nan"}, "option 'width' cannot be 'nan'");
  refused({"--method", "pml-gan", "--set", "ablation=some"}, "one of none");
}

TEST_F(Train, learns_from_decided_cells_with_votes_and_without) {
  ASSERT_EQ(sieve({"synth", "--rows", "150", "--labels", "8", "--out", "v.csv", "--annotations",
                   "ticks.csv"})
                .code,
            0);
  write("gold.csv", "row,label,true\n0,beach,1\n1,beach,0\n2,street,0\n3,street,1\n");
  const std::vector<std::string> words =
      joined({"train", "v.csv", "--gold", "gold.csv", "--validate", "0.2", "--out", "gold.model"},
             quick());
  const Ran plain = sieve(words);
  EXPECT_EQ(plain.code, 0) << plain.err;
  const std::string learnt = read("gold.model");
  sieve(joined({"train", "v.csv", "--validate", "0.2", "--out", "gold.model", "--force"}, quick()));
  EXPECT_NE(read("gold.model"), learnt);
  const Ran ran = sieve(joined(words, {"--annotations", "ticks.csv", "--force"}));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("labels that votes and features make likely"));
}

TEST_F(Train, learns_from_rows_without_labels) {
  sieve({"synth", "--rows", "300", "--seed", "2", "--out", "more.arff"});
  const std::vector<std::string> quick = {"--method", "blend", "--set",
                                          "epochs=2,width=16,trees=20"};
  const auto train_with = [&](const std::string& file, std::vector<std::string> more) {
    return sieve(joined(
        joined({"train", "crowd.arff", "--out", "few", "--force", "--unlabelled", file}, quick),
        more));
  };
  Ran ran = train_with("more.arff", {"--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["unlabelled_rows"], 300);
  EXPECT_THAT(train_with("more.arff", {}).out,
              HasSubstr("learnt from 300 rows without labels as well"));
  EXPECT_EQ(sieve({"predict", "few", "more.arff", "--out", "p.csv"}).code, 0);

  sieve({"synth", "--rows", "50", "--features", "7", "--out", "other.arff"});
  ran = train_with("other.arff", {});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("other.arff: rows without labels: "));
  EXPECT_THAT(ran.err, HasSubstr("they need the same columns as those with labels"));

  // Flags that say which columns are labels are about the file with labels alone.
  write("few.csv", "a,b,x\n1,2,1\n2,3,0\n3,1,1\n2,2,0\n5,1,1\n4,4,0\n");
  write("none.csv", "b,a\n2,1\n3,2\n1,5\n");
  write("empty.csv", "a,b\n");
  const auto train_csv = [&](const std::string& file) {
    return sieve(joined(
        {"train", "few.csv", "--label-names", "x", "--out", "csv", "--force", "--unlabelled", file},
        quick));
  };
  ran = train_csv("none.csv");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("learnt from 3 rows without labels as well"));
  EXPECT_EQ(train_csv("few.csv").code, 0);
  ran = train_csv("empty.csv");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("empty.csv"));

  ran = train_with("missing.arff", {});
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("missing.arff"));
  ran = sieve(
      {"train", "crowd.arff", "--out", "mlp", "--method", "mlp", "--unlabelled", "more.arff"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot learn from rows without labels"));
}

TEST_F(Train, an_output_is_refused_before_the_work) {
  EXPECT_THAT(sieve({"train", "nowhere.arff"}).err, HasSubstr("--out is needed"));
  const Ran folder = sieve({"train", "nowhere.arff", "--out", "no/such/folder/model"});
  EXPECT_EQ(folder.code, 5);
  EXPECT_THAT(folder.err,
              HasSubstr("no/such/folder/model: cannot create: folder 'no/such/folder' does "
                        "not exist"));
  write("model", "mine");
  EXPECT_EQ(train("model").code, 5);
  EXPECT_EQ(read("model"), "mine");
  EXPECT_EQ(train("model", {"--force"}).code, 0);
  EXPECT_NE(read("model"), "mine");
}

TEST_F(Train, an_oracle_learns_from_the_truth_and_says_so) {
  const Ran ran = sieve(joined({"train", "crowd.arff", "--out", "model"}, quick("", "oracle")));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("an oracle"));
  EXPECT_THAT(sieve({"info", "model"}).out, HasSubstr("an oracle"));
  sieve({"convert", "crowd.arff", "blind.arff", "--labels", "candidates"});
  const Ran blind = sieve(joined({"train", "blind.arff", "--out", "blind"}, quick("", "oracle")));
  EXPECT_EQ(blind.code, 3);
  EXPECT_THAT(blind.err, HasSubstr("is an oracle"));
}

TEST_F(Train, names_that_are_not_utf8_are_refused_before_the_work) {
  write("latin.csv", "f1,label:a\xe9,label:b\n1,1,0\n2,0,1\n");
  const Ran ran = sieve({"train", "latin.csv", "--out", "model"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("not valid UTF-8"));
}

TEST_F(Train, every_method_trains_from_every_format) {
  for (const char* file : {"crowd.csv", "crowd.svm", "crowd.mat"})
    sieve({"convert", "crowd.arff", file, "--labels", "candidates"});
  sieve(joined({"train", "crowd.csv", "--out", "csv"}, quick()));
  for (const char* file : {"crowd.svm", "crowd.mat"})
    for (const char* method : {"pml-gan", "mlp-noise", "mlp"}) {
      const Ran ran = sieve(joined({"train", file, "--out", "m", "--force"}, quick("", method)));
      EXPECT_EQ(ran.code, 0) << file << " " << method << ": " << ran.err;
    }
  for (const char* method : {"pml-ni", "schirn", "nlr"}) {
    const Ran ran = sieve({"train", "crowd.svm", "--out", "m", "--force", "--method", method});
    EXPECT_EQ(ran.code, 0) << method << ": " << ran.err;
  }
  EXPECT_TRUE(exists("csv"));
}

}  // namespace
}  // namespace sieve::test
