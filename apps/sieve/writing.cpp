#include "writing.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/dataset_summary.h"

namespace sieve {
namespace {

Format format_of(const std::string& path, const WriteOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = format_of_name(path)) return *format;
  throw Error(Failure::Usage, "the name does not tell the format to write", {path, 0, 0},
              "end it in .arff, .svm, .csv, .tsv, .mat (and .gz) or .sieve, or give --to");
}

bool cut_suffix(std::string& path, const std::string& suffix) {
  if (path.size() <= suffix.size() || !path.ends_with(suffix)) return false;
  path.resize(path.size() - suffix.size());
  return true;
}

}  // namespace

Option force_option() {
  return flag("force", "replace an output that exists already");
}

std::vector<Option> writing_options() {
  return {
      choice("to", {"arff", "libsvm", "csv", "mat", "binary"}, "format to write; else by the name"),
      choice("labels", {"all", "candidates", "truth"}, "which labels to write", "all"),
      flag("sparse", "write sparse ARFF rows even if the data is dense"),
      flag("mat73", "write MAT version 7.3 (HDF5) instead of 5"),
      text("write-delimiter", "CHAR", "what cuts the columns of the CSV written, or tab"),
      text("write-label-column", "NAME", "write the labels as one CSV column, cut by ';'"),
      force_option()};
}

IfExists if_exists(const Arguments& arguments) {
  return arguments.flag("force") ? IfExists::Replace : IfExists::Refuse;
}

WriteOptions write_options(const Arguments& arguments) {
  using Labels = WriteOptions::Labels;
  const std::string& labels = arguments.text("labels");
  WriteOptions options;
  if (arguments.has("to")) options.format = parse_format(arguments.text("to"));
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
  for (const std::string& file : files_of(path, options))
    AtomicFile(*options.files, file, options.if_exists);
}

std::vector<std::string> files_of(const std::string& path, const WriteOptions& options) {
  std::vector<std::string> files = {path};
  if (format_of(path, options) != Format::Arff) return files;
  std::string stem = path;
  cut_suffix(stem, ".gz");
  cut_suffix(stem, ".arff");
  files.push_back(stem + ".xml");
  return files;
}

std::uint64_t bytes_of(const std::string& path, const WriteOptions& options) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files_of(path, options)) bytes += options.files->size(file);
  return bytes;
}

std::string written_line(const DataShape& shape, const std::string& path,
                         const WriteOptions& options) {
  const std::uint64_t bytes = bytes_of(path, options);  // none where they went to a pipe
  return fmt::format("wrote {}: {}{}\n", joined(files_of(path, options), " and "),
                     shape_text(shape), bytes == 0 ? "" : ", " + bytes_text(bytes));
}

Json written_json(const DataShape& shape, const std::string& path, const WriteOptions& options) {
  return Json::object({{"files", json_strings(files_of(path, options))},
                       {"rows", shape.rows},
                       {"features", shape.features},
                       {"labels", shape.labels},
                       {"bytes", bytes_of(path, options)}});
}

}  // namespace sieve
