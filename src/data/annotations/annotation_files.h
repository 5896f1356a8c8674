#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/annotations/annotation_formats.h"
#include "data/annotations/annotation_records.h"
#include "data/annotations/asked_labels.h"
#include "data/annotations/open_annotations.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// Files with the same columns are parts of one export: what their columns mean is decided by the
// first records of all of them, however few each has. As many as of a file alone, an equal share of
// each file, and none twice: exports may overlap.
class SharedSamples {
 public:
  // What a file, which its path names, begins with.
  void add(const AnnotationRecords& records);
  // Lets a file that was added show them.
  void share_with(AnnotationRecords& records) const;

 private:
  using Records = std::vector<AnnotationRecords::Record>;
  using Parts = std::vector<std::pair<std::string, Records>>;  // by path
  static std::size_t share_of(std::size_t files);

  std::map<std::vector<std::string>, Parts> parts_;  // by the names of the columns
};

// The files, folders and patterns that the options name, a line each.
std::vector<std::string> annotation_paths(const AnnotationOptions& options, FileSystem& files);

// What is at options.path: files, or all files of folders and ZIP files and of the folders in them,
// in the order of their names, the sheets of a workbook, or what matches a pattern. Names that
// begin with a dot are left out. One of several files or sheets that does not name annotators is
// that of one, who is named by it.
class AnnotationFiles {
 public:
  // Opens the file or lists the folder; both must outlive this.
  AnnotationFiles(const AnnotationOptions& options, FileSystem& files);

  // Shows the names and the sample of the first file, if there is one that is no ZIP file in a
  // folder.
  void look(const std::function<void(const AnnotationRecords&)>& show);
  // All files, those of folders and patterns too.
  const std::vector<std::string>& paths() const { return paths_; }
  // Reads all files, once. Error(Data) where two that are named after annotators have one name.
  void read(AnnotationSink& sink, const RowIds* ids);

 private:
  struct Reading {
    AnnotationSink& sink;
    const RowIds* ids;
    AskedLabels asked{};
    std::map<std::string, std::string> file_of{};  // by annotator, the first
    std::string claim_name(const std::string& path);
  };
  bool add(const std::string& path);
  void list(const std::string& folder, std::size_t depth);
  void drop_repeated();
  void share_samples();
  // `annotator` is whose file it is, where neither it nor a file in it says so.
  void read(OpenAnnotations& file, const std::string& annotator, Reading& reading) const;

  const AnnotationOptions& options_;
  FileSystem& files_;
  std::vector<std::string> paths_;
  std::vector<std::string> repeated_;      // that were given more than once
  std::unique_ptr<OpenAnnotations> file_;  // the only one
  SharedSamples samples_;
};

// "j.smith" of "exports/j.smith.jsonl.gz".
std::string annotator_of_file(const std::string& path);

// Whether a file holds annotations by what it says: it has the layout of a platform, says who
// annotated, or has a member for each annotator. With `any_layout`, any layout will do: the file
// can be nothing else. Error(Io) for one that cannot be opened.
bool holds_annotations(const std::string& path, bool any_layout = false,
                       FileSystem& files = FileSystem::real());

// Whether both files are annotations of one layout, so that they may be parts of one export.
bool are_parts_of_one_export(const std::string& one, const std::string& other,
                             FileSystem& files = FileSystem::real());

// Reads annotations in two steps: what may name the items is known before they are read, so that
// the data can be read with the same column as its ids.
class AnnotationReader {
 public:
  // Both must outlive the reader.
  AnnotationReader(const AnnotationOptions& options, FileSystem& files);

  // Columns that may name the items; empty if the layout is that of a platform.
  const std::vector<std::string>& item_names() const { return item_names_; }
  // Reads all, once. `ids` are those of the data, if it has any.
  // `data` takes in the data of the items, and may be null.
  Annotations read(const RowIds* ids, std::vector<std::string>* notes, ItemData* data = nullptr);
  // Once all is read, what columns were taken for: see AnnotationSink::use().
  const std::map<std::string, std::string>& used() const { return used_; }
  // As AnnotationFiles does it.
  void look(const std::function<void(const AnnotationRecords&)>& show) { files_.look(show); }

 private:
  void find_item_names(const AnnotationRecords& records);

  const AnnotationOptions& options_;
  FileSystem& file_system_;
  AnnotationFiles files_;
  std::vector<std::string> item_names_;
  std::map<std::string, std::string> used_;
};

}  // namespace sieve
