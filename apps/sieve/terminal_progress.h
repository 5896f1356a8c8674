#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/stage_progress.h"
#include "labelsieve/threads.h"
#include "options.h"
#include "signals.h"

namespace sieve {

// Where progress goes. Tests put a string, a clock and a width of their own here.
struct ProgressOutput {
  using Clock = std::chrono::steady_clock;
  std::function<void(const std::string&)> write;
  std::function<Clock::time_point()> now = Clock::now;
  std::function<std::size_t()> width = [] { return std::size_t{80}; };  // asked at every draw
  bool redraw = false;  // a terminal: one line that is drawn again and again
  bool colours = false;
  bool ascii = false;  // no lines drawn with Unicode
  bool notes = false;  // losses and the like
  static ProgressOutput standard_error(const Arguments& arguments, bool silent = false);
};

// Progress on standard error: one bar for all of the work. On a terminal one line that redraws from
// the first moment (stage, bar, percent, time left); elsewhere a plain line after two seconds and
// then every ten. It never goes backwards: stages that have no share of the whole of their own
// (StageProgress) begin where the last one stood.
// The work is asked to stop by what StopRequests notes.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(ProgressOutput output);
  ~TerminalProgress() override { clear(); }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void begin(std::string_view stage, std::size_t total) override;
  void update(std::size_t done, std::string_view note = {}) override;
  void end() override {}  // the next stage takes its place
  bool stop_requested() const override { return StopRequests::came(); }
  // Takes the bar off the terminal.
  void clear();

 private:
  using Time = ProgressOutput::Clock::time_point;
  void draw(Time now);
  std::string left(Time now) const;
  std::string plain_line(Time now) const;
  std::string bar_line(std::size_t width, Time now) const;
  std::string bar(std::size_t width) const;

  ProgressOutput output_;
  std::string stage_, detail_, note_;
  std::size_t total_ = 0, done_ = 0;
  double share_ = 0;
  Time started_, next_;
  bool drawn_ = false;
};

// Reading the data is that share of most work.
constexpr double kReadShare = 0.1;

// The work of a command, part after part on one bar.
class WorkProgress {
 public:
  explicit WorkProgress(Progress& bar) : whole_(bar) {}
  // The next part, which takes the work up to that share (0 to 1); its name is shown at once.
  Progress& part(std::string name, double until);

 private:
  StageProgress whole_;
  std::optional<StageProgress> part_;
};

}  // namespace sieve
