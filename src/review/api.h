#pragma once

#include <map>
#include <string>
#include <string_view>

#include "review/review.h"

namespace sieve {

// A request as it came over the wire, its token and its origin already checked.
struct ReviewRequest {
  bool post = false;
  std::string path{};                          // "/api/next"
  std::map<std::string, std::string> query{};  // decoded
  std::string body{};                          // JSON
};

struct ReviewReply {
  int status = 200;
  std::string body{};          // JSON
  std::string file{}, type{};  // or a file to send, and what it is
};

// Never throws what a request can cause: 400 for one that makes no sense, 404 for a path that is
// not there, 409 for a rule that is out of date or a nonce that stands for something else, 500 if
// the disk fails, 503 while the file of decisions is not in its place, each with {"error": ...}.
ReviewReply answer(Review& review, const ReviewRequest& request);

// An error as an answer.
ReviewReply refusal(int status, const std::string& message);

// The name without blanks of any kind at either end; "" if there is nothing else.
std::string reviewer_name(std::string_view text);

}  // namespace sieve
