#include "serving.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "flag_names.h"
#include "labelsieve/model_io.h"
#include "labelsieve/review.h"
#include "reading.h"
#include "shared_options.h"
#include "signals.h"
#include "terminal.h"
#include "terminal_progress.h"
#include "writing.h"

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

std::string file_content(const std::string& path) {
  constexpr std::uint64_t kLongest = 1 << 20;
  return read_all(*FileSystem::real().open(path), kLongest, path);
}

namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// The browser of the desktop, if there is one; what it says is not for this terminal.
void open_in_browser(const std::string& link) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const pid_t child = ::fork();
  if (child != 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int end : {0, 1, 2}) ::dup2(nowhere, end);
  ::execlp("xdg-open", "xdg-open", link.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

std::string sources_text(const std::vector<std::string>& rows, const std::string& annotations) {
  std::string text;
  for (const std::string& path : rows) text += (text.empty() ? "" : " ") + shell_word(path);
  if (!annotations.empty())
    text += (text.empty() ? "--annotations " : " --annotations ") + shell_word(annotations);
  return text;
}

std::vector<Option> page_options() {
  return in_group(
      "the page",
      {path("media", "folder of the pictures or sounds that a column names"),
       path("guidelines", "Markdown file with a heading for each label, shown beside the row"),
       text("reviewer", "NAME", "the reviewer's name that the page suggests"),
       integer("port", "port to listen on (0 = any)", 0, 65535, "0"),
       text("bind", "ADDRESS", "address to listen on", "127.0.0.1"),
       path("tls-cert", "certificate for TLS, as PEM"), path("tls-key", "its key, as PEM"),
       flag("without-tls", "listen on addresses other than this machine's without TLS"),
       flag("open", "open the page in the browser (--no-open: only print the link)")});
}

ServerOptions server_options(const Arguments& arguments) {
  ServerOptions options;
  options.address = arguments.text("bind");
  options.port = static_cast<std::uint16_t>(arguments.count("port"));
  if (arguments.has("tls-cert") != arguments.has("tls-key"))
    throw usage_error("--tls-cert and --tls-key go together");
  if (!is_loopback(options.address) && !arguments.has("tls-cert") && !arguments.flag("without-tls"))
    throw usage_error("on " + options.address + " others on the network could read along",
                      "give --tls-cert and --tls-key, or say --without-tls if you trust them");
  if (options.address == "0.0.0.0" || options.address == "::")
    throw usage_error("--bind needs the one address that reviewers will use");
  if (arguments.has("tls-cert")) {
    options.certificate = file_content(arguments.text("tls-cert"));
    options.key = file_content(arguments.text("tls-key"));
  }
  return options;
}

ReviewOptions served_options(const Arguments& arguments) {
  ReviewOptions options;
  options.decisions = arguments.text("decisions");
  options.reviewer = arguments.text("reviewer");
  options.media = arguments.text("media");
  if (arguments.has("guidelines")) options.guidelines = file_content(arguments.text("guidelines"));
  options.warn = tell;
  if (!options.media.empty() && !FileSystem::real().is_folder(options.media))
    throw Error(Failure::Io, "there is no such folder", {options.media, 0, 0},
                "give the folder with the pictures or sounds to --media");
  return options;
}

void serve_until_stopped(const ReviewPage& page, const Arguments& arguments,
                         const std::string& welcome) {
  for (const std::string& note : page.notes()) tell(note);
  serve_until_stopped(page.link(), arguments, welcome);
}

void serve_until_stopped(const std::string& link, const Arguments& arguments,
                         const std::string& welcome) {
  StandardOutput().write(welcome);
  if (::isatty(STDOUT_FILENO) != 0 && arguments.flag("open")) open_in_browser(link);
  while (!StopRequests::came()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace sieve
