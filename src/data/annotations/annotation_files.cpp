#include "data/annotations/annotation_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include <zip.h>

#include "base/streams.h"
#include "data/foreign_formats.h"
#include "data/text/text_lines.h"
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

namespace {

constexpr std::string_view kZipMark = "PK\x03\x04";
constexpr std::size_t kDeepestFolder = 32;

bool drop_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() ||
      !same_word(std::string_view(name).substr(name.size() - ending.size()), ending))
    return false;
  name.resize(name.size() - ending.size());
  return true;
}

// "j.smith" of "exports/j.smith.jsonl.gz".
std::string annotator_of(const std::string& path) {
  constexpr std::array<std::string_view, 8> kEndings = {".jsonl", ".ndjson", ".json", ".csv",
                                                        ".tsv",   ".txt",    ".resp", ".zip"};
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  drop_ending(name, ".gz");
  std::ranges::any_of(kEndings, [&](std::string_view ending) { return drop_ending(name, ending); });
  return name;
}

// Files that hold no ticks, by their first bytes.
void refuse_other_files(std::string_view front, const std::string& path) {
  refuse_foreign_format(front, path);
  if (front.starts_with("\x93NUMPY"))
    throw Error(Failure::Data, "this is a NumPy array, not a table of ticks", {path, 0, 0},
                "ticks come as a table or as JSON: who ticked which label of which item");
}

// A file, and whether it is a ZIP file.
struct OpenFile {
  std::unique_ptr<InputStream> in;
  bool zip;
};

OpenFile open_file(const std::string& path, FileSystem& files) {
  std::unique_ptr<InputStream> in = open_unpacked(files, path);
  std::string front = read_front(*in, 4096);
  const bool zip = front.starts_with(kZipMark);
  return {rewound(std::move(in), std::move(front)), zip};
}

}  // namespace

AnnotationFiles::AnnotationFiles(const AnnotationOptions& options, FileSystem& files)
    : options_(options), files_(files) {
  if (!files.is_folder(options.path)) {
    OpenFile file = open_file(options.path, files);
    if (file.zip)
      members_ = std::make_unique<ZipMembers>(*file.in, options.path);
    else
      plain_ = open_records(std::move(file.in), options.path);
    return;
  }
  list(options.path, 0);
  if (paths_.empty())
    throw Error(Failure::Data, "there is no file in this folder", {options.path, 0, 0},
                "name the folder that holds the exported files");
  std::ranges::sort(paths_);
}

void AnnotationFiles::list(const std::string& folder, std::size_t depth) {
  if (depth > kDeepestFolder)
    throw Error(Failure::Data, "folders nested too deeply", {folder, 0, 0},
                "name the folder that holds the exported files");
  for (const std::string& name : files_.list(folder)) {
    if (name.starts_with('.')) continue;
    const std::string path = folder + "/" + name;
    if (files_.is_folder(path))
      list(path, depth + 1);
    else
      paths_.push_back(path);
  }
}

AnnotationFiles::Records AnnotationFiles::open_records(std::unique_ptr<InputStream> in,
                                                       const std::string& path) const {
  std::string front = read_front(*in, 4096);
  if (front.starts_with(kZipMark))
    throw Error(Failure::Data, "a ZIP file within a ZIP file", {path, 0, 0},
                "unpack it into a folder");
  refuse_other_files(front, path);
  return std::make_unique<AnnotationRecords>(rewound(std::move(in), std::move(front)), path,
                                             options_.columns);
}

AnnotationFiles::Records AnnotationFiles::open_member(const ZipMembers& members, std::size_t i,
                                                      const std::string& path) const {
  const std::string member = path + "/" + members.names()[i];
  return open_records(unpacked(members.open(i), member), member);
}

void AnnotationFiles::look(const std::function<void(const AnnotationRecords&)>& show) {
  if (plain_) return show(*plain_);
  if (members_) {
    if (!members_->names().empty()) show(*open_member(*members_, 0, options_.path));
    return;
  }
  OpenFile file = open_file(paths_.front(), files_);
  if (!file.zip) show(*open_records(std::move(file.in), paths_.front()));
}

void AnnotationFiles::read(AnnotationSink& sink, const RowIds* ids) {
  Reading reading{sink, ids};
  if (plain_)
    read_records(*plain_, std::string(kEveryone), reading);
  else if (members_)
    read_members(*members_, options_.path, reading);
  for (const std::string& path : paths_) read_file(path, reading);
  reading.asked.finish(options_, sink);
}

void AnnotationFiles::read_file(const std::string& path, Reading& reading) const {
  const std::string annotator = reading.claim_name(path);
  OpenFile file = open_file(path, files_);
  if (file.zip) return read_members(ZipMembers(*file.in, path), path, reading);
  const Records records = open_records(std::move(file.in), path);
  read_records(*records, annotator, reading);
}

void AnnotationFiles::read_members(const ZipMembers& members, const std::string& path,
                                   Reading& reading) const {
  for (std::size_t i = 0; i < members.names().size(); ++i) {
    const Records records = open_member(members, i, path);
    read_records(*records, reading.claim_name(records->path()), reading);
  }
}

void AnnotationFiles::read_records(AnnotationRecords& records, const std::string& annotator,
                                   Reading& reading) const {
  const std::string& path = records.path();
  annotation_format_of(records, options_, path)
      .read({records, path, options_, annotator, reading.sink, reading.asked, reading.ids});
}

// The annotator that a file is named after. An earlier file of that name may be another part of the
// work, or that of somebody else.
std::string AnnotationFiles::Reading::claim_name(const std::string& path) {
  const std::string annotator = annotator_of(path);
  const auto [earlier, fresh] = file_of.try_emplace(annotator, path);
  if (!fresh && sink.knows_annotator(annotator))
    throw Error(Failure::Data,
                "two files are named '" + annotator +
                    "': cannot tell whether they are those of one annotator; the other is " +
                    earlier->second,
                {path, 0, 0},
                "name each file after its annotator; put several of one annotator into one file");
  return annotator;
}

}  // namespace sieve
