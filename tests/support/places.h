#pragma once

#include <string>

// Places on this machine. They stand in one object file, so that the others are the same for every
// checkout and a compiler cache can share them.
namespace sieve::test {

const std::string& project_folder();
const std::string& tests_folder();
const std::string& sieve_command();

}  // namespace sieve::test
