#pragma once

#include <optional>
#include <string>

namespace sieve {

// One end of a connection between two ranks, for whole messages. The system tells when the other
// end died or was cut off, within half a minute even if both are silent: nobody needs to send
// signs of life, so a rank may read data or compute for as long as it likes.
class Link {
 public:
  explicit Link(int socket);  // takes it over
  ~Link();
  Link(Link&& other) noexcept;
  Link& operator=(Link&& other) noexcept;

  int descriptor() const { return socket_; }  // can be read when receive() has something to do

  // A peer that is gone loses the message; receive() tells.
  void send(const std::string& message);
  // Takes in what has come, without waiting. False once the peer is gone: then nothing more comes.
  bool receive();
  // The next whole message of those taken in.
  std::optional<std::string> next();

 private:
  int socket_ = -1;
  std::string received_;
  bool there_ = true;
};

}  // namespace sieve
