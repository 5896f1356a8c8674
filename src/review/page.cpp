#include "review/server.h"

#include <string_view>

namespace sieve {
namespace {

constexpr std::string_view kPage =
#include "review_page.inc"
    ;
constexpr std::string_view kNonce = "{{nonce}}";

}  // namespace

std::string review_page(const std::string& nonce) {
  std::string page;
  std::size_t at = 0;
  for (std::size_t found = 0; (found = kPage.find(kNonce, at)) != kPage.npos;
       at = found + kNonce.size()) {
    page += kPage.substr(at, found - at);
    page += nonce;
  }
  return page += kPage.substr(at);
}

}  // namespace sieve
