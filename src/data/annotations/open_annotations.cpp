#include "data/annotations/open_annotations.h"

#include <utility>

#include "base/streams.h"
#include "data/annotations/coco.h"
#include "data/duckdb/duckdb_table.h"
#include "data/foreign_formats.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "data/zip_members.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

using Records = std::unique_ptr<AnnotationRecords>;

constexpr std::size_t kLookedAt = 4096;

// Files that hold no ticks, by their first bytes.
void refuse_other_files(std::string_view front, const std::string& path) {
  refuse_foreign_format(front, path);
  if (front.starts_with("\x93NUMPY"))
    throw Error(Failure::Data, "this is a NumPy array, not a table of ticks", {path, 0, 0},
                "ticks come as a table or as JSON: who ticked which label of which item");
}

Records open_records(std::unique_ptr<InputStream> in, const std::string& path,
                     const AnnotationOptions& options) {
  std::string front = read_front(*in, kLookedAt);
  if (front.starts_with(kZipMark))
    throw Error(Failure::Data, "a ZIP file within a ZIP file", {path, 0, 0},
                "unpack it into a folder");
  refuse_other_files(front, path);
  const bool coco = begins_as_coco(front);
  in = rewound(std::move(in), std::move(front));
  if (coco)
    return std::make_unique<AnnotationRecords>(coco_table(*in, path), path, options.columns, ',');
  return std::make_unique<AnnotationRecords>(std::move(in), path, options.columns);
}

class PlainFile final : public OpenAnnotations {
 public:
  explicit PlainFile(Records records) : records_(std::move(records)) {}
  AnnotationRecords& records(std::size_t) override { return *records_; }

 private:
  Records records_;
};

class ZipFile final : public OpenAnnotations {
 public:
  ZipFile(InputStream& in, const std::string& path, const AnnotationOptions& options)
      : path_(path), options_(options), members_(in, path) {}

  std::size_t count() const override { return members_.names().size(); }
  AnnotationRecords& records(std::size_t member) override {
    const std::string path = path_ + "/" + members_.names()[member];
    records_ = open_records(unpacked(members_.open(member), path), path, options_);
    return *records_;
  }
  bool members_have_names() const override { return true; }

 private:
  std::string path_;
  const AnnotationOptions& options_;
  ZipMembers members_;
  Records records_;
};

// Through DuckDB: Parquet, a database, a statement.
class DuckDbFile final : public OpenAnnotations {
 public:
  DuckDbFile(const std::string& path, const AnnotationOptions& options)
      : path_(path), options_(options), table_(path, options.sheets, term("ticks.sheets")) {
    table_.note_left_out(&notes_);
  }

  AnnotationRecords& records(std::size_t) override {
    records_.reset();  // a connection gives the rows of one statement at a time
    records_ = std::make_unique<AnnotationRecords>(std::make_unique<DuckDbText>(table_), path_,
                                                   options_.columns, DuckDbText::kDelimiter);
    return *records_;
  }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  std::string path_;
  const AnnotationOptions& options_;
  DuckDbTable table_;
  std::vector<std::string> notes_;
  Records records_;
};

class Sheets final : public OpenAnnotations {
 public:
  Sheets(InputStream& in, const std::string& path, const AnnotationOptions& options)
      : options_(options), book_(in, path) {
    for (const Workbook::Sheet& sheet : book_.chosen(options.sheets, term("ticks.sheets")))
      if (SheetText(book_, sheet).has_values()) sheets_.push_back(sheet);
    if (sheets_.empty()) refuse_without_values(path);
    if (book_.has_macros()) notes_.push_back(path + ": the macros in this workbook are not run");
  }

  std::size_t count() const override { return sheets_.size(); }
  AnnotationRecords& records(std::size_t member) override {
    const Workbook::Sheet& sheet = sheets_[member];
    auto text = std::make_unique<SheetText>(
        book_, sheet, [this](std::string note) { notes_.push_back(std::move(note)); });
    records_ = std::make_unique<AnnotationRecords>(std::move(text), book_.path_of(sheet),
                                                   options_.columns, SheetText::kDelimiter);
    return *records_;
  }
  bool members_have_names() const override { return sheets_.size() > 1; }
  std::vector<std::string> notes() const override { return notes_; }

 private:
  const AnnotationOptions& options_;
  Workbook book_;
  std::vector<Workbook::Sheet> sheets_;
  std::vector<std::string> notes_;
  Records records_;
};

}  // namespace

std::unique_ptr<OpenAnnotations> open_annotations(const std::string& path,
                                                  const AnnotationOptions& options,
                                                  FileSystem& files) {
  if (path.starts_with(kSqlMark)) return std::make_unique<DuckDbFile>(path, options);
  std::unique_ptr<InputStream> in = open_unpacked(files, path);
  std::string front = read_front(*in, kLookedAt);
  if (begins_as_parquet(front) || begins_as_database(front))
    return std::make_unique<DuckDbFile>(path, options);
  const bool workbook = begins_as_workbook(front), zip = front.starts_with(kZipMark);
  if (zip) refuse_other_files(front, path);
  in = rewound(std::move(in), std::move(front));
  if (workbook) return std::make_unique<Sheets>(*in, path, options);
  if (zip) return std::make_unique<ZipFile>(*in, path, options);
  return std::make_unique<PlainFile>(open_records(std::move(in), path, options));
}

}  // namespace sieve
