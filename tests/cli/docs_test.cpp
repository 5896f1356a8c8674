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
  std::vector<std::string> found = {project_folder() + "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(project_folder() + "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path().string());
  return found;
}

TEST(Docs, every_command_shown_runs) {
  const std::string bin = std::filesystem::path(sieve_command()).parent_path().string();
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

// The commands in the table "I have ..." of README.md.
std::vector<std::string> commands_by_need() {
  std::istringstream lines(read_file(project_folder() + "/README.md"));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t start = line.find("| `sieve "); start != std::string::npos)
      found.push_back(line.substr(start + 3, line.rfind('`') - start - 3));
  return found;
}

// Rows of two numbers as NumPy saves them.
std::string npy_file(const std::vector<float>& values) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                     std::to_string(values.size() / 2) + ", 2), }";
  head.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00v\x00", 10) + head + "\n" +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

TEST(Docs, the_readme_answers_what_annotators_have_with_commands_that_run) {
  const TempFolder folder;
  std::string items = "id,blue,green\n", table = "id,blue,green,tags\n", texts = "text,tags\n",
              labels = "sea,wood\n", annotations = "id,annotator,label\n";
  std::vector<float> vectors;
  for (int i = 0; i < 40; ++i) {
    const bool sea = i % 2 == 0;
    const std::string id = "p" + std::to_string(i), label = sea ? "sea" : "wood";
    const std::string cells = (sea ? "0.9,0.1" : "0.1,0.9") + std::to_string(i);
    items += id + "," + cells + "\n";
    table += id + "," + cells + "," + (i % 7 == 0 ? "sea;wood" : label) + "\n";
    texts += std::string(sea ? "waves and wind " : "leaves and trees ") + id + "," + label + "\n";
    labels += sea ? "1,0\n" : "0,1\n";
    vectors.insert(vectors.end(), {sea ? 0.9F : 0.1F, static_cast<float>(i)});
    for (const char* annotator : {"ann", "bob", "cy"})
      annotations += id + "," + annotator + "," + label + "\n";
  }
  write_file(folder / "items.csv", items);
  write_file(folder / "export.csv", annotations);
  write_file(folder / "table.csv", table);
  write_file(folder / "texts.csv", texts);
  write_file(folder / "labels.csv", labels);
  write_file(folder / "vectors.npy", npy_file(vectors));
  const std::string bin = std::filesystem::path(sieve_command()).parent_path().string();
  const std::vector<std::string> commands = commands_by_need();
  ASSERT_EQ(commands.size(), 5u);
  for (const std::string& command : commands) {
    const Ran ran =
        run_program({"bash", "-c", "PATH=" + shell_quoted(bin) + ":$PATH\n" + command + " --force"},
                    {.folder = folder.path()});
    EXPECT_EQ(ran.code, 0) << command << "\n" << ran.err;
  }
}

TEST(Docs, the_page_of_cpp_quotes_the_quickstart_as_it_is_built) {
  EXPECT_THAT(
      read_file(project_folder() + "/docs/cpp.md"),
      HasSubstr("```cpp\n" + read_file(project_folder() + "/examples/quickstart.cpp") + "```"));
}

TEST(Docs, the_page_of_the_command_shows_every_verb_format_and_protocol) {
  const std::string page = read_file(project_folder() + "/docs/command.md");
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
  const std::string page = read_file(project_folder() + "/docs/formats/ticks.md");
  for (const std::string& format : annotation_format_names())
    EXPECT_THAT(page, HasSubstr("\n| `" + format + "` |"));
  for (const Option& option : annotation_options()) EXPECT_THAT(page, HasSubstr("--" + option.key));
}

TEST(Docs, the_pages_of_preparation_and_plans_name_every_noise_protocol) {
  for (const char* page : {"/docs/preparation.md", "/docs/experiment.md"})
    for (const NoiseProtocol& protocol : noise_protocols())
      EXPECT_THAT(read_file(project_folder() + page), HasSubstr(protocol.name)) << page;
}

}  // namespace
}  // namespace sieve::test
