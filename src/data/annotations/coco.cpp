#include "data/annotations/coco.h"

#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/json.h"
#include "base/streams.h"
#include "data/annotations/said_annotations.h"
#include "data/csv/csv_cells.h"
#include "labelsieve/error.h"

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

}  // namespace

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

std::unique_ptr<InputStream> coco_table(InputStream& in, const std::string& path) {
  const std::string text = read_all(in, kLargest, path);
  JsonParser parser;
  const JsonValue root = parser.parse(text, {path, 0, 0});
  return rewound(std::make_unique<NoMore>(), CocoFile(root, path).table(root));
}

}  // namespace sieve
