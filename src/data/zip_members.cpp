#include "data/zip_members.h"

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

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
  // No more than `most` bytes may come out.
  MemberInput(zip_file_t* file, std::string path, std::uint64_t most)
      : file_(file), path_(std::move(path)), most_(most) {}
  ~MemberInput() override { zip_fclose(file_); }
  MemberInput(const MemberInput&) = delete;
  MemberInput& operator=(const MemberInput&) = delete;

  std::size_t read(char* into, std::size_t size) override {
    const zip_int64_t got = zip_fread(file_, into, size);
    if (got < 0) refuse("the file in the ZIP file is damaged", path_);
    given_ += static_cast<std::uint64_t>(got);
    if (given_ > most_)
      throw Error(Failure::Data, "this packed file grows beyond all measure when it is unpacked",
                  {path_, 0, 0}, "it may be made to use up memory; ask where it comes from");
    return static_cast<std::size_t>(got);
  }

 private:
  zip_file_t* file_;
  std::string path_;
  std::uint64_t most_, given_ = 0;
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

std::size_t ZipMembers::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(names_, name);
  return found != names_.end() && *found == name ? static_cast<std::size_t>(found - names_.begin())
                                                 : npos;
}

std::unique_ptr<InputStream> ZipMembers::open(std::size_t member, std::size_t most_growth) const {
  constexpr std::uint64_t kHarmless = std::uint64_t{1} << 26;
  zip_file_t* file = zip_fopen_index(archive_->zip, archive_->places[member], 0);
  if (file == nullptr) refuse("'" + names_[member] + "' in the ZIP file cannot be unpacked", path_);
  const std::uint64_t most = most_growth == 0
                                 ? std::numeric_limits<std::uint64_t>::max()
                                 : std::max<std::uint64_t>(kHarmless, most_growth * bytes_.size());
  return std::make_unique<MemberInput>(file, path_ + "/" + names_[member], most);
}

}  // namespace sieve
