#include "base/hashes.h"

#include <gtest/gtest.h>

namespace sieve {
namespace {

std::uint64_t of(std::string_view text) {
  Fnv hash;
  hash.add(text);
  return hash.value();
}

// Values of the published function: files hold such numbers.
TEST(Fnv, of_a_text_is_fnv_1a) {
  EXPECT_EQ(of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(of("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(of("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv, takes_a_word_at_once) {
  Fnv hash;
  hash.add(0x100000000U);
  EXPECT_EQ(hash.value(), (0xcbf29ce484222325U ^ 0x100000000U) * 0x100000001b3U);
  EXPECT_NE(hash.value(), of("\x01"));
}

TEST(Fnv, takes_many_zeros_at_once) {
  for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
    Fnv one_by_one, at_once;
    for (Fnv* hash : {&one_by_one, &at_once}) hash->add(5);
    for (std::size_t i = 0; i < count; ++i) one_by_one.add(0);
    at_once.add_zeros(count);
    EXPECT_EQ(at_once.value(), one_by_one.value()) << count;
  }
}

}  // namespace
}  // namespace sieve
