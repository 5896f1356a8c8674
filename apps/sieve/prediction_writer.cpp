#include "prediction_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/csv_cells.h"
#include "data/libsvm_rows.h"
#include "data/numbers.h"
#include "json.h"

namespace sieve {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

std::vector<std::size_t> best_labels(std::span<const float> scores, std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-scores[a], a) < std::pair(-scores[b], b);
  });
  order.erase(end, order.end());
  return order;
}

// Calls put(item) for each item, with commas between.
template <class Items, class Put>
void comma_separated(std::string& text, const Items& items, Put&& put) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += ',';
    first = false;
    put(item);
  }
}

}  // namespace

PredictionWriter::PredictionWriter(OutputStream& out, const PredictionLayout& layout,
                                   const std::vector<std::string>& labels)
    : out_(out), layout_(layout) {
  for (const std::string& label : labels) {
    append_csv_cell(csv_names_.emplace_back(), label, ',');
    json_names_.push_back(Json(label).text());
  }
  write_header();
}

void PredictionWriter::write_header() {
  if (layout_.form == Form::Libsvm)
    text_ += to_string(
        LibsvmSize{layout_.kind == Kind::Decisions ? 0 : csv_names_.size(), csv_names_.size()});
  else if (layout_.form == Form::Csv && layout_.kind == Kind::Top)
    text_ += "row,rank,label,score";
  else if (layout_.form == Form::Csv)
    comma_separated(text_, csv_names_, [&](const std::string& name) { text_ += name; });
  if (!text_.empty()) text_ += '\n';
}

PredictionWriter::Row PredictionWriter::row_of(const Matrix& scores, const LabelMatrix& decisions,
                                               std::size_t i) const {
  Row row{scores.row(i), {}};
  if (layout_.kind == Kind::Top)
    row.labels = best_labels(row.scores, layout_.top);
  else
    decisions.for_each(i, [&](std::size_t k) { row.labels.push_back(k); });
  return row;
}

void PredictionWriter::write(const Matrix& scores, const LabelMatrix& decisions) {
  for (std::size_t i = 0; i < scores.rows(); ++i, ++rows_) {
    Row row = row_of(scores, decisions, i);
    if (layout_.form == Form::Csv)
      write_csv(row);
    else if (layout_.form == Form::Libsvm)
      write_libsvm(std::move(row));
    else
      write_json(row);
    if (text_.size() < kPiece) continue;
    out_.write(text_);
    text_.clear();
  }
}

void PredictionWriter::finish() {
  out_.write(text_);
  text_.clear();
}

void PredictionWriter::write_csv(const Row& row) {
  if (layout_.kind == Kind::Top) {
    for (std::size_t r = 0; r < row.labels.size(); ++r) {
      text_ += std::to_string(rows_) + ',' + std::to_string(r + 1) + ',' +
               csv_names_[row.labels[r]] + ',';
      append_float(text_, row.scores[row.labels[r]]);
      text_ += '\n';
    }
    return;
  }
  if (layout_.kind == Kind::Scores) {
    comma_separated(text_, row.scores, [&](float score) { append_float(text_, score); });
  } else {
    std::vector<char> cells(row.scores.size(), '0');
    for (const std::size_t label : row.labels) cells[label] = '1';
    comma_separated(text_, cells, [&](char cell) { text_ += cell; });
  }
  text_ += '\n';
}

// Labels first, then label:score with labels counted from 1, as features are in this format.
void PredictionWriter::write_libsvm(Row row) {
  std::ranges::sort(row.labels);
  comma_separated(text_, row.labels, [&](std::size_t k) { text_ += std::to_string(k); });
  const auto add_score = [&](std::size_t k) {
    text_ += ' ' + std::to_string(k + 1) + ':';
    append_float(text_, row.scores[k]);
  };
  if (layout_.kind == Kind::Scores)
    for (std::size_t k = 0; k < row.scores.size(); ++k) add_score(k);
  if (layout_.kind == Kind::Top)
    for (const std::size_t k : row.labels) add_score(k);
  // An empty line would be no row.
  text_ += layout_.kind == Kind::Decisions && row.labels.empty() ? " \n" : "\n";
}

void PredictionWriter::write_json(const Row& row) {
  text_ += "{\"row\":" + std::to_string(rows_);
  const auto add_score = [&](std::size_t k) { append_float(text_, row.scores[k]); };
  if (layout_.kind == Kind::Scores) {
    std::vector<std::size_t> all(row.scores.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    text_ += ",\"scores\":{";
    comma_separated(text_, all, [&](std::size_t k) {
      text_ += json_names_[k] + ':';
      add_score(k);
    });
    text_ += '}';
  } else {
    text_ += ",\"labels\":[";
    comma_separated(text_, row.labels, [&](std::size_t k) { text_ += json_names_[k]; });
    text_ += ']';
  }
  if (layout_.kind == Kind::Top) {
    text_ += ",\"scores\":[";
    comma_separated(text_, row.labels, add_score);
    text_ += ']';
  }
  text_ += "}\n";
}

}  // namespace sieve
