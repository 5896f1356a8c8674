#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/files.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// What to write of a prediction, and how.
struct PredictionLayout {
  enum class Kind { Scores, Decisions, Top } kind = Kind::Scores;
  enum class Form { Csv, Libsvm, JsonLines } form = Form::Csv;
  std::size_t top = 5;  // Kind::Top: how many labels a row
};

// Writes predictions row after row; nothing is kept but a piece of text.
class PredictionWriter {
 public:
  PredictionWriter(OutputStream& out, const PredictionLayout& layout,
                   const std::vector<std::string>& labels);

  // The next rows: scores and decisions are rows x labels.
  void write(const Matrix& scores, const LabelMatrix& decisions);
  void finish();
  std::size_t rows() const { return rows_; }

 private:
  using Kind = PredictionLayout::Kind;
  using Form = PredictionLayout::Form;
  struct Row {
    std::span<const float> scores;
    std::vector<std::size_t> labels;  // decided, or the top ones, best first
  };
  Row row_of(const Matrix& scores, const LabelMatrix& decisions, std::size_t i) const;
  void write_header();
  void write_csv(const Row& row);
  void write_libsvm(Row row);
  void write_json(const Row& row);

  OutputStream& out_;
  PredictionLayout layout_;
  std::vector<std::string> csv_names_, json_names_;
  std::string text_;
  std::size_t rows_ = 0;
};

}  // namespace sieve
