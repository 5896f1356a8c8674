#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cluster/ranks.h"

namespace sieve {

// One end of a connection between two ranks, for whole messages. The system reports it when the
// other end died or was cut off, within half a minute even if both are silent: no heartbeats are
// needed, so a rank may read data or compute for as long as it likes.
class Link {
 public:
  explicit Link(int socket);  // takes ownership
  ~Link();
  Link(Link&& other) noexcept;
  Link& operator=(Link&& other) noexcept;

  int descriptor() const { return socket_; }  // readable when receive() has something to do

  // The message is lost if the peer is gone; receive() reports that.
  void send(const std::string& message);
  // Takes in what has arrived, without waiting. False once the peer is gone: nothing more arrives.
  bool receive();
  // The next complete message received, if any.
  std::optional<std::string> next();

 private:
  int socket_ = -1;
  std::string received_;
  bool there_ = true;
};

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
