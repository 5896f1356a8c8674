#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/predict.h"

namespace sieve {

// Writes predictions row after row; nothing of them is kept.
class PredictionWriter {
 public:
  PredictionWriter(OutputStream& out, const PredictionLayout& layout,
                   const std::vector<std::string>& labels);

  // Some rows, the first of which is row `first` of all: scores and decisions are rows x labels;
  // there is one id per row, or none.
  struct Rows {
    std::size_t first = 0;
    const Matrix& scores;
    const LabelMatrix& decisions;
    std::span<const std::string> ids{};
  };
  // Their text. May be called by several threads at once.
  std::string text(const Rows& rows) const;
  // The next rows, with their text. Error(Data) if some rows have ids and others have none.
  void write(const std::string& text, std::size_t rows, bool with_ids);
  // Call it at the end: without any row there is still a header.
  void finish();
  // What text() wants to know of rows: labels that are on by the model's rule or by the guarantee
  // of the layout; empty where it does not look at them.
  LabelMatrix decisions(const Model& model, const Matrix& scores) const;
  std::size_t rows() const { return rows_; }

 private:
  using Kind = PredictionLayout::Kind;
  using Form = PredictionLayout::Form;
  struct Row {
    std::size_t number;     // of all rows
    const std::string* id;  // or null
    std::span<const float> scores;
    std::vector<std::size_t> labels;  // decided, or the top ones, best first
  };
  bool wants_decisions() const;
  Row row_of(const Rows& rows, std::size_t i) const;
  std::string header(const std::vector<std::string>& labels) const;
  void begin(bool with_ids);
  void append(Row row, std::string& text) const;
  void append_csv(const Row& row, std::string& text) const;
  void append_libsvm(Row row, std::string& text) const;
  void append_json(const Row& row, std::string& text) const;
  void append_task(const Row& row, std::string& text) const;

  OutputStream& out_;
  PredictionLayout layout_;
  std::vector<std::string> csv_names_, json_names_;
  std::string header_;
  bool begun_ = false, with_ids_ = false;
  std::size_t rows_ = 0;
};

}  // namespace sieve
