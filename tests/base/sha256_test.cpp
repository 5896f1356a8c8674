#include "base/hashes.h"

#include <gtest/gtest.h>

namespace sieve {
namespace {

std::string hash(std::string_view text) {
  Sha256 sha;
  sha.add(text);
  return sha.hex();
}

TEST(Sha256, has_the_digests_of_the_standard) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, does_not_depend_on_the_pieces) {
  Sha256 pieces;
  for (int i = 0; i < 300; ++i) pieces.add("abc");
  std::string all;
  for (int i = 0; i < 300; ++i) all += "abc";
  EXPECT_EQ(pieces.hex(), hash(all));
}

TEST(Sha256, keeps_texts_apart) {
  Sha256 one, two;
  one.add_text("ab");
  one.add_text("c");
  two.add_text("a");
  two.add_text("bc");
  EXPECT_NE(one.hex(), two.hex());
}

}  // namespace
}  // namespace sieve
