#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

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

}  // namespace sieve
