#pragma once

#include <string>
#include <vector>

#include "labelsieve/files.h"

namespace sieve {

// Mulan's label list: <labels><label name="..."/>...</labels>, nested labels flattened.
std::vector<std::string> read_label_xml(InputStream& in, const std::string& path);
void write_label_xml(const std::vector<std::string>& names, OutputStream& out);

}  // namespace sieve
