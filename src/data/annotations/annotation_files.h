#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/annotations/annotation_formats.h"
#include "data/annotations/asked_labels.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// The files in a ZIP file by name, each unpacked as it is read. Files that have a name beginning
// with a dot, or are in a folder with such a name, are left out.
class ZipMembers {
 public:
  // Takes the packed bytes into memory. Error(Data) if they are not a ZIP file.
  ZipMembers(InputStream& in, const std::string& path);
  ~ZipMembers();

  const std::vector<std::string>& names() const { return names_; }
  // Must not outlive this. Error(Data) if it cannot be unpacked.
  std::unique_ptr<InputStream> open(std::size_t member) const;

 private:
  struct Archive;
  const std::string& path_;
  std::string bytes_;
  std::unique_ptr<Archive> archive_;
  std::vector<std::string> names_;
};

// What is at options.path: a file, or all files of a folder or a ZIP file and of the folders in it,
// in the order of their names. Names that begin with a dot are left out. A file of a folder or a
// ZIP file that does not name annotators is that of one, who is named by it.
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
  using Records = std::unique_ptr<AnnotationRecords>;
  Records open_records(std::unique_ptr<InputStream> in, const std::string& path) const;
  Records open_member(const ZipMembers& members, std::size_t i, const std::string& path) const;
  void read_file(const std::string& path, Reading& reading) const;
  void read_members(const ZipMembers& members, const std::string& path, Reading& reading) const;
  void read_records(AnnotationRecords& records, const std::string& annotator,
                    Reading& reading) const;

  const AnnotationOptions& options_;
  FileSystem& files_;
  std::vector<std::string> paths_;       // of a folder
  std::unique_ptr<ZipMembers> members_;  // of one ZIP file
  Records plain_;                        // of any other file
};

}  // namespace sieve
