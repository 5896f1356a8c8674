#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "labelsieve/files.h"
#include "labelsieve/matrix.h"
#include "linalg/paging.h"

namespace sieve {

// All bytes of a file as it is mapped, or as it came through a pipe or out of gzip.
struct FileContent {
  std::shared_ptr<const MappedFile> file;
  AlignedBytes memory;
  std::string_view bytes;

  void give_back(std::size_t first, std::size_t size) const {
    if (file) sieve::give_back(*file, bytes.substr(first, size));
  }
  // `size` bytes from `offset` on as numbers: on the mapped file itself, or a copy.
  template <class T>
  Array<T> values(std::size_t offset, std::size_t size) const {
    if (file) return Array<T>(mapped_bytes(file, offset, size));
    Array<T> copy(size / sizeof(T));
    if (size != 0) std::memcpy(copy.data(), bytes.data() + offset, size);
    return copy;
  }
};

// Maps the file of that path if it begins, as it lies there, with one of `magics`; else reads `in`.
inline FileContent file_content(InputStream& in, const std::string& path, FileSystem& files,
                                std::initializer_list<std::string_view> magics) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  FileContent content;
  content.file = files.map(path);
  if (content.file)
    for (const std::string_view magic : magics)
      if (content.file->bytes().starts_with(magic)) {
        content.bytes = content.file->bytes();
        return content;
      }
  content.file.reset();
  std::size_t size = 0;
  for (std::size_t got = 1; got != 0; size += got) {
    content.memory.resize(size + kPiece);
    got = in.read(static_cast<char*>(content.memory.data()) + size, kPiece);
  }
  content.bytes = {static_cast<const char*>(content.memory.data()), size};
  return content;
}

}  // namespace sieve
