#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {

// The stages of a smaller work as parts of a larger one. They say to which part they belong, and
// together they take the larger one from its beginning to its end: it never goes backwards.
class StageProgress final : public Progress {
 public:
  explicit StageProgress(Progress& below, std::string part = {})
      : below_(below), part_(std::move(part)) {}

  // The next stage takes the work up to this share of the whole (0 to 1). Without a call, every
  // stage is the whole.
  void until(double share) {
    from_ = std::exchange(reached_, share);
    to_ = share;
  }

  void begin(std::string_view stage, std::size_t total) override {
    total_ = total;
    const std::string between = part_.empty() || stage.empty() ? "" : ", ";
    below_.begin(part_ + between + std::string(stage), kUnits);
    update(0, {});
  }
  void update(std::size_t done, std::string_view note) override {
    const double share =
        total_ == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    below_.update(static_cast<std::size_t>((from_ + share * (to_ - from_)) * kUnits), note);
  }
  void end() override { below_.end(); }
  bool stop_requested() const override { return below_.stop_requested(); }

 private:
  static constexpr std::size_t kUnits = 1'000'000;  // fine enough for stages within stages

  Progress& below_;
  std::string part_;
  double from_ = 0, to_ = 1, reached_ = 0;
  std::size_t total_ = 0;
};

// Calls body(0) ... body(count - 1) on the pool as one stage with progress: progress is reported
// and stop requests are checked every few calls. Error(Interrupted) after a stop request.
inline void for_each_with_progress(ThreadPool& pool, Progress& progress, std::string_view stage,
                                   std::size_t count,
                                   const std::function<void(std::size_t)>& body) {
  const std::size_t at_once = 4 * pool.size();
  progress.begin(stage, count);
  for (std::size_t first = 0; first < count; first += at_once) {
    if (progress.stop_requested()) throw Error(Failure::Interrupted, "stopped on request");
    const std::size_t some = std::min(at_once, count - first);
    pool.for_each(some, [&](std::size_t i) { body(first + i); });
    progress.update(first + some);
  }
  progress.end();
}

}  // namespace sieve
