#pragma once

#include <string>
#include <string_view>

namespace sieve {

// Error(Data) that names a file which is certainly of a kind that cannot be read, by its first
// bytes, and says how to convert it.
void refuse_foreign_format(std::string_view front, const std::string& path);

// Whether the first bytes are those of a workbook of Excel (.xlsx, .xlsm): a ZIP file with such
// members.
bool begins_as_workbook(std::string_view front);

}  // namespace sieve
