// What a terminal shows, recorded as text at some widths.
#include "support/terminal.h"

#include <iterator>
#include <regex>
#include <sstream>

#include "base/table.h"
#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class InTerminals : public Cli {
 protected:
  InTerminal run(std::vector<std::string> words, std::size_t columns,
                 const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), sieve_command());
    return run_in_terminal(words, columns, folder_.path(), environment);
  }
  std::string screen(const std::vector<std::string>& words, std::size_t columns) const {
    Screen screen(columns);
    screen.put(run(words, columns).bytes);
    return screen.text();
  }
  std::vector<std::string> clean_of_a_crowd() const {
    const Ran made = sieve(
        {"synth", "--rows", "200", "--labels", "8", "--out", "d.csv", "--annotations", "t.csv"});
    EXPECT_EQ(made.code, 0) << made.err;
    return {"clean",    "--annotations", "t.csv", "d.csv",
            "--method", "mlp",           "--set", "epochs=2,width=8,members=1,depth=1"};
  }
  static std::string recorded(const std::string& name, std::size_t columns) {
    return read_file(tests_folder() + "/cli/recordings/" + name + "-" + std::to_string(columns) +
                     ".txt");
  }
};

TEST_F(InTerminals, sieve_alone_is_as_recorded) {
  for (const std::size_t columns : {40U, 60U, 120U})
    EXPECT_EQ(screen({}, columns), recorded("sieve", columns));
}

TEST_F(InTerminals, help_is_as_recorded_with_common_flags_first) {
  for (const std::size_t columns : {40U, 60U, 120U})
    EXPECT_EQ(screen({"help", "synth"}, columns), recorded("help-synth", columns));
}

TEST_F(InTerminals, tables_fit_or_stand_row_below_row) {
  write("ticks.csv",
        "item,worker,label\na,a-long-name-of-somebody,sea\na,w2,sea\nb,w2,hill\n"
        "b,a-long-name-of-somebody,hill\nc,w2,sea\n");
  for (const std::size_t columns : {40U, 60U, 120U}) {
    const std::string shown =
        run({"annotators", "--annotations", folder_ / "ticks.csv", "--quiet"}, columns).bytes;
    EXPECT_EQ(shown.find("annotator  ") != shown.npos, columns == 120U) << shown;
    std::istringstream lines(std::regex_replace(shown, std::regex("\x1b\\[[0-9;]*m|\r"), ""));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  ")) EXPECT_LE(display_width(line), columns) << line;
  }
}

// The words of a help; lists of choices may have been broken after a bar.
std::vector<std::string> words_of(const std::string& help) {
  std::istringstream in(std::regex_replace(help, std::regex("\\|\n +"), "|"));
  return {std::istream_iterator<std::string>(in), {}};
}

TEST_F(InTerminals, no_line_of_any_help_is_too_long_or_broken_inside_a_word) {
  for (const char* verb : {"clean", "review", "open", "audit", "train", "experiment", "annotators"})
    for (const char* columns : {"40", "60"}) {
      const std::string narrow = sieve({"help", verb}, {.set = {{"COLUMNS", columns}}}).out;
      std::istringstream lines(narrow);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), std::stoul(columns)) << verb << ": " << line;
      EXPECT_EQ(words_of(narrow), words_of(sieve({"help", verb}).out)) << verb;
    }
}

TEST_F(InTerminals, a_failure_is_red_unless_colours_are_forbidden) {
  const InTerminal red = run({"inspect", "missing.csv"}, 80);
  EXPECT_EQ(red.code, 5);
  EXPECT_THAT(red.bytes, StartsWith("\x1b[1;31msieve:\x1b[0m "));
  for (const char* plain : {"NO_COLOR=1", "TERM=dumb"})
    EXPECT_THAT(run({"inspect", "missing.csv"}, 80, {plain}).bytes, StartsWith("sieve: "));
}

TEST_F(InTerminals, claims_have_the_colour_of_their_basis) {
  const std::vector<std::string> clean = clean_of_a_crowd();
  const InTerminal coloured = run(clean, 80);
  EXPECT_EQ(coloured.code, 0) << coloured.bytes;
  EXPECT_THAT(coloured.bytes, HasSubstr("\x1b[2mguess "));
  EXPECT_THAT(coloured.bytes, HasSubstr("Learn"));
  EXPECT_THAT(coloured.bytes, Not(HasSubstr("L_c")));
  EXPECT_THAT(run(clean, 80, {"NO_COLOR=1"}).bytes, Not(HasSubstr("\x1b[2m")));
  Screen left(60);
  left.put(run(clean, 60).bytes);
  EXPECT_THAT(left.text(), Not(HasSubstr("\u2501")));  // no copy of the bar stays
}

TEST_F(InTerminals, a_terminal_without_a_width_is_survived) {
  const InTerminal ran = run({"help", "clean"}, 0, {"COLUMNS=0"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.bytes, HasSubstr("--suspects FILE"));
  EXPECT_THAT(run(clean_of_a_crowd(), 0, {"COLUMNS=0"}).bytes, HasSubstr("Learn"))
      << "progress is shown";
}

}  // namespace
}  // namespace sieve::test
