#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "data/binary/binary_format.h"

namespace sieve::test {

// Makes the lengths and checksums of a binary data file right again after its content was changed,
// so that only what the content says can be refused. Files too short for that stay as they are.
inline void seal_binary(std::string& bytes) {
  using namespace sieve::binary;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  const auto put = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  if (bytes.size() < kAlignment + sizeof(Shape) + kTrailer) return;
  const std::size_t trailer = bytes.size() - kTrailer, footer = number(trailer);
  if (footer > trailer || trailer - footer < sizeof(Shape)) return;
  put(trailer + 8, bytes.size());
  const std::string_view all(bytes);
  const std::size_t room = (trailer - footer - sizeof(Shape)) / 8;
  for (std::size_t i = 0; i < std::min(room, block_count(footer)); ++i)
    put(footer + sizeof(Shape) + 8 * i,
        checksum(all.substr(i * kBlock, std::min(kBlock, footer - i * kBlock))));
  put(trailer + 16, checksum(all.substr(footer, trailer - footer)));
  bytes.replace(bytes.size() - kEndMagic.size(), kEndMagic.size(), kEndMagic);
}

}  // namespace sieve::test
