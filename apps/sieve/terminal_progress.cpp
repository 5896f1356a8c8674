#include "terminal_progress.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "terminal.h"

namespace sieve {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr auto kSilence = std::chrono::seconds(2);
constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(10);

}  // namespace

ProgressOutput ProgressOutput::standard_error(bool quiet) {
  ProgressOutput output;
  output.write = [quiet](const std::string& text) {
    if (!quiet) write_all(STDERR_FILENO, text);
  };
  output.width = terminal_width();
  output.redraw = ::isatty(STDERR_FILENO) == 1;
  return output;
}

void TerminalProgress::begin(std::string_view stage, std::size_t total) {
  end();
  stage_ = stage;
  total_ = total;
  started_ = output_.now();
  next_ = started_ + kSilence;
}

void TerminalProgress::update(std::size_t done, std::string_view note) {
  const Time now = output_.now();
  if (now < next_) return;
  next_ = now + (output_.redraw ? Time::duration(kBetweenDraws) : Time::duration(kBetweenLines));
  const std::string text = line(done, note, now);
  output_.write(output_.redraw
                    ? "\r\x1b[K" + shortened(text, std::max<std::size_t>(output_.width, 1) - 1)
                    : visible(text) + "\n");
  drawn_ = true;
}

void TerminalProgress::end() {
  if (drawn_ && output_.redraw) output_.write("\r\x1b[K");
  drawn_ = false;
}

std::string TerminalProgress::line(std::size_t done, std::string_view note, Time now) const {
  constexpr std::size_t kBar = 20;
  std::string text = stage_;
  if (total_ == 0) {
    text += fmt::format("  {}", done);
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    if (output_.redraw) {
      const std::string filled = bar(share, kBar);
      text += "  " + filled + std::string(kBar - std::min(kBar, display_width(filled)), ' ');
    }
    text += fmt::format("  {:3.0f} %", 100 * share);
    const double spent = Seconds(now - started_).count();
    if (done != 0 && done < total_)
      text += "  " + clock_text(spent * (1 - share) / share) + " left";
  }
  if (!note.empty()) text += "  " + std::string(note);
  return text;
}

}  // namespace sieve
