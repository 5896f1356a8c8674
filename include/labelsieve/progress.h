#pragma once

#include <cstddef>
#include <string_view>

namespace sieve {

// Reports the progress of long-running work, and asks it to stop. The command, the Python module
// and the server each have their own. The default does nothing. Calls come from the thread that
// started the work, but stop_requested() from any.
class Progress {
 public:
  virtual ~Progress() = default;

  // A stage of `total` units begins (0: not known in advance).
  virtual void begin(std::string_view stage, std::size_t total) { (void)stage, (void)total; }
  // `done` units of the current stage are finished; `note` is a short text such as losses.
  virtual void update(std::size_t done, std::string_view note = {}) { (void)done, (void)note; }
  virtual void end() {}
  // True once the work should come to an orderly end.
  virtual bool stop_requested() const { return false; }
};

}  // namespace sieve
