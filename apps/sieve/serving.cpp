#include "serving.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "flag_names.h"
#include "signals.h"
#include "terminal.h"
#include "writing.h"

namespace sieve {

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
