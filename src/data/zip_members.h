#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/files.h"

namespace sieve {

// The first bytes of a ZIP file.
inline constexpr std::string_view kZipMark = "PK\x03\x04";

// The files in a ZIP file by name, each unpacked as it is read. Files that have a name beginning
// with a dot, or are in a folder with such a name, are left out.
class ZipMembers {
 public:
  // Takes the packed bytes into memory. Error(Data) if they are not a ZIP file.
  ZipMembers(InputStream& in, const std::string& path);
  ~ZipMembers();

  const std::vector<std::string>& names() const { return names_; }
  // Where that name is in the list; npos if it is not.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t find(std::string_view name) const;
  // Must not outlive this. Error(Data) if it cannot be unpacked; also, while it is read, where more
  // than 64 MiB come out of it and `most_growth` times the size of the ZIP file (0: any number).
  std::unique_ptr<InputStream> open(std::size_t member, std::size_t most_growth = 0) const;

 private:
  struct Archive;
  std::string path_;
  std::string bytes_;
  std::unique_ptr<Archive> archive_;
  std::vector<std::string> names_;
};

}  // namespace sieve
