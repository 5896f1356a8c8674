#include "pipeline/prediction_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/json.h"
#include "data/csv/csv_cells.h"
#include "data/libsvm/libsvm_rows.h"
#include "data/text/numbers.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

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

// A row of numbers with commas between. Adding them to the text one by one would take longer than
// to write them.
void append_floats(std::string& text, std::span<const float> values) {
  const std::size_t before = text.size();
  text.resize(before + values.size() * (kMostFloatChars + 1));
  char* to = text.data() + before;
  for (const float value : values) {
    to = write_float(to, value);
    *to++ = ',';
  }
  text.resize(static_cast<std::size_t>(to - text.data()) - !values.empty());
}

}  // namespace

PredictionWriter::PredictionWriter(OutputStream& out, const PredictionLayout& layout,
                                   const std::vector<std::string>& labels)
    : out_(out), layout_(layout) {
  for (const std::string& label : labels) {
    append_csv_cell(csv_names_.emplace_back(), label, ',');
    json_names_.push_back(Json(label).text());
  }
  header_ = header(labels);
  if (!header_.empty()) header_ += '\n';
}

std::string PredictionWriter::header(const std::vector<std::string>& labels) const {
  if (layout_.form == Form::JsonLines || layout_.form == Form::LabelStudio) return {};
  if (layout_.form == Form::Libsvm)
    return to_string(
        LibsvmSize{layout_.kind == Kind::Decisions ? 0 : labels.size(), labels.size()});
  if (layout_.kind == Kind::Top) return "row,rank,label,score";
  std::string text(kRowColumn);
  for (const std::string& label : labels) {
    text += ',';
    const std::string_view mark = layout_.kind == Kind::Scores ? kScoreMark : "label:";
    append_csv_cell(text, std::string(mark) + label, ',');
  }
  return text;
}

LabelMatrix PredictionWriter::decisions(const Model& model, const Matrix& scores) const {
  if (!wants_decisions()) return {};
  return layout_.guarantee != nullptr ? decide_by(*layout_.guarantee, scores)
                                      : model.decide(scores);
}

bool PredictionWriter::wants_decisions() const {
  return layout_.kind == Kind::Decisions ||
         (layout_.kind == Kind::Scores &&
          (layout_.form == Form::Libsvm || layout_.form == Form::LabelStudio));
}

PredictionWriter::Row PredictionWriter::row_of(const Rows& rows, std::size_t i) const {
  Row row{rows.first + i, rows.ids.empty() ? nullptr : &rows.ids[i], rows.scores.row(i), {}};
  if (layout_.kind == Kind::Top) row.labels = best_labels(row.scores, layout_.top);
  if (wants_decisions())
    rows.decisions.for_each(i, [&](std::size_t k) { row.labels.push_back(k); });
  return row;
}

std::string PredictionWriter::text(const Rows& rows) const {
  std::string text;
  for (std::size_t i = 0; i < rows.scores.rows(); ++i) append(row_of(rows, i), text);
  return text;
}

void PredictionWriter::write(const std::string& text, std::size_t rows, bool with_ids) {
  begin(with_ids);
  if (with_ids != with_ids_)
    throw Error(Failure::Data, "some of the files have ids and some have none", {},
                "give all of them ids, or none");
  // The tasks of Label Studio are the elements of an array.
  out_.write(rows_ == 0 && layout_.form == Form::LabelStudio ? text.substr(1) : text);
  rows_ += rows;
}

void PredictionWriter::begin(bool with_ids) {
  if (std::exchange(begun_, true)) return;
  with_ids_ = with_ids;
  if (layout_.form == Form::LabelStudio) return out_.write("[");
  if (with_ids && layout_.form == Form::Csv) out_.write(std::string(kIdColumn) + ",");
  out_.write(header_);
}

void PredictionWriter::finish() {
  begin(false);
  if (layout_.form == Form::LabelStudio) out_.write("\n]\n");
}

