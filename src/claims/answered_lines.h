#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/json.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/open_annotations.h"
#include "labelsieve/claims.h"

// Files whose lines answer for one cell each: the answered list of an audit, or decided cells.
namespace sieve {

struct AnsweredLine {
  std::string item{}, label{}, answer{};
  std::string pass{}, audit{};  // "" where the file does not say
  Place place{};
};

// The lines of a table (CSV, JSON, a sheet, Parquet) or of tasks that Label Studio exported, one
// after the other. Of several sheets, those of the first with a column 'audit', or of the first.
class AnsweredLines {
 public:
  // `names` are those that a column of answers may have. Error(Data) where a column is missing.
  AnsweredLines(const std::string& path, const ColumnNames& names, FileSystem& files);
  AnsweredLines(const AnsweredLines&) = delete;
  AnsweredLines& operator=(const AnsweredLines&) = delete;

  bool next(AnsweredLine& line);
  bool of_audit() const { return tasks_ || audit_ != AnnotationRecords::npos; }

 private:
  void choose_sheet();
  void read_task(AnsweredLine& line);

  const AnnotationOptions options_{};
  std::unique_ptr<OpenAnnotations> file_;
  AnnotationRecords* records_ = nullptr;
  bool tasks_ = false;
  std::size_t item_ = AnnotationRecords::npos, label_ = item_, answer_ = item_, pass_ = item_,
              audit_ = item_;
  std::size_t data_ = item_, annotations_ = item_;  // of tasks
  JsonParser parser_;
};

// None for an empty answer. Error(Data) for what is no answer.
AuditAnswer answer_in(const AnsweredLine& line);

// Cells by the names of their rows and labels.
class CellNames {
 public:
  explicit CellNames(const Dataset& data);
  // Error(Data) for one that the data do not have.
  std::size_t row(const AnsweredLine& line) const;
  std::size_t label(const AnsweredLine& line) const;

 private:
  const Dataset& data_;
  std::unordered_map<std::string, std::size_t> rows_{};
};

}  // namespace sieve
