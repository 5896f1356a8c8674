#include "data/annotations/annotation_files.h"

#include <fnmatch.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {

std::size_t SharedSamples::share_of(std::size_t files) {
  return (AnnotationRecords::kSampleRecords + files - 1) / files;
}

void SharedSamples::add(const AnnotationRecords& records) {
  Parts& parts = parts_[records.names()];
  const Records& sample = records.sample();
  const std::size_t count = std::min(sample.size(), share_of(parts.size() + 1));
  parts.emplace_back(records.path(),
                     Records(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(count)));
}

void SharedSamples::share_with(AnnotationRecords& records) const {
  const auto found = parts_.find(records.names());
  if (found == parts_.end() || found->second.size() < 2) return;
  const std::size_t share = share_of(found->second.size());
  const Records& own = records.sample();
  std::set<AnnotationRecords::Record> known(own.begin(), own.end());
  Records others;
  for (const auto& [path, part] : found->second)
    for (std::size_t i = 0; path != records.path() && i < std::min(share, part.size()); ++i)
      if (known.insert(part[i]).second) others.push_back(part[i]);
  records.share_sample(share, others);
}

namespace {

constexpr std::size_t kDeepestFolder = 32;

bool drop_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() ||
      !same_word(std::string_view(name).substr(name.size() - ending.size()), ending))
    return false;
  name.resize(name.size() - ending.size());
  return true;
}

}  // namespace

std::string annotator_of_file(const std::string& path) {
  constexpr std::array<std::string_view, 10> kEndings = {
      ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".resp", ".zip", ".xlsx", ".xlsm"};
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  drop_ending(name, ".gz");
  std::ranges::any_of(kEndings, [&](std::string_view ending) { return drop_ending(name, ending); });
  return name;
}

