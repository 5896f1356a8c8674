#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/new_file.h"
#include "base/streams.h"
#include "base/system_call.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint64_t kLongestNote = std::uint64_t{64} << 20;

std::string note_beside(const std::string& path) {
  return path + ".pending";
}

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

bool same_place(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  return fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

void remove_note(FileSystem& files, const std::string& path) {
  if (files.exists(note_beside(path))) files.remove(note_beside(path));
}

// Packs what goes into a file.
class PackedFile final : public NewFile {
 public:
  explicit PackedFile(std::unique_ptr<NewFile> below)
      : below_(std::move(below)), packed_(gzip_into(*below_)) {}
  void write(std::string_view bytes) override { packed_->write(bytes); }
  void sync() override {  // nothing comes behind it
    packed_->close();
    below_->sync();
  }
  void close() override { below_->close(); }
  std::string give_name() override { return below_->give_name(); }
  void put_in_place(IfExists if_exists) override { below_->put_in_place(if_exists); }

 private:
  std::unique_ptr<NewFile> below_;
  std::unique_ptr<OutputStream> packed_;
};

// The same of a pipe, which is opened with the first piece.
class PackedStream final : public OutputStream {
 public:
  PackedStream(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  void write(std::string_view bytes) override {
    open();
    packed_->write(bytes);
  }
  void sync() override {}
  void close() override {
    open();
    packed_->close();
    below_->close();
  }

 private:
  void open() {
    if (packed_) return;
    below_ = files_.open_stream(path_);
    packed_ = gzip_into(*below_);
  }

  FileSystem& files_;
  std::string path_;
  std::unique_ptr<OutputStream> below_, packed_;
};

}  // namespace

AtomicFile::AtomicFile(FileSystem& files, std::string path, IfExists if_exists)
    : files_(files), to_(files.destination(path)), if_exists_(if_exists) {
  using Kind = Destination::Kind;
  if (to_.kind == Kind::Folder) fail_call("create", path, EISDIR);
  if (to_.kind == Kind::Other)
    throw Error(Failure::Io, "this is neither a file nor a pipe, and cannot be written to",
                {path, 0, 0}, "choose another name");
  if (is_stream()) return;
  if (to_.kind == Kind::Regular && if_exists_ == IfExists::Refuse) {
    require_one_version(files, path);
    refuse_existing(path);
  }
  file_ = files_.create(to_.path);
}

OutputStream& AtomicFile::out() {
  if (file_) return *file_;
  if (!stream_) stream_ = files_.open_stream(to_.path);
  return *stream_;
}

void AtomicFile::write(std::string_view bytes) {
  written_ += bytes.size();
  if (buffer_.empty() && bytes.size() >= kPiece) return out().write(bytes);
  buffer_ += bytes;
  if (buffer_.size() >= kPiece) flush();
}

void AtomicFile::flush() {
  if (!buffer_.empty()) out().write(buffer_);
  buffer_.clear();
}

void AtomicFile::sync() {
  flush();
  if (file_) file_->sync();
}

void AtomicFile::finish() {
  sync();
  buffer_.shrink_to_fit();
  if (!file_) out().close();
}

void AtomicFile::give_name() {
  if (file_) beside_ = file_->give_name();
}

void AtomicFile::put_in_place() {
  if (file_) file_->put_in_place(if_exists_);
}

void AtomicFile::sync_folder() {
  if (file_) files_.sync_folder(folder_of(to_.path));
}

void AtomicFile::commit() {
  finish();
  const HeldSignals held;
  give_name();
  put_in_place();
  if (file_) remove_note(files_, to_.path);
  sync_folder();
}

AtomicFile& FileSet::add(FileSystem& files, const std::string& path, IfExists if_exists) {
  auto added = std::make_unique<AtomicFile>(files, path, if_exists);
  for (const auto& file : files_)
    if (file->file_ && same_place(file->to_.path, added->to_.path))
      throw Error(Failure::Usage, "two outputs have this name", {path, 0, 0},
                  "give each a name of its own");
  if (unpacked_name(path) != path) {
    if (added->file_)
      added->file_ = std::make_unique<PackedFile>(std::move(added->file_));
    else
      added->stream_ = std::make_unique<PackedStream>(files, added->to_.path);
  }
  files_.push_back(std::move(added));
  return *files_.back();
}

void FileSet::commit() {
  for (const auto& file : files_) file->finish();
  std::erase_if(files_, [](const auto& file) { return !file->file_; });
  const HeldSignals held;
  for (const auto& file : files_) file->give_name();
  if (files_.size() > 1) leave_notes();
  put_in_place();
  sync_folders();
  take_notes_away();
}

// Each note lists all files of the set with the stamps of the new ones.
void FileSet::leave_notes() const {
  for (const auto& of : files_) {
    const std::string folder = folder_of(of->to_.path);
    AtomicFile note(of->files_, note_beside(of->to_.path), IfExists::Replace);
    for (const auto& file : files_) {
      const std::string& path = file->to_.path;
      note.write(
          file->files_.stamp(file->beside_) + " " +
          (folder_of(path) == folder ? name_of(path) : std::filesystem::absolute(path).string()) +
          '\0');
    }
    note.finish();
    note.give_name();
    note.put_in_place();
  }
  sync_folders();
}

// Files that were not there before are taken back if a later one fails.
void FileSet::put_in_place() {
  auto next = files_.begin();
  try {
    for (; next != files_.end(); ++next) (*next)->put_in_place();
  } catch (const Error&) {
    bool mixed = false;
    for (auto placed = files_.begin(); placed != next; ++placed)
      if ((*placed)->if_exists_ == IfExists::Refuse)
        (*placed)->files_.remove((*placed)->to_.path);
      else
        mixed = true;
    if (!mixed) take_notes_away();
    throw;
  }
}

void FileSet::take_notes_away() const {
  for (const auto& file : files_) remove_note(file->files_, file->to_.path);
}

void FileSet::sync_folders() const {
  std::set<std::string> folders;
  for (const auto& file : files_)
    if (folders.insert(folder_of(file->to_.path)).second) file->sync_folder();
}

void require_one_version(FileSystem& files, const std::string& path) {
  if (path == "-" || !files.exists(path)) return;
  const std::string place = files.destination(path).path, note = note_beside(place);
  if (!files.exists(note)) return;
  const std::string text = read_all(*files.open(note), kLongestNote, note);
  std::string fresh, old;
  for (std::size_t at = 0, end; (end = text.find('\0', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::filesystem::path file =
        std::filesystem::path(folder_of(place)) / line.substr(blank + 1);
    std::string& list = files.stamp(file.string()) == line.substr(0, blank) ? fresh : old;
    list += (list.empty() ? "" : ", ") + name_of(file.string());
  }
  if (fresh.empty() || old.empty()) return;
  throw Error(
      Failure::Data,
      "files that belong together are only partly replaced: new are " + fresh + ", but not " + old,
      {path, 0, 0},
      "a run ended in the middle: write them again with " + term("if_exists", "replace") +
          ", or remove " + note);
}

}  // namespace sieve
