#include "support/places.h"

namespace sieve::test {

const std::string& project_folder() {
  static const std::string folder = PROJECT_SOURCE_DIR;
  return folder;
}

const std::string& tests_folder() {
  static const std::string folder = project_folder() + "/tests";
  return folder;
}

const std::string& sieve_command() {
  static const std::string command = SIEVE_COMMAND;
  return command;
}

}  // namespace sieve::test
