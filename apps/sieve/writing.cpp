#include "writing.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "base/format_text.h"
#include "data/read_settings.h"
#include "labelsieve/dataset.h"
#include "reading.h"

namespace sieve {
Option force_option() {
  return flag("force", "replace existing outputs");
}

std::vector<Option> writing_options() {
  return in_group(
      "writing",
      {choice("to", format_choices(), "output format (default: from the file name)"),
       choice("labels", {"all", "candidates", "truth"}, "which labels to write", "all"),
       flag("sparse", "write sparse ARFF rows even if the data is dense"),
       flag("mat73", "write MAT version 7.3 (HDF5) instead of 5"),
       text("write-delimiter", "CHAR",
            "column separator of the CSV output: a character, or \"tab\""),
       text("write-label-column", "NAME", "write the labels as one CSV column, separated by ';'"),
       force_option()});
}

IfExists if_exists(const Arguments& arguments) {
  return arguments.flag("force") ? IfExists::Replace : IfExists::Refuse;
}

WriteOptions write_options(const Arguments& arguments) {
  using Labels = WriteOptions::Labels;
  const std::string& labels = arguments.text("labels");
  WriteOptions options;
  options.format = arguments.text("to");
  options.labels = labels == "truth"        ? Labels::Truth
                   : labels == "candidates" ? Labels::Candidates
                                            : Labels::All;
  options.sparse = arguments.flag("sparse");
  options.mat73 = arguments.flag("mat73");
  options.delimiter = arguments.character("write-delimiter");
  options.label_column = arguments.text("write-label-column");
  options.if_exists = if_exists(arguments);
  return options;
}

namespace {

// Something on the command line, in the environment or in a configuration file that may be a path.
struct NamedPath {
  std::string path;
  std::string shown;  // "--annotations annotations.csv"
};

std::vector<NamedPath> named_paths(const Arguments& arguments) {
  std::vector<NamedPath> all;
  for (const std::string& word : arguments.words()) all.push_back({word, word});
  for (const auto& [key, value] : arguments.values()) {
    const Option::Type type = arguments.spec(key).type;
    const bool files = type == Option::Type::List && arguments.spec(key).meta == "FILES";
    if (files)
      for (const std::string& path : arguments.list(key))
        all.push_back({path, "--" + key + " " + path});
    if ((type == Option::Type::Path || files) && !value.empty())
      all.push_back({value, "--" + key + " " + value});
  }
  return all;
}

// The label lists that are read along with ARFF files.
std::vector<NamedPath> read_along(const std::vector<NamedPath>& inputs) {
  std::vector<NamedPath> all;
  for (const NamedPath& input : inputs)
    if (std::filesystem::path beside = input.path; beside.extension() == ".arff") {
      beside.replace_extension(".xml");
      all.push_back({beside, beside.string() + " of " + input.path});
    }
  return all;
}

bool same_file(const std::string& one, const std::string& other) {
  struct stat a = {};
  struct stat b = {};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && S_ISREG(a.st_mode) &&
         a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

void check_not_an_input(const Arguments& arguments, const std::string& argument,
                        const std::string& file) {
  std::vector<NamedPath> others = named_paths(arguments);
  const auto own = std::ranges::find(others, argument, &NamedPath::path);
  if (own != others.end()) others.erase(own);
  std::ranges::move(read_along(others), std::back_inserter(others));
  for (const NamedPath& other : others)
    if (same_file(file, other.path))
      throw usage_error(fmt::format("the output {} is the same file as {}", file, other.shown),
                        "choose another name for the output");
}

void check_output(const Arguments& arguments, const std::string& argument, const std::string& path,
                  const WriteOptions& options) {
  if (path == "-")
    throw usage_error("a data set cannot be written to standard output", "name a file");
  for (const std::string& file : files_written(path, options)) {
    check_not_an_input(arguments, argument, file);
    const AtomicFile writable(*options.files, file, options.if_exists);
  }
}

void check_output(const Arguments& arguments, const std::string& path,
                  const WriteOptions& options) {
  check_output(arguments, path, path, options);
}

void check_writable(const Arguments& arguments, const std::string& path) {
  check_not_an_input(arguments, path, path);
  const AtomicFile writable(FileSystem::real(), path, if_exists(arguments));
}

std::string write_page(const Arguments& arguments, const std::string& argument,
                       const std::string& html) {
  const std::string& path = arguments.text(argument);
  if (path.empty()) return {};
  FileSet set;
  set.add(FileSystem::real(), path, if_exists(arguments)).write(html);
  set.commit();
  return fmt::format("\nwrote {}\n", path);
}

std::uint64_t bytes_of(const std::string& path, const WriteOptions& options) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files_written(path, options)) bytes += options.files->size(file);
  return bytes;
}

void add_lost(std::vector<std::string>& notes, const Dataset& data, const std::string& path,
              const WriteOptions& options) {
  for (std::string& note : lost_by_writing(data, path, options)) notes.push_back(std::move(note));
}

std::string written_line(const DataShape& shape, const std::string& path,
                         const WriteOptions& options) {
  const std::uint64_t bytes = bytes_of(path, options);  // none where they went to a pipe
  return fmt::format("wrote {}: {}{}\n", joined(files_written(path, options), " and "),
                     shape_text(shape), bytes == 0 ? "" : ", " + bytes_text(bytes));
}

Json written_json(const DataShape& shape, const std::string& path, const WriteOptions& options) {
  return Json::object({{"files", json_strings(files_written(path, options))},
                       {"rows", shape.rows},
                       {"features", shape.features},
                       {"labels", shape.labels},
                       {"bytes", bytes_of(path, options)}});
}

}  // namespace sieve
