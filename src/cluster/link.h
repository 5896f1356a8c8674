#pragma once

#include <optional>
#include <string>

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

}  // namespace sieve
