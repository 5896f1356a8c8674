#include "data/ticks/zip_members.h"

#include <algorithm>
#include <utility>

#include <zip.h>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

[[noreturn]] void refuse(const std::string& why, const std::string& path) {
  throw Error(Failure::Data, why, {path, 0, 0},
              "check that the file was copied or downloaded whole");
}

// Not a folder, and no part of the path begins with a dot.
bool is_shown_file(std::string_view path) {
  return !path.ends_with('/') && !path.starts_with('.') && path.find("/.") == path.npos;
}

class MemberInput final : public InputStream {
 public:
  MemberInput(zip_file_t* file, std::string path) : file_(file), path_(std::move(path)) {}
  ~MemberInput() override { zip_fclose(file_); }
  MemberInput(const MemberInput&) = delete;
  MemberInput& operator=(const MemberInput&) = delete;

  std::size_t read(char* into, std::size_t size) override {
    const zip_int64_t got = zip_fread(file_, into, size);
    if (got < 0) refuse("the file in the ZIP file is damaged", path_);
    return static_cast<std::size_t>(got);
  }

 private:
  zip_file_t* file_;
  std::string path_;
};

}  // namespace

struct ZipMembers::Archive {
  ~Archive() {
    if (zip != nullptr) zip_discard(zip);
  }
  zip_t* zip = nullptr;
  std::vector<zip_uint64_t> places;  // of the names
};

ZipMembers::ZipMembers(InputStream& in, const std::string& path)
    : path_(path), bytes_(read_all(in, kMostBytes, path)), archive_(std::make_unique<Archive>()) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
  if (source != nullptr) archive_->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (source != nullptr && archive_->zip == nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (archive_->zip == nullptr) refuse("the ZIP file is damaged", path);
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive_->zip, 0));
  std::vector<std::pair<std::string, zip_uint64_t>> found;
  for (zip_uint64_t place = 0; place < count; ++place) {
    const char* name = zip_get_name(archive_->zip, place, 0);
    if (name != nullptr && is_shown_file(name)) found.emplace_back(name, place);
  }
  std::ranges::sort(found);
  for (auto& [name, place] : found) {
    names_.push_back(std::move(name));
    archive_->places.push_back(place);
  }
  if (names_.empty()) refuse("there is no file in this ZIP file", path);
}

ZipMembers::~ZipMembers() = default;

std::unique_ptr<InputStream> ZipMembers::open(std::size_t member) const {
  zip_file_t* file = zip_fopen_index(archive_->zip, archive_->places[member], 0);
  if (file == nullptr) refuse("'" + names_[member] + "' in the ZIP file cannot be unpacked", path_);
  return std::make_unique<MemberInput>(file, path_ + "/" + names_[member]);
}

}  // namespace sieve