namespace {

bool is_pattern(std::string_view path) {
  return !path.starts_with(kSqlMark) && path.find_first_of("*?[") != path.npos;
}

// The files and folders that a pattern such as "exports/batch*/*.csv" matches; names that begin
// with a dot only where the pattern does.
std::vector<std::string> files_matching(const std::string& pattern, FileSystem& files) {
  std::vector<std::string> found = {pattern.starts_with('/') ? "/" : ""};
  for (const std::filesystem::path& part : std::filesystem::path(pattern).relative_path()) {
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      const std::string before = folder.empty() || folder.ends_with('/') ? folder : folder + "/";
      if (!is_pattern(part.native())) {
        if (files.exists(before + part.native()) || files.is_folder(before + part.native()))
          next.push_back(before + part.native());
        continue;
      }
      if (!folder.empty() && !files.is_folder(folder)) continue;
      for (const std::string& name : files.list(folder.empty() ? "." : folder))
        if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) next.push_back(before + name);
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace

std::vector<std::string> annotation_paths(const AnnotationOptions& options, FileSystem& files) {
  std::vector<std::string> paths;
  if (files.exists(options.path)) return {options.path};  // whatever is in its name
  std::string_view left = options.path;
  for (std::size_t end = 0; end != left.npos; left.remove_prefix(end + 1)) {
    end = left.starts_with(kSqlMark) ? left.npos : left.find('\n');  // a statement may have lines
    paths.emplace_back(trimmed(left.substr(0, end)));
    if (end == left.npos) break;
  }
  return paths;
}

AnnotationFiles::AnnotationFiles(const AnnotationOptions& options, FileSystem& files)
    : options_(options), files_(files) {
  bool folder = false;
  for (const std::string& path : annotation_paths(options, files)) folder |= add(path);
  drop_repeated();
  if (!folder && paths_.size() == 1) file_ = open_annotations(paths_.front(), options, files);
  share_samples();
}

void AnnotationFiles::share_samples() {
  const auto add = [&](OpenAnnotations& file) {
    for (std::size_t i = 0; i < file.count(); ++i) samples_.add(file.records(i));
  };
  if (file_ && file_->count() > 1) add(*file_);
  const auto can_be_read_twice = [&](const std::string& path) {
    return !path.starts_with(kSqlMark) && files_.map(path) != nullptr;  // no statement and no pipe
  };
  for (const std::string& path : paths_)
    if (paths_.size() > 1 && can_be_read_twice(path))
      add(*open_annotations(path, options_, files_));
}

// Whether it is a folder.
bool AnnotationFiles::add(const std::string& path) {
  const std::size_t before = paths_.size();
  const bool folder = files_.is_folder(path);
  if (folder) {
    refuse_foreign_folder(path, files_);
    list(path, 0);
  } else if (is_pattern(path) && !files_.exists(path)) {
    for (const std::string& found : files_matching(path, files_)) {
      if (files_.is_folder(found))
        list(found, 0);
      else
        paths_.push_back(found);
    }
  } else {
    paths_.push_back(path);
    return false;
  }
  if (paths_.size() == before)
    throw Error(Failure::Data, folder ? "there is no file in this folder" : "no file matches",
                {path, 0, 0},
                folder ? "name the folder that holds the exported files"
                       : "check the folder and the ending; * stands for any part of a name");
  std::sort(paths_.begin() + static_cast<std::ptrdiff_t>(before), paths_.end());
  return folder;
}

// A file that two patterns match is read once.
void AnnotationFiles::drop_repeated() {
  std::set<std::string> seen;
  std::erase_if(paths_, [&](const std::string& path) {
    const bool again = !seen.insert(std::filesystem::path(path).lexically_normal()).second;
    if (again) repeated_.push_back(path);
    return again;
  });
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

void AnnotationFiles::look(const std::function<void(const AnnotationRecords&)>& show) {
  const auto opened = file_ ? nullptr : open_annotations(paths_.front(), options_, files_);
  OpenAnnotations& first = file_ ? *file_ : *opened;
  if (!file_ && first.members_have_names()) return;
  AnnotationRecords& records = first.records(0);
  samples_.share_with(records);
  show(records);
}

void AnnotationFiles::read(AnnotationSink& sink, const RowIds* ids) {
  Reading reading{sink, ids};
  if (!repeated_.empty())
    sink.note(fmt::format("{} is given twice and read once", fmt::join(repeated_, ", ")));
  if (file_) read(*file_, std::string(kEveryone), reading);
  for (const std::string& path : file_ ? std::vector<std::string>() : paths_) {
    const std::string annotator = reading.claim_name(path);
    read(*open_annotations(path, options_, files_), annotator, reading);
  }
  sink.begin_file();
  reading.asked.finish(options_, sink);
}

void AnnotationFiles::read(OpenAnnotations& file, const std::string& annotator,
                           Reading& reading) const {
  for (std::size_t i = 0; i < file.count(); ++i) {
    AnnotationRecords& records = file.records(i);
    samples_.share_with(records);
    reading.sink.begin_file();
    const std::string& path = records.path();
    const AnnotationLayout layout = annotation_layout_of(records, options_, path);
    if (reading.sink.data() != nullptr) reading.sink.data()->open(records, layout.format.name);
    if (!layout.note.empty()) reading.sink.note(layout.note);
    layout.format.read({records, path, layout.options,
                        file.members_have_names() ? reading.claim_name(path) : annotator,
                        reading.sink, reading.asked, reading.ids});
  }
  for (std::string& note : file.notes()) reading.sink.note(std::move(note));
}

// The annotator that a file is named after. An earlier file of that name may be another part of the
// work, or that of somebody else.
std::string AnnotationFiles::Reading::claim_name(const std::string& path) {
  const std::string annotator = annotator_of_file(path);
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

namespace {

// Layouts that a table of rows may have as well.
bool is_general(const std::string& layout) {
  return layout == "long" || layout == "wide" || layout == "raters" || layout == "doccano";
}

bool names_annotators(const AnnotationRecords& records) {
  const auto has = [&](const ColumnNames& names) {
    return find_column(records, {}, names, {}) != AnnotationRecords::npos;
  };
  return has(kPlainAnnotatorNames) || (has(kAnnotatorNames) && has(kLabelNames));
}

// As those of a workbook with a sheet for each annotator are.
bool members_are_alike(OpenAnnotations& file) {
  if (file.count() < 2) return false;
  const std::vector<std::string> first = file.records(0).names();
  return file.records(1).names() == first;
}

}  // namespace

bool holds_annotations(const std::string& path, bool any_layout, FileSystem& files) {
  try {
    const AnnotationOptions options;
    const auto file = open_annotations(path, options, files);
    const bool by_name = file->members_have_names() && members_are_alike(*file);
    const AnnotationRecords& records = file->records(0);
    if (names_annotators(records)) return true;
    if (any_layout || by_name)
      return !annotation_layout_of(records, options, path).format.name.empty();
    return std::ranges::any_of(all_annotation_formats(), [&](const AnnotationFormat& format) {
      return !is_general(format.name) && format.looks_like(records);
    });
  } catch (const Error& error) {
    if (error.kind() == Failure::Io) throw;
    return false;  // whoever reads the file says what is wrong with it
  }
}

bool are_parts_of_one_export(const std::string& one, const std::string& other, FileSystem& files) {
  struct Seen {
    std::string layout;
    std::vector<std::string> names;
  };
  const auto look = [&](const std::string& path) {
    AnnotationOptions options;
    options.path = path;
    Seen seen;
    AnnotationFiles(options, files).look([&](const AnnotationRecords& records) {
      seen = {annotation_layout_of(records, options, path).format.name, records.names()};
    });
    return seen;
  };
  try {
    const Seen a = look(one), b = look(other);
    return !a.layout.empty() && a.layout == b.layout &&
           (!is_general(a.layout) || a.names == b.names);
  } catch (const Error&) {
    return false;  // one of them is something else
  }
}

}  // namespace sieve
