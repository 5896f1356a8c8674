#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "labelsieve/review.h"
#include "review/api.h"

namespace sieve {

// How far the work in the background is, for the page to ask; the page can stop it.
class BackgroundProgress final : public Progress {
 public:
  void begin(std::string_view stage, std::size_t total) override;
  void update(std::size_t done, std::string_view note = {}) override;
  bool stop_requested() const override { return stop_; }
  void stop() { stop_ = true; }
  // {"stage", "share", "seconds_left"}; the last is null as long as nobody can tell.
  Json json() const;

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  std::string stage_;
  std::size_t total_ = 0;
  double share_ = 0;
  Clock::time_point started_ = Clock::now();
  std::atomic<bool> stop_ = false;
};

// A workspace from its data to its review: looking at the data, waiting for a start, working,
// ready. Answers requests in all of these; once there is a review, it answers the rest.
class Workspace {
 public:
  Workspace(WorkspaceSteps steps, std::string title, bool begin);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  ReviewReply answer(const ReviewRequest& request);
  std::size_t decisions() const;

 private:
  enum class State { Looking, Data, Working, Ready };

  ReviewReply answer_here(const ReviewRequest& request);
  Json state_json() const;
  Json data_json() const;
  void look(bool begin);
  void work();
  // What is to be read otherwise, as a request says it; then the data are looked at again.
  std::function<void()> change_of(const ReviewRequest& request) const;
  // Runs a step in the background; a failure is for the page to show.
  void run(State state, std::function<void()> step);

  WorkspaceSteps steps_;
  std::string title_;
  mutable std::mutex mutex_;
  State state_ = State::Looking;
  std::string problem_;
  std::vector<std::string> notes_;  // on the review
  WorkspaceData data_;
  std::shared_ptr<BackgroundProgress> progress_;
  std::shared_ptr<Review> review_;
  std::thread worker_;
};

}  // namespace sieve
