#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "labelsieve/review.h"
#include "review/api.h"
#include "review/review.h"

namespace sieve {

// The page, with style and script inside. They carry the nonce, which its security policy asks for.
std::string review_page(const std::string& nonce);

// Limits that no client can change.
struct ServerLimits {
  static constexpr std::size_t kBody = 64 * 1024;     // bytes of a request
  static constexpr unsigned kConnections = 200;       // at the same time
  static constexpr std::size_t kUntrusted = 100;      // ... that have not shown the token
  static constexpr unsigned kTokenSeconds = 15;       // to show it where others wait
  static constexpr unsigned kIdleSeconds = 15;        // until a connection is closed
  static constexpr std::size_t kHeaders = 32 * 1024;  // memory per connection
};

// Serves the page of a review, on its own thread, while it lives. Every request needs the token of
// link(), a Host that is this server's, and no Origin but it.
class ReviewServer {
 public:
  using Handler = std::function<ReviewReply(const ReviewRequest& request)>;
  // Error(Io) if the address cannot be listened on.
  ReviewServer(Handler handler, const ServerOptions& options);
  ReviewServer(Review& review, const ServerOptions& options);
  ~ReviewServer();
  ReviewServer(const ReviewServer&) = delete;
  ReviewServer& operator=(const ReviewServer&) = delete;

  std::uint16_t port() const;
  const std::string& token() const;
  std::string link() const;  // of the page, with the token

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sieve
