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

// Bytes out. Every call either succeeds completely or throws Error(Io).
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void sync() = 0;   // on the disk when this returns
  virtual void close() = 0;  // idempotent
};

// A file's bytes, read only, which the system loads as they are accessed and may drop again. If
// the file is truncated meanwhile, an access past its new end ends the program with SIGBUS.
class MappedFile {
 public:
  // Takes over a mapping of `size` bytes.
  MappedFile(const char* data, std::size_t size) : bytes_(data, size) {}
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

enum class IfExists { Refuse, Replace };

// A file that is created beside its place, with the mode and owner of the file it will replace. It
// is invisible before give_name(), and gone if destroyed before put_in_place(). A file that a dead
// process has left under such a name is removed when the next one for the same place is created.
class NewFile : public OutputStream {
 public:
  // Gives it a name beside its place, and returns that name.
  virtual std::string give_name() = 0;
  // Error(Io) if asked to refuse and a file exists by now: exactly one of several runs succeeds.
  virtual void put_in_place(IfExists if_exists) = 0;
};

// Where writing to a path would go, links followed.
struct Destination {
  enum class Kind {
    None,     // nothing there yet, or only a dangling link
    Regular,  // a file
    Folder,
    Stream,  // a pipe or a character device: written to directly, never replaced
    Other,   // a disk or a socket
  };
  Kind kind = Kind::None;
  std::string path;
};

// The only seam through which the library touches files. Tests replace it with one that fails.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<InputStream> open(const std::string& path) = 0;
  // Null for what cannot be mapped: a pipe, an empty file, files that are not on a disk.
  virtual std::shared_ptr<const MappedFile> map(const std::string&) { return nullptr; }
  // Error(Io) for a stream that cannot be written, and for a link that leads nowhere at all.
  virtual Destination destination(const std::string& path) = 0;
  virtual std::unique_ptr<NewFile> create(const std::string& path) = 0;
  virtual std::unique_ptr<OutputStream> open_stream(const std::string& path) = 0;
  virtual void remove(const std::string& path) = 0;  // no error if it is already gone
  virtual void sync_folder(const std::string& folder) = 0;
  virtual bool exists(const std::string& path) = 0;
  virtual bool is_folder(const std::string& path) = 0;
  virtual std::uint64_t size(const std::string& path) = 0;
  // Tells two versions of a file apart; moving it does not change it. Empty if there is none.
  virtual std::string stamp(const std::string& path) = 0;
  virtual std::vector<std::string> list(const std::string& folder) = 0;  // names, sorted

  static FileSystem& real();
};

// A file that appears only when it is complete: written beside its place, synced, renamed, and the
// folder synced. Destroyed without commit(), it leaves nothing behind and the old file untouched.
// The constructor already checks whether the place can be written. A link is followed; a pipe
// or a character device is opened with the first piece and written to as the pieces come.
class AtomicFile final : public OutputStream {
 public:
  AtomicFile(FileSystem& files, std::string path, IfExists if_exists);
  void write(std::string_view bytes) override;  // buffered
  void sync() override;
  void close() override {}  // only commit() ends the file
  void commit();
  std::uint64_t written() const { return written_; }  // bytes so far

 private:
  friend class FileSet;
  bool is_stream() const { return to_.kind == Destination::Kind::Stream; }
  OutputStream& out();
  void flush();
  void finish();        // complete and on the disk
  void give_name();     // beside its place, for the others of its set
  void put_in_place();  // at once, whatever the size
  void sync_folder();

  FileSystem& files_;
  Destination to_;
  IfExists if_exists_;
  std::unique_ptr<NewFile> file_;
  std::unique_ptr<OutputStream> stream_;
  std::string buffer_, beside_;
  std::uint64_t written_ = 0;
};

// Files that belong together, such as the parts of a split. All are finished before the first is
// put in place, and signals wait meanwhile. Only a kill or a failing disk between the first and the
// last leaves new files beside old ones; a note, <name>.pending beside each, then lets
// require_one_version() tell (docs/formats/outputs.md).
class FileSet {
 public:
  // Error(Usage) if two of them have the same place.
  AtomicFile& add(FileSystem& files, const std::string& path, IfExists if_exists);
  void commit();

 private:
  void leave_notes() const;
  void take_notes_away() const;
  void put_in_place();
  void sync_folders() const;
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

// Error(Data) that names the files if `path` and those written together with it are partly of one
// run and partly of another.
void require_one_version(FileSystem& files, const std::string& path);

// Opens a file and unpacks it while reading if it is gzip (by its first bytes). "-" is standard
// input. Several gzip members in one file are read as one. Throws what require_one_version() does.
std::unique_ptr<InputStream> open_unpacked(FileSystem& files, const std::string& path);

// Packs everything written to it into `below` as gzip; close() finishes the gzip stream but leaves
// `below` open.
std::unique_ptr<OutputStream> gzip_into(OutputStream& below);

// The whole content of a stream; Error(Data) if it has more than `limit` bytes.
std::string read_all(InputStream& in, std::uint64_t limit, const std::string& name);

// Removes the files of this process (not of one it was forked from) that are only half written now,
// such as those of an AtomicFile. For a program that ends inside a signal handler: it is safe to
// call there.
void remove_unfinished_files() noexcept;

}  // namespace sieve
