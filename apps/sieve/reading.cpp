#include "reading.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "data/annotations/item_data.h"
#include "data/question.h"
#include "data/read_settings.h"
#include "data/roles/roles_file.h"
#include "flag_names.h"
#include "labelsieve/data_io.h"
#include "labelsieve/options.h"

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

struct Taken {
  ReadSettings all{};
  std::vector<const ReadSetting*> given{};
};

Taken taken_from(const Arguments& arguments, const std::vector<ReadSetting>& table) {
  auto [all, given] = Taken();
  for (const ReadSetting& row : table) {
    const std::string& value = arguments.text(row.option.key);
    if (value.empty()) continue;
    const std::string problem = put_checked(row, all, typed_value(row.option, value));
    if (!problem.empty()) throw usage_error(as_flag(row), flag_of(row), problem);
    if (arguments.given(row.option.key) && value != "false") given.push_back(&row);
  }
  check_read_settings(all, given, flag_of);
  return {std::move(all), std::move(given)};
}

ReadOptions options_of(const Arguments& arguments, const std::vector<ReadSetting>& table) {
  Taken taken = taken_from(arguments, table);
  if (const std::string& roles = arguments.text("roles"); !roles.empty())
    apply_roles(roles, taken.all, taken.given);
  return taken.all.options;
}

}  // namespace

std::vector<Option> reading_options(const std::string& labels_are) {
  std::vector<Option> options = as_flags(data_settings());
  std::ranges::find(options, "labels-are", &Option::key)->default_value = labels_are;
  options.push_back(path("roles", "roles of columns, as sieve inspect --roles writes them"));
  options.push_back(threads_option());
  return in_group("reading the data", std::move(options));
}

std::vector<Option> annotation_options() {
  std::vector<Option> options = in_group("annotations", as_flags(annotation_settings()));
  std::ranges::find(options, "annotations", &Option::key)->group = "";  // what most people give
  return options;
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

ReadOptions given_options(const Arguments& arguments, ThreadPool& pool,
                          std::vector<std::pair<std::string, std::string>>& given) {
  ReadOptions options = taken_from(arguments, data_settings()).all.options;
  const Taken ticks = taken_from(arguments, annotation_settings());
  options.ticks = ticks.all.options.ticks;
  options.threads = &pool;
  for (const ReadSetting& row : read_setting_table())
    if (arguments.has(row.option.key) && arguments.given(row.option.key))
      given.emplace_back(row.option.key, arguments.text(row.option.key));
  return options;
}

std::string reading_text(const Arguments& arguments) {
  std::string text;
  const auto add = [&](const std::string& key) {
    const bool flag = arguments.spec(key).type == OptionSpec::Type::Flag;
    text += " --" + key + (flag ? "" : " " + shell_word(arguments.text(key)));
  };
  for (const ReadSetting& row : read_setting_table())
    if (const std::string& key = row.option.key; key != "annotations" && arguments.has(key) &&
                                                 arguments.given(key) &&
                                                 arguments.text(key) != "false")
      add(key);
  if (arguments.has("roles")) add("roles");
  return text;
}

AnnotationOptions annotation_options_of(const Arguments& arguments) {
  return options_of(arguments, annotation_settings()).ticks;
}

namespace {

std::string flags_of(const ReadAnswer& answer) {
  std::string flags;
  for (const auto& [name, value] : answer.settings) flags += " " + term(name, value);
  return flags;
}

ReadOptions with_annotations(const Arguments& arguments, ReadOptions options) {
  const bool keep_unseen = options.ticks.keep_unseen;
  options.ticks = annotation_options_of(arguments);
  options.ticks.keep_unseen |= keep_unseen;
  return options;
}

// Everything that is unclear, with the command for what is likely.
[[noreturn]] void ask_all(const ReadQuestion& first, std::vector<OpenQuestion> open) {
  const RoleTable table{.open = std::move(open)};
  std::string what = fmt::format("{} things are unclear", table.open.size());
  std::string hint = "if this is right: " + table.likeliest_call();
  for (const OpenQuestion& question : table.open) {
    what += "\n  " + question.message;
    for (std::size_t i = 1; i < question.answers.size(); ++i)
      hint += "\n  " + question.answers[i].meaning + ":" + flags_of(question.answers[i]);
  }
  throw Error(Failure::Data, what, first.where(), hint);
}

// All that is unclear is asked at once.
Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   const ReadOptions& options, bool guess_texts) {
  try {
    Dataset data = read_or_ask(paths, options, guess_texts);
    if (arguments.has("truth")) read_truth(data, arguments.text("truth"), options);
    return data;
  } catch (const ReadQuestion& first) {
    std::vector<OpenQuestion> open = open_questions(paths, options, guess_texts);
    if (open.size() < 2) throw;
    ask_all(first, std::move(open));
  }
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

Dataset read_votes(const Arguments& arguments, ThreadPool& pool, std::vector<std::string>& notes) {
  Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes)
    throw usage_error("nothing says who ticked what", "give the annotations with --annotations");
  return data;
}

std::vector<Option> vote_reading_options() {
  std::vector<Option> all = reading_options("candidates");
  for (const auto& more : {annotation_options(), {truth_option()}})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

Dataset read_with_texts(const Arguments& arguments, const std::vector<std::string>& paths,
                        ReadOptions options) {
  return read_input(arguments, paths, with_annotations(arguments, std::move(options)), true);
}

}  // namespace sieve
