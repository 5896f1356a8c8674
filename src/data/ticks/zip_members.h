#pragma once

#include <memory>
#include <string>
#include <vector>

#include "labelsieve/files.h"

namespace sieve {

// The files in a ZIP file by name, each unpacked as it is read. Files that have a name beginning
// with a dot, or are in a folder with such a name, are left out.
class ZipMembers {
 public:
  // Takes the packed bytes into memory. Error(Data) if they are not a ZIP file.
  ZipMembers(InputStream& in, const std::string& path);
  ~ZipMembers();

  const std::vector<std::string>& names() const { return names_; }
  // Must not outlive this. Error(Data) if it cannot be unpacked.
  std::unique_ptr<InputStream> open(std::size_t member) const;

 private:
  struct Archive;
  const std::string& path_;
  std::string bytes_;
  std::unique_ptr<Archive> archive_;
  std::vector<std::string> names_;
};

}  // namespace sieve
