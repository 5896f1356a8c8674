#include "cli.h"
#include "labelsieve/files.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

class Memory : public Cli {
 protected:
  // Some kilobytes that unpack to 40 MB.
  Memory() {
    AtomicFile file(FileSystem::real(), folder_ / "large.csv.gz", IfExists::Refuse);
    const auto packed = gzip_into(file);
    packed->write("x,label:a,label:b\n");
    std::string rows;
    for (int i = 0; i < 50000; ++i) rows += "0,1,0\n1,0,1\n";
    for (int i = 0; i < 70; ++i) packed->write(rows);
    packed->close();
    file.commit();
  }
};

TEST_F(Memory, a_file_that_unpacks_to_more_than_allowed_is_refused_by_every_verb_that_keeps_it) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"inspect", "large.csv.gz"},
        {"convert", "large.csv.gz", "out.arff"},
        {"split", "large.csv.gz", "--indices", "rows.tsv", "--folds", "5"},
        {"corrupt", "large.csv.gz", "out.arff", "--protocol", "fill", "--average", "2"},
        {"train", "large.csv.gz", "--out", "model"},
        {"clean", "large.csv.gz"},
        {"evaluate", "--truth", "large.csv.gz", "--decisions", "large.csv.gz"}}) {
    std::vector<std::string> limited = words;
    limited.insert(limited.end(), {"--max-memory", "30M"});
    const Ran ran = sieve(limited);
    EXPECT_EQ(ran.code, 3) << words[0] << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("large.csv.gz: at least 3")) << words[0];
    EXPECT_THAT(ran.err, HasSubstr("MB of memory is needed; the limit is 30.0 MB"));
  }
}

TEST_F(Memory, what_fits_is_read_and_what_is_read_in_blocks_need_not_fit) {
  EXPECT_EQ(sieve({"split", "large.csv.gz", "--indices", "rows.tsv", "--max-memory", "400M"}).code,
            0);
  const Ran converted = sieve({"convert", "large.csv.gz", "out.sieve", "--max-memory", "100MB"});
  EXPECT_EQ(converted.code, 0) << converted.err;
}

TEST_F(Memory, the_limit_must_be_an_amount) {
  for (const char* wrong : {"many", "-1", "0", "1X", "1MM", "nan", "1e99", "G"}) {
    const Ran ran = sieve({"inspect", "large.csv.gz", "--max-memory", wrong});
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_THAT(ran.err, HasSubstr("not an amount of memory")) << wrong;
  }
}

}  // namespace
}  // namespace sieve::test
