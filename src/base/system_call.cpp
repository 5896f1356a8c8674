#include "base/system_call.h"

#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "labelsieve/error.h"

namespace sieve {
namespace {

const char* hint_for(int error) {
  switch (error) {
    case ENOENT:
      return "check the path";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its folder";
    case ENOSPC:
    case EDQUOT:
      return "free some space on that disk and try again";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f), or use another disk";
    case EMFILE:
      return "raise the limit on open files (ulimit -n)";
    case EISDIR:
      return "a file is needed here, but this is a folder";
    case EROFS:
      return "choose a folder that can be written";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "";
  }
}

std::string reason_for(const std::string& path, int error) {
  if (error == ENOENT) {
    const std::string folder = folder_of(path);
    return ::access(folder.c_str(), F_OK) == 0 ? "no such file or folder"
                                               : "folder '" + folder + "' does not exist";
  }
  std::string reason = std::strerror(error);
  reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return reason;
}

}  // namespace

void fail_call(const std::string& call, const std::string& path, int error) {
  throw Error(Failure::Io, "cannot " + call + ": " + reason_for(path, error), {path, 0, 0},
              hint_for(error));
}

bool leads_to(const std::string& name, int fd) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace sieve
