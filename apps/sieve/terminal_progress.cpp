#include "terminal_progress.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "terminal.h"

namespace sieve {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr auto kSilence = std::chrono::seconds(2);  // where lines stay
constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(10);
// Before, the time left would be a guess about nothing.
constexpr double kLeastShare = 0.02, kLeastSeconds = 1;
constexpr std::size_t kLongestBar = 30, kShortestBar = 4, kLeastDetail = 12;

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

ProgressOutput ProgressOutput::standard_error(const Arguments& arguments, bool silent) {
  ProgressOutput output;
  output.write = [silent = silent || arguments.flag("quiet")](const std::string& text) {
    if (!silent) write_all(STDERR_FILENO, text);
  };
  output.width = [] { return terminal_width(STDERR_FILENO); };
  output.redraw = is_drawable(STDERR_FILENO);
  output.colours = has_colours(STDERR_FILENO);
  output.ascii = !shows_unicode();
  output.notes = arguments.flag("verbose");
  return output;
}

TerminalProgress::TerminalProgress(ProgressOutput output)
    : output_(std::move(output)),
      started_(output_.now()),
      next_(output_.redraw ? started_ : started_ + kSilence) {}

void TerminalProgress::begin(std::string_view stage, std::size_t total) {
  const std::size_t comma = std::min(stage.find(", "), stage.size());
  const std::string before = std::exchange(stage_, stage.substr(0, comma));
  detail_ = comma == stage.size() ? "" : stage.substr(comma + 2);
  note_.clear();
  total_ = total;
  done_ = 0;
  if (output_.redraw && stage_ != before) next_ = output_.now();  // its name at once
  draw(output_.now());
}

void TerminalProgress::update(std::size_t done, std::string_view note) {
  done_ = done;
  if (total_ != 0)
    share_ = std::clamp(static_cast<double>(done) / static_cast<double>(total_), share_, 1.0);
  if (output_.notes && !note.empty()) note_ = note;
  draw(output_.now());
}

void TerminalProgress::draw(Time now) {
  if (now < next_) return;
  next_ = now + (output_.redraw ? Time::duration(kBetweenDraws) : Time::duration(kBetweenLines));
  output_.write(output_.redraw ? "\r" + bar_line(output_.width(), now) + "\x1b[K"
                               : plain_line(now) + "\n");
  drawn_ = true;
}

void TerminalProgress::clear() {
  if (drawn_ && output_.redraw) output_.write("\r\x1b[K");
  drawn_ = false;
}

std::string TerminalProgress::left(Time now) const {
  const double spent = Seconds(now - started_).count();
  if (share_ < kLeastShare || spent < kLeastSeconds || share_ >= 1) return {};
  return "  " + clock_text(spent * (1 - share_) / share_) + " left";
}

std::string TerminalProgress::plain_line(Time now) const {
  std::string text = stage_ + (detail_.empty() ? "" : ", " + detail_);
  if (total_ == 0)
    text += fmt::format("  {}", done_);
  else
    text += fmt::format("  {:.0f} %", 100 * share_) + left(now);
  return visible(note_.empty() ? text : text + "  " + note_);
}

std::string TerminalProgress::bar(std::size_t width) const {
  const auto filled = static_cast<std::size_t>(share_ * static_cast<double>(width));
  const std::string done = repeated(output_.ascii ? "=" : "\u2501", filled),
                    rest = repeated(output_.ascii ? "-" : "\u2500", width - filled);
  return output_.colours ? "\x1b[1;34m" + done + "\x1b[0;2m" + rest + "\x1b[0m" : done + rest;
}

// As much as there is room for in one line: the stage, the bar, its percentage, the time left, then
// what is done in detail. The last column stays empty, where some terminals would begin a new line.
std::string TerminalProgress::bar_line(std::size_t width, Time now) const {
  const std::size_t room = width == 0 ? 0 : width - 1;
  const std::string name = fmt::format("{:<6}  ", visible(stage_));
  if (total_ == 0)
    return shortened(name + (done_ == 0 ? "" : fmt::format("{} ", done_)) + detail_, room);
  const std::string end = fmt::format("  {:3.0f} %{:<13}", 100 * share_, left(now));
  const std::size_t taken = display_width(name) + display_width(end);
  if (taken + kShortestBar > room)
    return shortened(fmt::format("{}{:.0f} %{}", name, 100 * share_, left(now)), room);
  const std::size_t bar_width = std::min(kLongestBar, room - taken);
  const std::size_t rest = room - taken - bar_width;
  const std::string more = detail_ + (note_.empty() || detail_.empty() ? "" : "  ") + note_;
  return name + bar(bar_width) + end +
         (more.empty() || rest < kLeastDetail ? "" : shortened("  " + more, rest));
}

Progress& WorkProgress::part(std::string name, double until) {
  whole_.until(until);
  part_.emplace(whole_, std::move(name));
  part_->begin("", 0);
  return *part_;
}

}  // namespace sieve
