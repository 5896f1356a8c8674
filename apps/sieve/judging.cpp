#include "judging.h"

#include <memory>
#include <utility>

#include "flag_names.h"
#include "labelsieve/model_io.h"
#include "labelsieve/review.h"
#include "method_choice.h"
#include "reading.h"
#include "terminal_progress.h"

namespace sieve {
namespace {

bool names_count(const Dataset& data) {
  return data.votes && overlap_of(*data.votes).identifies_annotators();
}

Judged judge_by_model(const Arguments& arguments, const std::vector<std::string>& words,
                      const ReadOptions& read, ThreadPool& pool) {
  const std::string& path = arguments.text("model");
  const std::shared_ptr<const Model> model = load_model(path);
  ReadOptions options = read;
  options.recipe = model->state().recipe;
  Judged judged =
      judge(read_rows(arguments, words, options),
            for_review({.model = model.get(), .name = path, .fit = {.threads = &pool}}));
  judged.model = model;
  return judged;
}

Judged judge_by_file(Dataset data, const std::string& path, ThreadPool& pool) {
  ProbabilityFile file = read_probability_file(path, data);
  JudgeRequest request = for_review({.name = path, .fit = {.threads = &pool}});
  if (file.scores) request.scores = &*file.scores;
  if (file.scores) return judge(std::move(data), request);
  if (!names_count(data)) return {std::move(data), std::move(file.candidates), path};
  Judged judged = judge(std::move(data), request);
  judged.judge = path;
  judged.probabilities = std::move(file.candidates);
  return judged;
}

// As sieve clean does it.
Judged judge_by_training(Dataset data, const Arguments& arguments, ThreadPool& pool,
                         Progress& progress) {
  return judge(std::move(data),
               for_review({.method = arguments.text("method"),
                           .settings = method_settings(arguments).values(),
                           .regress = !arguments.given("method") && !arguments.given("set"),
                           .keep_model = true,
                           .fit = {.seed = static_cast<std::uint64_t>(arguments.integer("seed")),
                                   .threads = &pool,
                                   .progress = &progress}}));
}

}  // namespace

// Rows stay in the order of the file, whether somebody looked at them or not.
Dataset read_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  ReadOptions options) {
  options.ticks.keep_unseen = true;
  options.keep_cells = true;     // by which decisions are known to be about these rows
  options.keep_left_out = true;  // people read them
  return read_with_texts(arguments, words, std::move(options));
}

Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool, Progress& bar) {
  if (arguments.has("model") && arguments.has("probabilities"))
    throw usage_error("give --model or --probabilities, not both");
  WorkProgress progress(bar);
  progress.part("Read", kReadShare);
  if (arguments.has("model")) return judge_by_model(arguments, words, read, pool);
  Dataset data = read_rows(arguments, words, read);
  if (arguments.has("probabilities"))
    return judge_by_file(std::move(data), arguments.text("probabilities"), pool);
  Progress& judging = progress.part("Learn", 1);
  if (data.votes && !trains_judge(arguments, data))
    return judge(std::move(data), for_review({.fit = {.threads = &pool}}));
  return judge_by_training(std::move(data), arguments, pool, judging);
}

Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool) {
  TerminalProgress bar(ProgressOutput::standard_error(arguments));
  return judge_rows(arguments, words, read, pool, bar);
}

bool trains_judge(const Arguments& arguments, const Dataset& data) {
  return !arguments.has("model") && !arguments.has("probabilities") && data.features.cols() > 0;
}

std::string judging_text(const Arguments& arguments) {
  std::string text;
  for (const char* key : {"model", "probabilities", "method", "set", "seed"})
    if (arguments.given(key))
      text += " --" + std::string(key) + " " + shell_word(arguments.text(key));
  return text;
}

std::vector<Option> judging_options() {
  return {path("model", "take the probabilities from this model"),
          renamed(path("probabilities", "take them from this file: suspects of clean, or scores"),
                  "confidence")};
}

}  // namespace sieve
