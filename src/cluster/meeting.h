#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cluster/link.h"
#include "cluster/ranks.h"

namespace sieve {

// Where rank 0 waits for the others.
class MeetingPoint {
 public:
  MeetingPoint();  // Error(Io) if no port is available
  ~MeetingPoint();
  MeetingPoint(MeetingPoint&& other) noexcept;
  MeetingPoint& operator=(MeetingPoint&&) = delete;

  // What another rank needs to connect. Only the ranks may know it.
  const std::string& invitation() const { return invitation_; }
  int descriptor() const { return socket_; }  // readable when someone connects
  std::optional<Link> accept();               // without waiting
  // Whether a newcomer's first message shows that it was invited; `rest` is what follows.
  bool admits(const std::string& first_message, std::string& rest) const;

 private:
  int socket_ = -1;
  std::string invitation_, token_;
};

// Connects to rank 0 and sends `hello`. Rank 0 need not read it at once. Error(Io) that names
// the addresses tried if none can be reached.
Link meet(const std::string& invitation, const std::string& hello);

// A rank's place among the others once all of them have left MPI, which cannot live on without a
// rank that died. From here on rank 0 is found at its meeting point.
struct GridPlace {
  std::size_t rank = 0, ranks = 1;
  std::string invitation;             // to rank 0
  std::optional<MeetingPoint> point;  // on rank 0
};
// All ranks call it.
GridPlace place_on_grid(Ranks& ranks);

}  // namespace sieve
