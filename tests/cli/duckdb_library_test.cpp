#include "cli.h"
#include "labelsieve/files.h"

// Libraries that are not the DuckDB that is needed. What works with it: tests/data/duckdb_test.cpp.
namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OtherLibrary : public Cli {
 protected:
  // What is said of a Parquet file with that library.
  std::string said(const std::string& library, const std::vector<std::string>& words) const {
    RunOptions options;
    options.set = {{"SIEVE_DUCKDB", library}};
    const Ran ran = sieve(words, options);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("@duckdb/node-bindings-linux-x64")) << "how to get it";
    return ran.err;
  }
};

TEST_F(OtherLibrary, is_refused_by_its_version_and_what_it_lacks) {
  write("d.parquet", "PAR1 and more");
  write("d.csv", "x,label:a\n1,1\n2,0\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"inspect", "d.parquet"},
                                                {"inspect", "sql:SELECT 1"},
                                                {"inspect", "--annotations", "sql:SELECT 1"},
                                                {"convert", "d.csv", "out.parquet"}})
    EXPECT_THAT(said(OLD_DUCKDB, words),
                AllOf(HasSubstr("version v0.3.4"), HasSubstr("has no duckdb_create_config")));
  EXPECT_FALSE(FileSystem::real().exists(folder_ / "out.parquet"));
}

TEST_F(OtherLibrary, that_is_no_duckdb_or_no_library_is_named) {
  write("d.parquet", "PAR1 and more");
  write("text.so", "not a library");
  EXPECT_THAT(said("libz.so.1", {"inspect", "d.parquet"}), HasSubstr("version unknown"));
  EXPECT_THAT(said(folder_ / "text.so", {"inspect", "d.parquet"}),
              AllOf(HasSubstr("cannot load DuckDB from SIEVE_DUCKDB"), HasSubstr("text.so")));
  EXPECT_THAT(said(folder_ / "none.so", {"inspect", "d.parquet"}), HasSubstr("none.so"));
}

}  // namespace
}  // namespace sieve::test
