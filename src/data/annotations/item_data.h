#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/annotations/annotation_records.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"

namespace sieve {

// Columns of annotations that are data of their items, such as the sentence that was shown: those
// that are named, else the one with texts that are the same in all annotations of an item; and
// those that name its picture or sound.
class ItemData {
 public:
  explicit ItemData(const TableOptions& table);

  // Chooses among the columns of the next file.
  void open(const AnnotationRecords& records, const std::string& layout);
  // Takes in the current record of that file, which is about this item.
  void take(std::string_view item);
  // Takes in data of an item that are not cells of a record.
  void take_value(std::string_view item, const std::string& key, std::string_view value);
  // When all files are read; adds to the notes. Error(Usage) for a named column that none has.
  void finish(const std::string& path, std::vector<std::string>& notes);

  bool empty() const { return chosen_.empty(); }
  std::string id_column(const std::string& item_column) const;
  // A table of the items with these data, with a line of names.
  std::string csv(const std::vector<std::string>& items, const std::string& id_column) const;
  // The options of reading it.
  TableOptions table() const;

 private:
  struct Column {
    std::unordered_map<std::string, std::string> values{};  // by item
    std::size_t taken = 0, different = 0;  // of the second annotation of an item on
  };
  bool is_named(std::string_view column) const;
  void take(std::string_view item, const std::string& column, std::string_view value);
  void choose_named(const std::string& path, std::vector<std::string>& notes);
  void choose_text(std::vector<std::string>& notes);
  void choose_media(std::vector<std::string>& notes);
  bool varies(const std::string& name) const;  // between annotations of one item

  TableOptions table_;
  std::vector<std::string> named_, known_{};  // columns that are asked for; all that files have
  const AnnotationRecords* records_ = nullptr;
  std::vector<std::size_t> open_{};  // columns of the file that is read
  std::map<std::string, Column> columns_{};
  std::set<std::string> media_{};                     // columns that name pictures or sounds
  std::vector<std::vector<std::string>> in_files_{};  // columns that may be texts, file by file
  std::map<std::string, std::vector<std::string>> chosen_{};  // by the name in the table
};

// As read_dataset(). Where there are annotations and no data files, the column of texts in them is
// the data, if one is plain and `guess_texts`; columns that the options name are in any case.
Dataset read_dataset_with_texts(const std::vector<std::string>& paths, const ReadOptions& options,
                                bool guess_texts);

}  // namespace sieve