void PredictionWriter::append(Row row, std::string& text) const {
  if (layout_.form == Form::Csv)
    append_csv(row, text);
  else if (layout_.form == Form::Libsvm)
    append_libsvm(std::move(row), text);
  else if (layout_.form == Form::LabelStudio)
    append_task(row, text);
  else
    append_json(row, text);
}

void PredictionWriter::append_csv(const Row& row, std::string& text) const {
  const auto add_id = [&] {
    if (row.id == nullptr) return;
    append_csv_cell(text, *row.id, ',');
    text += ',';
  };
  if (layout_.kind == Kind::Top) {
    for (std::size_t r = 0; r < row.labels.size(); ++r) {
      add_id();
      text += std::to_string(row.number) + ',' + std::to_string(r + 1) + ',' +
              csv_names_[row.labels[r]] + ',';
      append_float(text, row.scores[row.labels[r]]);
      text += '\n';
    }
    return;
  }
  add_id();
  text += std::to_string(row.number) + ',';
  if (layout_.kind == Kind::Scores) {
    append_floats(text, row.scores);
  } else {
    std::vector<char> cells(row.scores.size(), '0');
    for (const std::size_t label : row.labels) cells[label] = '1';
    comma_separated(text, cells, [&](char cell) { text += cell; });
  }
  text += '\n';
}

// Labels first, then label:score with labels counted from 1, as features are in this format.
void PredictionWriter::append_libsvm(Row row, std::string& text) const {
  std::ranges::sort(row.labels);
  comma_separated(text, row.labels, [&](std::size_t k) { text += std::to_string(k); });
  const auto add_score = [&](std::size_t k) {
    text += ' ' + std::to_string(k + 1) + ':';
    append_float(text, row.scores[k]);
  };
  if (layout_.kind == Kind::Scores)
    for (std::size_t k = 0; k < row.scores.size(); ++k) add_score(k);
  if (layout_.kind == Kind::Top)
    for (const std::size_t k : row.labels) add_score(k);
  // An empty line would be no row.
  text += layout_.kind == Kind::Decisions && row.labels.empty() ? " \n" : "\n";
}

void PredictionWriter::append_json(const Row& row, std::string& text) const {
  text += '{';
  if (row.id != nullptr) text += "\"id\":" + Json(*row.id).text() + ',';
  text += "\"row\":" + std::to_string(row.number);
  const auto add_score = [&](std::size_t k) { append_float(text, row.scores[k]); };
  if (layout_.kind == Kind::Scores) {
    std::vector<std::size_t> all(row.scores.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    text += ",\"scores\":{";
    comma_separated(text, all, [&](std::size_t k) {
      text += json_names_[k] + ':';
      add_score(k);
    });
    text += '}';
  } else {
    text += ",\"labels\":[";
    comma_separated(text, row.labels, [&](std::size_t k) { text += json_names_[k]; });
    text += ']';
  }
  if (layout_.kind == Kind::Top) {
    text += ",\"scores\":[";
    comma_separated(text, row.labels, add_score);
    text += ']';
  }
  text += "}\n";
}

// A task whose choices are the labels, with the score of each under `scores` and that of the least
// certain one as the score of the prediction.
void PredictionWriter::append_task(const Row& row, std::string& text) const {
  const std::string id = row.id != nullptr ? Json(*row.id).text() : std::to_string(row.number);
  text += ",\n{\"data\":{\"id\":" + id + "},\"predictions\":[{\"model_version\":\"labelsieve\",";
  float least = row.labels.empty() ? 0 : row.scores[row.labels.front()];
  for (const std::size_t k : row.labels) least = std::min(least, row.scores[k]);
  text += "\"score\":";
  append_float(text, least);
  text += ",\"scores\":{";
  comma_separated(text, row.labels, [&](std::size_t k) {
    text += json_names_[k] + ':';
    append_float(text, row.scores[k]);
  });
  text +=
      "},\"result\":[{\"from_name\":\"labels\",\"to_name\":\"item\",\"type\":\"choices\","
      "\"value\":{\"choices\":[";
  comma_separated(text, row.labels, [&](std::size_t k) { text += json_names_[k]; });
  text += "]}}]}]}";
}

}  // namespace sieve
