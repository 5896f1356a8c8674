#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.h"
#include "labelsieve/c_api.h"
#include "labelsieve/learner.h"

// Where C meets C++: errors become status codes, texts become theirs, and settings ours.
namespace sieve {

// Does the work and gives LS_OK, or notes the error for ls_last_error() and gives its code.
int guarded(const std::function<void()>& work) noexcept;

// Error(Usage) naming the argument if it is NULL.
void require_argument(const void* pointer, const char* name);
// The same for an array of `count` numbers or texts, which may be NULL if there are none.
void require_array(const void* array, std::size_t count, const char* name);
// `count` texts. Error(Usage) naming the argument if it or one of them is NULL.
std::vector<std::string> texts_of(const char* const* texts, std::size_t count, const char* name);
// The same number. Error(Usage) if no computer has as many threads.
std::size_t checked_threads(std::size_t threads);

void check_struct(const void* given, std::size_t size, std::size_t known, const char* name);
// A structure of the caller's, who may know fewer fields of it, or more that are not set.
// Error(Usage) naming it where its size is not set, or a field is set that this library does not
// know.
template <class Struct>
Struct known_part(const Struct& given, const char* name) {
  Struct known{};
  check_struct(&given, given.struct_size, sizeof known, name);
  std::memcpy(&known, &given, std::min(given.struct_size, sizeof known));
  return known;
}

// A text of the caller's, "" for NULL; one that ls_free_text() ends.
std::string text_of(const char* text);
char* text_for_caller(const std::string& text);

// The members of a JSON object; none of NULL. Error(Usage) if it is something else.
void for_each_setting(const char* json,
                      const std::function<void(const std::string&, const JsonValue&)>& take);
// As {"epochs": "30"}, however the values are written.
std::map<std::string, std::string> settings_of(const char* json);

// How often claims and promises hold. Error(Usage) where it is no such share.
double checked_level(double level);

// Threads, seed and progress of a call.
class Run {
 public:
  explicit Run(const ls_run* run)
      : run_(run != nullptr ? known_part(*run, "run")
                            : ls_run{sizeof(ls_run), 1, 0, nullptr, nullptr}),
        pool_(checked_threads(run_.threads)) {}
  FitOptions options();
  ThreadPool& pool() { return pool_; }
  Progress& progress() { return progress_; }

 private:
  // Tells the caller's function, not more often than anyone can look.
  class Callback final : public Progress {
   public:
    explicit Callback(const ls_run& run) : run_(run) {}
    void begin(std::string_view stage, std::size_t total) override;
    void update(std::size_t done, std::string_view note) override;
    bool stop_requested() const override;

   private:
    void tell() const;
    bool due() const;
    const ls_run& run_;
    std::string stage_, note_;
    std::size_t done_ = 0, total_ = 0;
    const std::thread::id caller_ = std::this_thread::get_id();
    mutable std::atomic<bool> stopped_ = false;  // any thread may ask
    mutable std::chrono::steady_clock::time_point told_{};
  };

  ls_run run_;
  ThreadPool pool_;
  Callback progress_{run_};
};

}  // namespace sieve
