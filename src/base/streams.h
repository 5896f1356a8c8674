#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "labelsieve/files.h"

namespace sieve {

// Up to `size` bytes from the front of `in`; fewer only at its end.
std::string read_front(InputStream& in, std::size_t size);

// Hands out `front` again, then the rest of `in`.
std::unique_ptr<InputStream> rewound(std::unique_ptr<InputStream> in, std::string front);

// Hands out a text, which must outlive it.
std::unique_ptr<InputStream> reading(std::string_view text);

// Unpacks `in` while reading if it is gzip (by its first bytes); `path` is for messages.
std::unique_ptr<InputStream> unpacked(std::unique_ptr<InputStream> in, const std::string& path);

// The name of a file once it is unpacked: without the .gz at its end, if it has one.
std::string_view unpacked_name(std::string_view path);

}  // namespace sieve
