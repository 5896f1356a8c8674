#include "data/annotations/layouts.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/question.h"
#include "data/text/text_kinds.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

// What the first cells of a column are.
struct Cells {
  Cells(const AnnotationRecords& records, std::size_t column) {
    for (const std::vector<std::string>& record : records.sample()) {
      const std::string_view cell =
          column < record.size() ? trimmed(record[column]) : std::string_view();
      if (cell.empty()) continue;
      ++filled;
      different.insert(cell);
      numbers += parse_number<double>(cell) ? 1U : 0U;
      dates += looks_like_date(cell) ? 1U : 0U;
      lists += is_list_literal(cell) ? 1U : 0U;
    }
  }
  bool repeat() const { return different.size() * 2 <= filled; }
  bool separate() const {
    return separation_of({different.begin(), different.end()}).texts == Separation::Texts::Lists;
  }
  // Texts that repeat, or lists of such; or `also` numbers that repeat.
  enum class Numbers { No, Also };
  bool may_be_labels(Numbers also) const {
    return filled != 0 && dates < filled && (numbers < filled || also == Numbers::Also) &&
           (lists == filled || repeat() || separate());
  }

  std::size_t filled = 0, numbers = 0, dates = 0, lists = 0;
  std::set<std::string_view> different;
};

// Whether a column says something of the other one: its values come again, with the same beside.
bool says_of(const AnnotationRecords& records, std::size_t column, std::size_t other) {
  std::unordered_map<std::string_view, std::string_view> beside;
  bool again = false;
  for (const std::vector<std::string>& record : records.sample()) {
    if (std::max(column, other) >= record.size()) continue;
    const auto [first, fresh] = beside.try_emplace(record[other], record[column]);
    if (first->second != record[column]) return false;
    again |= !fresh;
  }
  return again;
}

// Columns that may hold labels, but for those that say something of one of `known`.
std::vector<std::size_t> label_columns(const AnnotationRecords& records,
                                       const std::vector<std::size_t>& taken,
                                       const std::vector<std::size_t>& known,
                                       Cells::Numbers numbers = Cells::Numbers::No) {
  std::vector<std::size_t> found;
  for (const std::size_t k : open_columns(records, taken)) {
    const bool of_another = std::ranges::any_of(
        known, [&](std::size_t other) { return other != npos && says_of(records, k, other); });
    if (!of_another && !says_yes_and_no(records, k) && Cells(records, k).may_be_labels(numbers))
      found.push_back(k);
  }
  return found;
}

std::vector<ReadAnswer> answers_for(const AnnotationRecords& records,
                                    const std::vector<std::size_t>& labels) {
  std::vector<ReadAnswer> answers;
  for (const std::size_t k : labels)
    answers.push_back({fmt::format("if the labels are in '{}'", records.names()[k]),
                       {{"ticks.label", records.names()[k]}}});
  return answers;
}

constexpr const char* kNoLabels = "cannot tell which column of the annotations has the labels";

}  // namespace

std::size_t labels_by_content(const AnnotationFile& file, std::size_t item,
                              std::vector<std::size_t> taken) {
  const AnnotationRecords& records = file.records;
  taken.push_back(item);
  std::vector<std::size_t> labels = label_columns(records, taken, {item});
  // Or all annotators said the same of each item so far.
  if (labels.empty()) labels = label_columns(records, taken, {});
  if (labels.empty()) refuse_columns(records, "labels", file.path);
  if (labels.size() > 1)
    throw ReadQuestion(kNoLabels, {file.path, 0, 0}, answers_for(records, labels));
  file.sink.note(fmt::format("labels are those in '{}' ({} chooses another)",
                             records.names()[labels.front()], term("ticks.label")));
  return labels.front();
}

std::optional<GuessedLayout> guess_layout(const AnnotationRecords& records,
                                          const AnnotationOptions& options,
                                          const std::string& path) {
  const std::vector<std::string>& names = records.names();
  const std::size_t annotator = find_column(records, options.annotator, kAnnotatorNames, path);
  std::vector<std::size_t> items = {find_column(records, options.item, {}, path)};
  if (items.front() == npos) items = item_candidates(records, {annotator});
  if (items.empty() && annotator == npos) return std::nullopt;
  std::vector<std::size_t> bits = bit_columns(records);
  std::erase_if(bits, [&](std::size_t k) {
    return k == annotator || std::ranges::find(items, k) != items.end();
  });
  std::vector<std::size_t> taken = items;
  taken.push_back(annotator);
  std::vector<std::size_t> labels = label_columns(records, taken, taken);
  const bool wide = bits.size() >= 2 && !items.empty();
  if (wide && labels.empty()) return GuessedLayout{"wide", {}};
  if (!wide && labels.size() == 1) return GuessedLayout{"long", names[labels.front()]};
  // Or all annotators said the same of each item so far.
  if (labels.empty()) labels = label_columns(records, taken, {annotator});
  if (labels.empty() && !items.empty() && annotator != npos)
    labels = label_columns(records, taken, {annotator}, Cells::Numbers::Also);
  if (labels.empty()) return std::nullopt;
  std::vector<ReadAnswer> answers = answers_for(records, labels);
  if (annotator == npos && have_alike_texts(records, labels)) {
    std::vector<std::string> raters;
    for (const std::size_t k : labels) raters.push_back(names[k]);
    answers.insert(
        answers.begin(),
        {fmt::format("if each of {} columns is that of one annotator, such as '{}'", labels.size(),
                     raters.front()),
         {{"ticks.format", "raters"}, {"ticks.label", fmt::format("{}", fmt::join(raters, ","))}}});
  }
  if (wide)
    answers.push_back(
        {fmt::format("if columns of 0 and 1 are labels, such as '{}'", names[bits.front()]),
         {{"ticks.format", "wide"}}});
  throw ReadQuestion(kNoLabels, {path, 0, 0}, answers);
}

}  // namespace sieve
