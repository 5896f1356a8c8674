#include <filesystem>
#include <sstream>

#include "cli.h"

namespace sieve::test {
namespace {

// The lines of the ```sh blocks that run the command, in order.
std::vector<std::string> commands_of(const std::string& page) {
  std::istringstream lines(read_file(page));
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      inside = !inside && line == "```sh";
    else if (inside && line.starts_with("sieve "))
      commands.push_back(line);
  }
  return commands;
}

std::vector<std::string> pages() {
  std::vector<std::string> found = {PROJECT_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(PROJECT_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path().string());
  return found;
}

TEST(Docs, every_command_shown_runs) {
  const std::string bin = std::filesystem::path(SIEVE_COMMAND).parent_path().string();
  for (const std::string& page : pages()) {
    const TempFolder folder;
    for (const std::string& command : commands_of(page)) {
      const Ran ran =
          run_program({"bash", "-c", "PATH=" + shell_quoted(bin) + ":$PATH\n" + command},
                      {.folder = folder.path()});
      EXPECT_EQ(ran.code, 0) << page << ": " << command << "\n" << ran.err;
    }
  }
}

TEST(Docs, the_page_of_the_command_shows_every_verb) {
  const std::string page = read_file(PROJECT_SOURCE_DIR "/docs/command.md");
  for (const char* verb : {"inspect", "convert", "corrupt", "split", "train", "predict", "clean",
                           "evaluate", "info", "synth", "methods", "help", "completion"})
    EXPECT_THAT(page, ::testing::HasSubstr(std::string("\nsieve ") + verb)) << verb;
}

}  // namespace
}  // namespace sieve::test
