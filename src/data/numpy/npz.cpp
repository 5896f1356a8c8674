#include "data/numpy/npz.h"

#include <zip.h>

#include <algorithm>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr zip_int64_t kMostMembers = 10000;

[[noreturn]] void refuse(const std::string& why, const std::string& path) {
  throw Error(Failure::Data, why, {path, 0, 0},
              "check that the file was copied or downloaded whole");
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

struct NpzFile::Zip {
  ~Zip() {
    if (archive != nullptr) zip_discard(archive);
  }
  zip_t* archive = nullptr;
  std::vector<zip_uint64_t> places;  // of the names
};

NpzFile::NpzFile(std::string_view bytes, std::string path)
    : zip_(std::make_unique<Zip>()), path_(std::move(path)) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) zip_->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip_->archive == nullptr && source != nullptr) zip_source_free(source);
  zip_error_fini(&error);
  if (zip_->archive == nullptr) refuse("the ZIP file is damaged", path_);
  const zip_int64_t members = zip_get_num_entries(zip_->archive, 0);
  if (members > kMostMembers) refuse("the ZIP file has too many members", path_);
  for (zip_int64_t i = 0; i < members; ++i) {
    const auto place = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(zip_->archive, place, 0);
    if (name == nullptr || !std::string_view(name).ends_with(".npy")) continue;
    names_.emplace_back(name, std::string_view(name).size() - 4);
    zip_->places.push_back(place);
  }
  if (names_.empty())
    throw Error(Failure::Data, "this is a ZIP file without NumPy arrays in it", {path_, 0, 0},
                "unpack it and name the data file inside");
}

NpzFile::~NpzFile() = default;

bool NpzFile::has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::string NpzFile::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (has(name)) return std::string(name);
  return {};
}

NpyArray NpzFile::array(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const std::string called = "'" + name + "'";
  if (found == names_.end()) refuse("the ZIP file has no member " + called, path_);
  const zip_uint64_t place = zip_->places[static_cast<std::size_t>(found - names_.begin())];
  zip_stat_t facts;
  if (zip_stat_index(zip_->archive, place, 0, &facts) != 0 || (facts.valid & ZIP_STAT_SIZE) == 0)
    refuse("the member " + called + " of the ZIP file is damaged", path_);
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(zip_->archive, place, 0));
  if (!file) refuse("the member " + called + " of the ZIP file cannot be unpacked", path_);

  // Room grows with what comes, and only once the header was found to be one of such an array.
  AlignedBytes bytes;
  std::size_t used = 0, wanted = std::min<std::size_t>(facts.size, kLongestNpyHeader);
  bool looked = false;
  while (true) {
    bytes.resize(wanted);
    while (used < wanted) {
      const zip_int64_t got =
          zip_fread(file.get(), static_cast<char*>(bytes.data()) + used, wanted - used);
      if (got < 0) refuse("the member " + called + " of the ZIP file is damaged", path_);
      if (got == 0) break;
      used += static_cast<std::size_t>(got);
    }
    if (used < wanted) refuse("the member " + called + " of the ZIP file is truncated", path_);
    const std::string_view front(static_cast<const char*>(bytes.data()), used);
    if (!std::exchange(looked, true))
      require_npy_size(parse_npy_header(front, called, path_), facts.size, called, path_);
    if (used == facts.size) break;
    wanted = std::min<std::size_t>(facts.size, std::max(used + kPiece, 2 * used));
  }
  char beyond = 0;  // reading to the end makes the library compare the checksum
  if (zip_fread(file.get(), &beyond, 1) != 0)
    refuse("the checksum of the member " + called + " of the ZIP file is wrong", path_);
  unpacked_.push_back(std::move(bytes));
  return npy_array({static_cast<const char*>(unpacked_.back().data()), used}, called, path_);
}

}  // namespace sieve
