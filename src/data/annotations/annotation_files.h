#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/annotations/annotation_formats.h"
#include "data/annotations/asked_labels.h"
#include "data/annotations/open_annotations.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// What is at options.path: a file, or all files of a folder or a ZIP file and of the folders in it,
// in the order of their names, or the sheets of a workbook. Names that begin with a dot are left
// out. A file of a folder or a ZIP file, or one of several sheets, that does not name annotators is
// that of one, who is named by it.
class AnnotationFiles {
 public:
  // Opens the file or lists the folder; both must outlive this.
  AnnotationFiles(const AnnotationOptions& options, FileSystem& files);

  // Shows the names and the first records of the first file, if there is one that is no ZIP file in
  // a folder.
  void look(const std::function<void(const AnnotationRecords&)>& show);
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
  void list(const std::string& folder, std::size_t depth);
  // `annotator` is whose file it is, where neither it nor a file in it says so.
  void read(OpenAnnotations& file, const std::string& annotator, Reading& reading) const;

  const AnnotationOptions& options_;
  FileSystem& files_;
  std::vector<std::string> paths_;         // of a folder
  std::unique_ptr<OpenAnnotations> file_;  // any other
};

}  // namespace sieve
