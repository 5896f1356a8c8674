#include "reading.h"

#include <algorithm>

#include "data/annotations/item_data.h"
#include "data/read_settings.h"
#include "labelsieve/data_io.h"

namespace sieve {
namespace {

std::string flag_of(const ReadSetting& row) {
  return "--" + row.option.key;
}

Option as_flag(const ReadSetting& row) {
  Option option = row.option;
  option.aliases = row.aliases;
  option.help = named_help(option.help, [](const std::string& key) { return "--" + key; });
  return option;
}

std::vector<Option> as_flags(const std::vector<ReadSetting>& table) {
  std::vector<Option> options;
  for (const ReadSetting& row : table) options.push_back(as_flag(row));
  return options;
}

ReadOptions options_of(const Arguments& arguments, const std::vector<ReadSetting>& table) {
  ReadSettings all;
  std::vector<const ReadSetting*> given;
  for (const ReadSetting& row : table) {
    const std::string& value = arguments.text(row.option.key);
    if (value.empty()) continue;
    const std::string problem = put_checked(row, all, typed_value(row.option, value));
    if (!problem.empty()) throw usage_error(as_flag(row), flag_of(row), problem);
    if (arguments.given(row.option.key) && value != "false") given.push_back(&row);
  }
  check_read_settings(all, given, flag_of);
  return all.options;
}

}  // namespace

std::vector<Option> reading_options(const std::string& labels_are) {
  std::vector<Option> options = as_flags(data_settings());
  std::ranges::find(options, "labels-are", &Option::key)->default_value = labels_are;
  options.push_back(threads_option());
  return options;
}

std::vector<Option> annotation_options() {
  return as_flags(annotation_settings());
}

Option truth_option() {
  return as_flag(truth_setting());
}

Option threads_option() {
  return integer("threads", "threads (0 = all cores); results do not depend on it", 0, 1024, "0");
}

ReadOptions read_options(const Arguments& arguments, ThreadPool& pool,
                         std::vector<std::string>& notes) {
  ReadOptions options = options_of(arguments, data_settings());
  options.threads = &pool;
  options.notes = &notes;
  return options;
}

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   ThreadPool& pool, std::vector<std::string>& notes) {
  return read_input(arguments, paths, read_options(arguments, pool, notes));
}

Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ThreadPool& pool, std::vector<std::string>& notes) {
  return read_ticked(arguments, paths, read_options(arguments, pool, notes));
}

Dataset read_to_write(const Arguments& arguments, const std::vector<std::string>& paths,
                      ThreadPool& pool, std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.keep_cells = true;
  return read_ticked(arguments, paths, options);
}

AnnotationOptions annotation_options_of(const Arguments& arguments) {
  return options_of(arguments, annotation_settings()).ticks;
}

namespace {

ReadOptions with_annotations(const Arguments& arguments, ReadOptions options) {
  const bool keep_unseen = options.ticks.keep_unseen;
  options.ticks = annotation_options_of(arguments);
  options.ticks.keep_unseen |= keep_unseen;
  return options;
}

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   const ReadOptions& options, bool guess_texts) {
  Dataset data = read_dataset_with_texts(paths, options, guess_texts);
  if (arguments.has("truth")) read_truth(data, arguments.text("truth"), options);
  return data;
}

}  // namespace

Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   const ReadOptions& options) {
  return read_input(arguments, paths, options, false);
}

Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ReadOptions options) {
  return read_input(arguments, paths, with_annotations(arguments, std::move(options)), false);
}

Dataset read_with_texts(const Arguments& arguments, const std::vector<std::string>& paths,
                        ReadOptions options) {
  return read_input(arguments, paths, with_annotations(arguments, std::move(options)), true);
}

}  // namespace sieve
