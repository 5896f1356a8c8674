#pragma once

#include <optional>
#include <string>

#include "cluster/link.h"

namespace sieve {

// Where rank 0 waits for the others.
class MeetingPoint {
 public:
  MeetingPoint();  // Error(Io) if the system gives no port
  ~MeetingPoint();
  MeetingPoint(MeetingPoint&& other) noexcept;
  MeetingPoint& operator=(MeetingPoint&&) = delete;

  // What another rank needs to come here. Only the ranks may know it.
  const std::string& invitation() const { return invitation_; }
  int descriptor() const { return socket_; }  // can be read when someone knocks
  std::optional<Link> accept();               // without waiting
  // Whether a newcomer's first message shows that it was invited; `rest` is what it says.
  bool admits(const std::string& first_message, std::string& rest) const;

 private:
  int socket_ = -1;
  std::string invitation_, token_;
};

// Goes to rank 0, and says `hello` there. Rank 0 need not look at it at once. Error(Io) that names
// the addresses tried if none can be reached.
Link meet(const std::string& invitation, const std::string& hello);

}  // namespace sieve
