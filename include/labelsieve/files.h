#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// Bytes in. Not shared between threads.
class InputStream {
 public:
  virtual ~InputStream() = default;
  // Reads up to `size` bytes; 0 means the end. Throws Error(Io) when the system fails, Error(Data)
  // when packed content is damaged.
  virtual std::size_t read(char* into, std::size_t size) = 0;
};

// Bytes out. Every call either does all it was asked or throws Error(Io).
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void sync() = 0;   // on the disk when this returns
  virtual void close() = 0;  // idempotent
};

// A file's bytes, read only, which the system brings in as they are looked at and may drop again.
// Whoever cuts the file short meanwhile ends the program: a look past its end is SIGBUS.
class MappedFile {
 public:
  // Takes over a mapping of `size` bytes.
  MappedFile(const char* data, std::size_t size) : bytes_(data, size) {}
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  // The pages inside the range leave this program's memory until they are looked at again.
  void give_back(const void* from, std::size_t size) const;
  // The range will be looked at soon, in any order.
  void will_need(const void* from, std::size_t size) const;

 private:
  std::string_view bytes_;
};

// The one seam through which the library touches files. Tests put a failing twin in its place.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<InputStream> open(const std::string& path) = 0;
  // Null for what can not be mapped: a pipe, an empty file, files that are not on a disk.
  virtual std::shared_ptr<const MappedFile> map(const std::string&) { return nullptr; }
  virtual std::unique_ptr<OutputStream> create(const std::string& path) = 0;  // fails if it exists
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void sync_folder(const std::string& folder) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual bool is_folder(const std::string& path) = 0;
  virtual std::uint64_t size(const std::string& path) = 0;
  virtual std::vector<std::string> list(const std::string& folder) = 0;  // names, sorted

  static FileSystem& real();
};

enum class IfExists { Refuse, Replace };

// A file that appears only when it is complete: written beside its place, synced, renamed, and the
// folder synced. Destroyed without commit(), it leaves nothing behind and the old file untouched.
// The constructor already finds out whether the place can be written.
class AtomicFile final : public OutputStream {
 public:
  AtomicFile(FileSystem& files, std::string path, IfExists if_exists);
  ~AtomicFile() override;
  void write(std::string_view bytes) override;  // buffered
  void sync() override;
  void close() override {}  // only commit() ends the file
  void commit();

 private:
  void flush();
  void refuse_existing() const;
  FileSystem& files_;
  std::string path_, beside_;
  std::unique_ptr<OutputStream> out_;
  std::string buffer_;
  IfExists if_exists_;
  bool done_ = false;
};

// Opens a file and unpacks it on the way if it is gzip (known by its first bytes). "-" is standard
// input. Several gzip members in one file are read as one.
std::unique_ptr<InputStream> open_unpacked(FileSystem& files, const std::string& path);

// Packs everything written to it into `below` as gzip; close() finishes the gzip stream but leaves
// `below` open.
std::unique_ptr<OutputStream> gzip_into(OutputStream& below);

// The whole of a stream, refusing (Error(Data)) beyond `limit` bytes.
std::string read_all(InputStream& in, std::uint64_t limit, const std::string& name);

}  // namespace sieve
