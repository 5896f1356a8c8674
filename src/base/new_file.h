#pragma once

#include <memory>
#include <string>

#include "labelsieve/files.h"

namespace sieve {

enum class Unnamed { IfPossible, Never };

// A new file for the place `path` on a real disk: without a name where the file system supports
// that, which leaves nothing behind however the program ends; otherwise as <path>.part-<number>,
// locked as long as this process lives.
std::unique_ptr<NewFile> make_new_file(const std::string& path,
                                       Unnamed unnamed = Unnamed::IfPossible);

// "the file exists already", with what to do.
[[noreturn]] void refuse_existing(const std::string& path);

}  // namespace sieve
