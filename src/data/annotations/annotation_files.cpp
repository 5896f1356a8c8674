#include "data/annotations/annotation_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/foreign_formats.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

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
  constexpr std::array<std::string_view, 10> kEndings = {
      ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt", ".resp", ".zip", ".xlsx", ".xlsm"};
  std::string name = path.substr(path.find_last_of("/\\") + 1);
  drop_ending(name, ".gz");
  std::ranges::any_of(kEndings, [&](std::string_view ending) { return drop_ending(name, ending); });
  return name;
}

}  // namespace

AnnotationFiles::AnnotationFiles(const AnnotationOptions& options, FileSystem& files)
    : options_(options), files_(files) {
  if (!files.is_folder(options.path)) {
    file_ = open_annotations(options.path, options, files);
    return;
  }
  refuse_foreign_folder(options.path, files);
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

void AnnotationFiles::look(const std::function<void(const AnnotationRecords&)>& show) {
  if (file_) return show(file_->records(0));
  const auto first = open_annotations(paths_.front(), options_, files_);
  if (!first->members_have_names()) show(first->records(0));
}

void AnnotationFiles::read(AnnotationSink& sink, const RowIds* ids) {
  Reading reading{sink, ids};
  if (file_) read(*file_, std::string(kEveryone), reading);
  for (const std::string& path : paths_) {
    const std::string annotator = reading.claim_name(path);
    read(*open_annotations(path, options_, files_), annotator, reading);
  }
  reading.asked.finish(options_, sink);
}

void AnnotationFiles::read(OpenAnnotations& file, const std::string& annotator,
                           Reading& reading) const {
  for (std::size_t i = 0; i < file.count(); ++i) {
    AnnotationRecords& records = file.records(i);
    const std::string& path = records.path();
    annotation_format_of(records, options_, path)
        .read({records, path, options_,
               file.members_have_names() ? reading.claim_name(path) : annotator, reading.sink,
               reading.asked, reading.ids});
  }
  for (std::string& note : file.notes()) reading.sink.note(std::move(note));
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
