#pragma once

#include <string>
#include <string_view>

namespace sieve {

// What a cell of a table shows if it names a file: by its ending, "image/png" and the like; "" if
// the ending is none of a picture or a sound. Of a URL, the path counts.
std::string media_type(std::string_view name);

// Of a URL, the path without host, query and fragment; any other name as it is.
std::string_view path_of_name(std::string_view name);

}  // namespace sieve
