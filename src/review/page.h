#pragma once

#include <string>

namespace sieve {

// The page, with style and script inside. They carry the nonce, which its security policy asks for.
std::string review_page(const std::string& nonce);

}  // namespace sieve
