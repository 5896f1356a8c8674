#include "data/annotations/open_annotations.h"

#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/json.h"
#include "base/streams.h"
#include "data/annotations/said_annotations.h"
#include "data/csv/csv_cells.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "data/zip_members.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;
constexpr std::array kAnnotatorKeys = {"annotator", "annotator_id", "annotated_by", "created_by",
                                       "user",      "user_id",      "worker_id",    "rater"};

class NoMore final : public InputStream {
 public:
  std::size_t read(char*, std::size_t) override { return 0; }
};

class CocoFile {
 public:
  CocoFile(const JsonValue& root, const std::string& path) : path_(path) {
    for (const char* key : {"images", "annotations", "categories"})
      if (const auto list = root.find(key); !list || !list->is_array())
        refuse("this looks like a COCO file, but has no list of '" + std::string(key) + "'");
    root.find("categories")->for_each([&](const JsonValue& category) {
      categories_[text(category, "id")] = text(category, "name");
    });
    root.find("images")->for_each([&](const JsonValue& image) {
      const std::string id = text(image, "id");
      if (!names_.try_emplace(id, text(image, "file_name")).second)
        refuse("the image " + id + " is there twice");
      order_.push_back(id);
    });
    root.find("annotations")->for_each([&](const JsonValue& each) {
      if (annotator_key_.empty())
        for (const char* key : kAnnotatorKeys)
          if (annotator_key_.empty() && each.find(key)) annotator_key_ = key;
    });
  }

  std::string table(const JsonValue& root) {
    out_ = "image_id,file_name,annotator,label\n";
    root.find("annotations")->for_each([&](const JsonValue& each) { add(each); });
    if (annotator_key_.empty())
      for (const std::string& image : order_)
        if (!annotated_.contains(image)) add_line(image, "", "");
    return std::move(out_);
  }

 private:
  void add(const JsonValue& annotation) {
    const std::string image = text(annotation, "image_id");
    const auto category = categories_.find(text(annotation, "category_id"));
    if (!names_.contains(image))
      refuse("an annotation is about image '" + image + "', which is not in the file");
    if (category == categories_.end())
      refuse("an annotation has category '" + text(annotation, "category_id") +
             "', which is not in the file");
    std::string annotator;
    if (!annotator_key_.empty()) {
      const auto value = annotation.find(annotator_key_);
      annotator = value ? value->plain() : "";
      if (annotator.empty()) refuse("an annotation of image '" + image + "' names no annotator");
    }
    annotated_.insert(image);
    add_line(image, annotator, category->second);
  }
  void add_line(const std::string& image, const std::string& annotator, const std::string& label) {
    add_cell(image), out_ += ',';
    add_cell(names_.at(image)), out_ += ',';
    add_cell(annotator_key_.empty() ? std::string(kEveryone) : annotator), out_ += ',';
    add_cell(label), out_ += '\n';
  }
  void add_cell(const std::string& cell) {
    if (!cell.empty()) append_csv_cell(out_, cell, ',');
  }
  std::string text(const JsonValue& object, const char* key) const {
    const auto value = object.find(key);
    if (!value || value->is_null()) refuse("an entry without '" + std::string(key) + "'");
    return value->plain();
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Failure::Data, what, {path_, 0, 0},
                "check that the file was written and copied whole");
  }

  const std::string& path_;
  std::map<std::string, std::string> categories_;
  std::unordered_map<std::string, std::string> names_;  // of files, by image
  std::vector<std::string> order_;                      // of images
  std::unordered_set<std::string> annotated_;
  std::string annotator_key_, out_;
};

// Whether the first bytes are those of a COCO file: one JSON object with images, annotations and
// categories.
bool begins_as_coco(std::string_view front) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip = [&] {
    front.remove_prefix(std::min(front.find_first_not_of(kBlanks), front.size()));
  };
  if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
  skip();
  if (!front.starts_with('{')) return false;
  front.remove_prefix(1);
  skip();
  for (const char* key : {"\"info\"", "\"licenses\"", "\"images\"", "\"categories\""})
    if (front.starts_with(key)) return true;
  return front.starts_with("\"annotations\"") && front.find("\"image_id\"") != front.npos;
}

// Such a file as a long table in CSV: image_id, file_name, label and, where annotations name them,
// annotator. Boxes and outlines are left out: an annotation says that the image has the category.
// An image without annotations has a line without a label if nobody is named. Error(Data) for
// annotations of images or categories that are not in the file.
std::unique_ptr<InputStream> coco_table(InputStream& in, const std::string& path) {
  const std::string text = read_all(in, kLargest, path);
  JsonParser parser;
  const JsonValue root = parser.parse(text, {path, 0, 0});
  return rewound(std::make_unique<NoMore>(), CocoFile(root, path).table(root));
}

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
