#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {

// The rows of a table (CSV, TSV) or the objects of a JSON file alike, as cells under names. Strings
// in JSON are their content, anything else is its JSON; what a record lacks is empty.
class AnnotationRecords {
 public:
  // The first character says whether it is JSON, unless `delimiter` says that it is a table.
  // `names` are those of the columns of a table whose first line has none.
  AnnotationRecords(std::unique_ptr<InputStream> in, const std::string& path,
                    std::vector<std::string> names = {}, char delimiter = 0);
  ~AnnotationRecords();

  bool is_json() const { return json_; }
  char delimiter() const;  // of a table
  // The columns, or the keys of the first records.
  const std::vector<std::string>& names() const { return names_; }
  using Record = std::vector<std::string>;
  // The first records, without taking them: up to kSampleRecords. Where files with the same columns
  // are read together, those of the others follow.
  static constexpr std::size_t kSampleRecords = 200;
  const std::vector<Record>& sample() const { return sample_; }
  // Those of other files.
  std::span<const Record> sample_of_others() const {
    return std::span(sample_).subspan(sample_.size() - others_);
  }
  // Leaves `own` of its first records in the sample, and puts these behind them.
  void share_sample(std::size_t own, const std::vector<Record>& others);

  // The column of that name; npos if there is none. A JSON file may have it later.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  std::size_t column(std::string_view name) const;

  // The next record; false at the end.
  bool next();
  // A cell of it. Valid until the next call of next().
  std::string_view cell(std::size_t column) const {
    return column < cells_.size() ? std::string_view(cells_[column]) : std::string_view();
  }
  const std::vector<std::string>& cells() const { return cells_; }
  Place place() const { return {path_, line_, 0}; }
  const std::string& path() const { return path_; }

 private:
  class Source;
  class TableSource;
  class JsonSource;
  void take_sample();

  const std::string path_;
  bool json_ = false;
  std::unique_ptr<InputStream> in_;
  std::unique_ptr<Source> source_;
  std::vector<std::string> names_;
  std::vector<Record> first_, sample_;  // records that were looked at; what is shown of them
  std::vector<std::size_t> first_lines_;
  std::size_t given_ = 0;   // of the first records
  std::size_t others_ = 0;  // in the sample
  std::vector<std::string> cells_;
  std::size_t line_ = 0;
};

}  // namespace sieve
