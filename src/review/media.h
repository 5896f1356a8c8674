#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_kinds.h"

namespace sieve {

// The file under `folder` that a cell names by path or URL (of a URL, the path, or the last part of
// it); nothing if there is no such file, or it is not under the folder, links followed.
std::optional<std::string> media_file(const std::string& folder, std::string_view name);

// The cells of rows that name a picture or a sound which is not there, each once.
std::vector<std::string> missing_media(const std::string& folder,
                                       const std::vector<std::vector<std::string>>& rows);

}  // namespace sieve
