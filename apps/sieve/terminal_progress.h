#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "labelsieve/threads.h"
#include "signals.h"

namespace sieve {

// Where progress goes. Tests put a string, a clock and a width of their own here.
struct ProgressOutput {
  using Clock = std::chrono::steady_clock;
  std::function<void(const std::string&)> write;
  std::function<Clock::time_point()> now = Clock::now;
  std::size_t width = 80;
  bool redraw = false;  // a terminal: one line that is drawn again and again
  static ProgressOutput standard_error(bool quiet);
};

// Progress on standard error. Quiet for the first two seconds; then on a terminal one line that
// redraws (stage, bar, percent, note, time left), elsewhere a plain line every ten seconds.
// The work is asked to stop by what StopRequests notes.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(ProgressOutput output) : output_(std::move(output)) {}
  ~TerminalProgress() override { end(); }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void begin(std::string_view stage, std::size_t total) override;
  void update(std::size_t done, std::string_view note = {}) override;
  void end() override;
  bool stop_requested() const override { return StopRequests::came(); }

 private:
  using Time = ProgressOutput::Clock::time_point;
  std::string line(std::size_t done, std::string_view note, Time now) const;

  ProgressOutput output_;
  std::string stage_;
  std::size_t total_ = 0;
  Time started_{}, next_{};
  bool drawn_ = false;
};

}  // namespace sieve
