#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sieve {

// What a cell of a table shows if it names a file: by its ending, "image/png" and the like; "" if
// the ending is none of a picture or a sound.
std::string media_type(std::string_view name);

// The file under `folder` that a cell names by path or URL (of a URL, the path, or the last part of
// it); nothing if there is no such file, or it is not under the folder, links followed.
std::optional<std::string> media_file(const std::string& folder, std::string_view name);

}  // namespace sieve
