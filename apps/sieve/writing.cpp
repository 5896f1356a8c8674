#include "writing.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/dataset_summary.h"

namespace sieve {
Option force_option() {
  return flag("force", "replace existing outputs");
}

std::vector<Option> writing_options() {
  return {
      choice("to", format_names(), "output format (default: from the file name)"),
      choice("labels", {"all", "candidates", "truth"}, "which labels to write", "all"),
      flag("sparse", "write sparse ARFF rows even if the data is dense"),
      flag("mat73", "write MAT version 7.3 (HDF5) instead of 5"),
      text("write-delimiter", "CHAR",
           "column separator of the CSV output: a character, or \"tab\""),
      text("write-label-column", "NAME", "write the labels as one CSV column, separated by ';'"),
      force_option()};
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

void check_output(const std::string& path, const WriteOptions& options) {
  if (path == "-")
    throw usage_error("a data set cannot be written to standard output", "name a file");
  for (const std::string& file : files_written(path, options))
    const AtomicFile writable(*options.files, file, options.if_exists);
}

void check_writable(const std::string& path, IfExists exists) {
  const AtomicFile writable(FileSystem::real(), path, exists);
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
