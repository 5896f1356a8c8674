#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "base/table.h"
#include "flag_names.h"
#include "help.h"
#include "labelsieve/error.h"
#include "labelsieve/threads.h"
#include "linalg/target.h"
#include "settings.h"
#include "shared_options.h"
#include "signals.h"
#include "terminal.h"
#include "verbs.h"

namespace sieve {
namespace {

struct Outcome {
  Report report;
  bool json = false, quiet = false;
};

// For tests: the kernels of a narrower processor than this one.
void use_target_of_environment() {
  const char* name = std::getenv("SIEVE_TARGET");
  if (name == nullptr || *name == '\0') return;
  try {
    use_target(name);
  } catch (const Error& error) {
    throw Error(error.kind(), "SIEVE_TARGET: " + error.message(), {}, error.hint());
  }
}

Outcome run(const std::vector<std::string>& words) {
  use_target_of_environment();
  if (words.empty() || words[0] == "--help" || words[0] == "-h")
    return {{.text = overview(terminal_width(STDOUT_FILENO))}};
  if (words[0] == "--version") return {{.text = std::string("sieve ") + version() + "\n"}};
  if (words[0].starts_with("-"))
    throw usage_error("give a verb first, before " + words[0], "see: sieve help");

  const Verb& verb = find_verb(words[0]);
  ParsedFlags flags = parse_flags(verb, {words.begin() + 1, words.end()});
  if (flags.help) return {{.text = help_of(verb, terminal_width(STDOUT_FILENO))}};
  const Arguments arguments = effective_arguments(verb, std::move(flags), all_verbs());
  if (arguments.flag("print-config")) return {{.text = config_text(verb, arguments)}};
  heed_memory_option(arguments);
  if (is_drawable(STDOUT_FILENO)) set_table_width(terminal_width(STDOUT_FILENO));
  return {verb.run(arguments), arguments.flag("json"), arguments.flag("quiet")};
}

// A closed descriptor would be taken by the next file we open, which our report would then spoil.
bool hold_standard_streams() {
  bool output_open = true;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      if (descriptor == STDOUT_FILENO) output_open = false;
      if (::open("/dev/null", O_RDWR) != descriptor) return false;
    }
  return output_open;
}

int print(const Outcome& outcome, bool output_open) {
  if (outcome.report.silent) return 0;
  if (!outcome.quiet)
    for (const std::string& note : outcome.report.notes) tell(note);
  const std::string text = outcome.json ? outcome.report.json.text() + "\n"
                                        : harmless(with_colours(outcome.report.text));
  const int error = output_open ? write_all(STDOUT_FILENO, text) : EBADF;
  // Whoever closed the pipe (head, less) has seen enough: no message.
  if (error != 0 && error != EPIPE)
    tell_failure(std::string("standard output: write failed: ") + std::strerror(error));
  if (error != 0) return static_cast<int>(Failure::Io);
  for (const std::string& failed : outcome.report.failed_checks) tell_failure(failed);
  return outcome.report.failed_checks.empty() ? 0 : static_cast<int>(outcome.report.failed_as);
}

}  // namespace
}  // namespace sieve

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  sieve::use_words(sieve::command_words);
  sieve::remember_command({words + 1, words + count});
  sieve::use_rerun(sieve::command_again);
  // Should OpenBLAS be loaded later, it must not take memory for every core: it gets one thread.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  sieve::end_on_request();
  const bool output_open = sieve::hold_standard_streams();
  try {
    return sieve::print(sieve::run({words + 1, words + count}), output_open);
  } catch (const sieve::Error& error) {
    sieve::tell_failure(error.what());
    return error.exit_code();
  } catch (const sieve::ClosedOutput&) {
    return static_cast<int>(sieve::Failure::Io);
  } catch (const std::filesystem::filesystem_error& error) {
    sieve::tell_failure(error.path1().string() + ": " + error.code().message());
    return static_cast<int>(sieve::Failure::Io);
  } catch (const sieve::OverMemory& error) {
    sieve::tell_failure(error.what());
    if (error.by_limit()) return static_cast<int>(sieve::Failure::Data);
  } catch (const std::bad_alloc&) {
    sieve::tell_failure("not enough memory for this");
  } catch (const std::exception& error) {
    sieve::tell_failure(std::string("internal error, please report it: ") + error.what());
  }
  return static_cast<int>(sieve::Failure::Internal);
}
