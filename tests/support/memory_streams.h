#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve::test {

// A text as a stream. `piece` limits what one read gives, as a pipe would.
class MemoryInput final : public InputStream {
 public:
  explicit MemoryInput(std::string text, std::size_t piece = std::string::npos)
      : text_(std::move(text)), piece_(piece) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t part = std::min({size, piece_, text_.size() - given_});
    if (part != 0) std::memcpy(into, text_.data() + given_, part);
    given_ += part;
    return part;
  }

 private:
  std::string text_;
  std::size_t piece_, given_ = 0;
};

// Keeps what is written.
class MemoryOutput final : public OutputStream {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void sync() override {}
  void close() override {}

  std::string text;
};

// Files to read that exist in memory only; all are in one folder.
class MemoryFiles final : public FileSystem {
 public:
  MemoryFiles() = default;
  explicit MemoryFiles(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  std::unique_ptr<InputStream> open(const std::string& path) override {
    if (!exists(path)) throw Error(Failure::Io, "open failed", {path, 0, 0});
    return std::make_unique<MemoryInput>(files_.at(path));
  }
  bool exists(const std::string& path) override { return files_.contains(path); }
  bool is_folder(const std::string& path) override { return !exists(path); }
  std::uint64_t size(const std::string& path) override { return files_.at(path).size(); }
  std::vector<std::string> list(const std::string&) override {
    std::vector<std::string> names;
    for (const auto& [path, text] : files_) names.push_back(path);
    return names;
  }
  Destination destination(const std::string& path) override {
    return {exists(path) ? Destination::Kind::Regular : Destination::Kind::None, path};
  }
  std::string stamp(const std::string& path) override { return exists(path) ? "1" : ""; }
  std::unique_ptr<NewFile> create(const std::string& path) override { refuse(path); }
  std::unique_ptr<OutputStream> open_stream(const std::string& path) override { refuse(path); }
  void remove(const std::string& path) override { refuse(path); }
  void sync_folder(const std::string& folder) override { refuse(folder); }

 private:
  [[noreturn]] static void refuse(const std::string& path) {
    throw Error(Failure::Io, "files in memory are read only", {path, 0, 0});
  }

  std::map<std::string, std::string> files_;
};

}  // namespace sieve::test
