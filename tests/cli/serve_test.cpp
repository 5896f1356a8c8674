// What serves a model: sieve predict --stream, sieve export.
#include <csignal>

#include "learning.h"
#include "support/places.h"

namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Serve : public Learning {
 protected:
  Serve() { train("model"); }
  std::string row() const {  // the first of the crowd
    sieve({"convert", "crowd.arff", "crowd.jsonl", "--force"});
    const std::string all = read("crowd.jsonl");
    return all.substr(0, all.find('\n') + 1);
  }
};

TEST_F(Serve, a_stream_says_what_predict_says) {
  sieve({"convert", "crowd.arff", "crowd.jsonl"});
  const Ran whole = sieve({"predict", "model", "crowd.jsonl", "--to", "jsonl"});
  const Ran stream = sieve({"predict", "model", "--stream"}, {.input = read("crowd.jsonl")});
  EXPECT_EQ(stream.code, 0) << stream.err;
  EXPECT_EQ(stream.out, whole.out);
  EXPECT_EQ(stream.err, "");
}

TEST_F(Serve, a_stream_tells_how_many_rows_it_refused) {
  const Ran ran = sieve({"predict", "model", "--stream", "--kind", "top"},
                        {.input = "[1]\n" + row() + "nonsense\n"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "sieve: 2 of 3 rows were refused\n");
  EXPECT_THAT(ran.out, HasSubstr("{\"row\":1,\"labels\":["));
}

TEST_F(Serve, a_stream_refuses_rows_without_a_column_of_the_model_and_keys_given_twice) {
  const std::string twice = "{\"f1\":1," + row().substr(1);
  const Ran ran = sieve({"predict", "model", "--stream"}, {.input = "{\"id\":\"a\"}\n" + twice});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "sieve: 2 of 2 rows were refused\n");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("this row has none of the columns"),
                             HasSubstr("\"row\":1,\"error\":\"the key 'f1' is there twice")));
}

TEST_F(Serve, a_stream_ends_quietly_when_nobody_reads_it) {
  const Ran ran = run_program({"bash", "-c",
                               "set -o pipefail; yes '[1]' | " + shell_quoted(sieve_command()) +
                                   " predict model --stream | head -n 2"},
                              {.folder = folder_.path()});
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("{\"row\":0,\"error\""));
}

TEST_F(Serve, a_stream_that_waits_ends_on_request) {
  run_program({"mkfifo", "rows"}, {.folder = folder_.path()});
  const std::string command = "exec 3<>rows; exec " + shell_quoted(sieve_command()) +
                              " predict model --stream --quiet < rows > answers";
  write("first", row());
  RunningProgram running({"/bin/bash", "-c", "cat first > rows & " + command}, folder_.path());
  ASSERT_TRUE(running.wait_until([&] { return exists("answers") && !read("answers").empty(); }));
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait(), 7);
  EXPECT_THAT(read("answers"), AllOf(StartsWith("{\"row\":0,"), ::testing::EndsWith("}\n")));
}

TEST_F(Serve, a_stream_takes_no_files_and_writes_none) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"crowd.arff"},
                                               {"--out", "o.jsonl"},
                                               {"--json"},
                                               {"--to", "csv2"},
                                               {"--to", "libsvm"}}) {
    const Ran ran = sieve(joined({"predict", "model", "--stream"}, more));
    EXPECT_EQ(ran.code, 2) << more.front() << ran.out << ran.err;
  }
  EXPECT_EQ(sieve({"predict", "model"}).code, 2);
  EXPECT_EQ(sieve({"predict", "model", "--no-stream"}).code, 2);
}

TEST_F(Serve, exports_a_model) {
  const Ran ran = sieve({"export", "model", "model.onnx"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("wrote model.onnx: pml-gan, 60 features, 12 labels, "));
  const Ran again = sieve({"export", "model", "model.onnx"});
  EXPECT_EQ(again.code, 5);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  const Ran json = sieve({"export", "model", "model.onnx", "--force", "--json"});
  EXPECT_THAT(json.out, StartsWith("{\"out\":\"model.onnx\",\"method\":\"pml-gan\","));
}

TEST_F(Serve, export_refuses_what_onnx_cannot_say_and_names_it) {
  sieve({"train", "crowd.arff", "--method", "capml", "--out", "kernels"});
  const Ran ran = sieve({"export", "kernels", "kernels.onnx"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("capml"));
  EXPECT_FALSE(exists("kernels.onnx"));
  EXPECT_EQ(sieve({"export", "model", "model.txt"}).code, 2);
  EXPECT_EQ(sieve({"export", "crowd.arff", "model.onnx"}).code, 4);
}

TEST_F(Serve, every_verb_has_a_manual_page) {
  const Ran all = sieve({"help", "--man"});
  EXPECT_THAT(all.out, StartsWith(".TH SIEVE 1 "));
  const Ran ran = sieve({"help", "predict", "--man"});
  EXPECT_THAT(ran.out,
              AllOf(StartsWith(".TH SIEVE-PREDICT 1 "), HasSubstr("\n.SH SYNOPSIS\n"),
                    HasSubstr("\\fB\\-\\-top\\fR \\fIN\\fR\nwith \\-\\-kind top: labels per "
                              "row (at least 1, default 5)\n")));
}

}  // namespace
}  // namespace sieve::test
