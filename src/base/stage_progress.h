#pragma once

#include <string>
#include <utility>

#include "labelsieve/threads.h"

namespace sieve {

// Says to which part of a larger work the stages of a smaller one belong.
class StageProgress final : public Progress {
 public:
  StageProgress(Progress& below, std::string part) : below_(below), part_(std::move(part)) {}
  void begin(std::string_view stage, std::size_t total) override {
    below_.begin(part_ + ", " + std::string(stage), total);
  }
  void update(std::size_t done, std::string_view note) override { below_.update(done, note); }
  void end() override { below_.end(); }
  bool stop_requested() const override { return below_.stop_requested(); }

 private:
  Progress& below_;
  std::string part_;
};

}  // namespace sieve
