#pragma once

#include <string>
#include <string_view>

#include "labelsieve/files.h"

namespace sieve {

// Error(Data) that names a file which is certainly of a kind that cannot be read, by its first
// bytes, and says how to convert it.
void refuse_foreign_format(std::string_view front, const std::string& path);

// The same for a folder, by the names in it.
void refuse_foreign_folder(const std::string& folder, FileSystem& files);
// Whether the first bytes are those of a workbook of Excel (.xlsx, .xlsm): a ZIP file with such
// members.
bool begins_as_workbook(std::string_view front);

}  // namespace sieve
