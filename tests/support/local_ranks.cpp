#include "support/local_ranks.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "labelsieve/error.h"

namespace sieve::test {
namespace {

using Message = std::vector<std::byte>;

// What is on its way between the ranks.
struct Post {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Message>> letters;  // by from and to
  std::vector<bool> gone;
};

class LocalTeam final : public Team {
 public:
  LocalTeam(Post& post, std::size_t rank) : post_(post), rank_(rank) {}

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return post_.gone.size(); }

  void exchange(std::size_t peer, std::span<const std::byte> out,
                std::span<std::byte> in) override {
    std::unique_lock lock(post_.mutex);
    if (!out.empty()) post_.letters[{rank_, peer}].emplace_back(out.begin(), out.end());
    post_.changed.notify_all();
    if (in.empty()) return;
    auto& letters = post_.letters[{peer, rank_}];
    post_.changed.wait(lock, [&] { return !letters.empty() || post_.gone[peer]; });
    if (letters.empty()) throw Error(Failure::Io, "rank " + std::to_string(peer) + " is lost");
    if (letters.front().size() != in.size()) throw std::logic_error("ranks are out of step");
    std::memcpy(in.data(), letters.front().data(), in.size());
    letters.pop_front();
  }

  void leave() {
    const std::lock_guard lock(post_.mutex);
    post_.gone[rank_] = true;
    post_.changed.notify_all();
  }

 private:
  Post& post_;
  std::size_t rank_;
};

bool tells_of_a_loss(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error.kind() == Failure::Io;
  } catch (...) {
    return false;
  }
}

}  // namespace

void run_ranks(std::size_t size, const std::function<void(Team&)>& body) {
  Post post;
  post.gone.resize(size);
  std::vector<std::exception_ptr> thrown(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      LocalTeam team(post, rank);
      try {
        body(team);
      } catch (...) {
        thrown[rank] = std::current_exception();
      }
      team.leave();
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool loss : {false, true})
    for (const std::exception_ptr& each : thrown)
      if (each && tells_of_a_loss(each) == loss) std::rethrow_exception(each);
}

}  // namespace sieve::test
