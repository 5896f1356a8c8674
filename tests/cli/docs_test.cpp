#include <filesystem>
#include <map>
#include <sstream>

#include "cli.h"
#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"
#include "reading.h"
#include "verbs.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

struct Page {
  std::vector<std::string> commands;         // lines of the ```sh blocks that run the command
  std::map<std::string, std::string> files;  // "```toml plan.toml" is a file to have beside them
};

Page read_page(const std::string& path) {
  std::istringstream lines(read_file(path));
  Page page;
  bool inside = false;
  std::string kind;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      kind = line.substr(3);
    } else if (inside && kind == "sh" && line.starts_with("sieve ")) {
      page.commands.push_back(line);
    } else if (const std::size_t blank = kind.find(' '); inside && blank != std::string::npos) {
      page.files[kind.substr(blank + 1)] += line + "\n";
    }
  }
  return page;
}

std::vector<std::string> pages() {
  std::vector<std::string> found = {PROJECT_SOURCE_DIR "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(PROJECT_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path().string());
  return found;
}

TEST(Docs, every_command_shown_runs) {
  const std::string bin = std::filesystem::path(SIEVE_COMMAND).parent_path().string();
  for (const std::string& path : pages()) {
    const TempFolder folder;
    const Page page = read_page(path);
    for (const auto& [name, content] : page.files) write_file(folder / name, content);
    for (const std::string& command : page.commands) {
      const Ran ran =
          run_program({"bash", "-c", "PATH=" + shell_quoted(bin) + ":$PATH\n" + command},
                      {.folder = folder.path()});
      EXPECT_EQ(ran.code, 0) << path << ": " << command << "\n" << ran.err;
    }
  }
}

TEST(Docs, the_readme_quotes_the_quickstart_as_it_is_built) {
  EXPECT_THAT(
      read_file(PROJECT_SOURCE_DIR "/README.md"),
      HasSubstr("```cpp\n" + read_file(PROJECT_SOURCE_DIR "/examples/quickstart.cpp") + "```"));
}

TEST(Docs, the_page_of_the_command_shows_every_verb_format_and_protocol) {
  const std::string page = read_file(PROJECT_SOURCE_DIR "/docs/command.md");
  for (const Verb& verb : all_verbs()) EXPECT_THAT(page, HasSubstr("\nsieve " + verb.name));
  for (const std::string& format : format_names())
    EXPECT_THAT(page, HasSubstr("`" + extension_of(format) + "`"));
  for (const NoiseProtocol& protocol : noise_protocols()) {
    EXPECT_THAT(page, HasSubstr("\n| `" + protocol.name + "` |"));
    for (const OptionSpec& option : protocol.options)
      EXPECT_THAT(page, HasSubstr("`--" + option.key + "`"));
  }
}

TEST(Docs, the_page_of_ticks_shows_every_layout_and_flag) {
  const std::string page = read_file(PROJECT_SOURCE_DIR "/docs/formats/ticks.md");
  for (const std::string& format : tick_format_names())
    EXPECT_THAT(page, HasSubstr("\n| `" + format + "` |"));
  for (const Option& option : ticks_options()) EXPECT_THAT(page, HasSubstr("--" + option.key));
}

TEST(Docs, the_pages_of_preparation_and_plans_name_every_noise_protocol) {
  for (const char* page : {"/docs/preparation.md", "/docs/experiment.md"})
    for (const NoiseProtocol& protocol : noise_protocols())
      EXPECT_THAT(read_file(std::string(PROJECT_SOURCE_DIR) + page), HasSubstr(protocol.name))
          << page;
}

}  // namespace
}  // namespace sieve::test
