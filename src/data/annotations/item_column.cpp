#include "data/annotations/item_column.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/csv/csv_columns.h"
#include "data/question.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kRecordsWeighed = 100000;  // more would take memory and tell no more
constexpr double kMatches = 0.5;                 // of the cells, or of the share of the best column

std::string_view cell_of(const std::vector<std::string>& record, std::size_t column) {
  return column < record.size() ? trimmed(record[column]) : std::string_view();
}

std::size_t hash_of(std::string_view text, std::size_t beside = 0) {
  return std::hash<std::string_view>()(text) ^ (beside * 0x9E3779B97F4A7C15U + (beside >> 7U));
}

bool contains(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::ranges::find(columns, column) != columns.end();
}

// "photo" of "photo_id".
std::string stem(std::string_view name) {
  std::string text = bare_name(name);
  if (text.size() > 2 && text.ends_with("id")) text.resize(text.size() - 2);
  return text;
}

// Texts, not numbers, that are ids of the data in most cells: no name is needed to tell.
bool holds_ids(const AnnotationRecords& records, std::size_t column, const RowIds& ids) {
  std::size_t texts = 0, found = 0;
  for (const std::vector<std::string>& record : records.sample()) {
    const std::string_view cell = cell_of(record, column);
    if (cell.empty() || parse_number<double>(cell)) continue;
    ++texts;
    found += ids.contains(cell) ? 1 : 0;
  }
  return texts * 2 > records.sample().size() &&
         static_cast<double>(found) >= kMatches * static_cast<double>(texts);
}

}  // namespace

std::vector<std::size_t> item_candidates(const AnnotationRecords& records,
                                         const std::vector<std::size_t>& taken, const RowIds* ids) {
  std::vector<std::size_t> columns;
  const auto add = [&](std::size_t column) {
    if (!contains(taken, column) && !contains(columns, column)) columns.push_back(column);
  };
  const std::vector<std::string>& names = records.names();
  for (const std::string_view known : kItemNames)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (bare_name(names[i]) == known) add(i);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto is_one_of = [&](const ColumnNames& others) {
      return std::ranges::find(others, bare_name(names[i])) != others.end();
    };
    if (id_name(names[i]) == IdName::Yes && !is_one_of(kAnnotatorNames) && !is_one_of(kRecordNames))
      add(i);
  }
  if (ids == nullptr) return columns;
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((!ids->column().empty() && stem(names[i]) == stem(ids->column())) ||
        (holds_ids(records, i, *ids) && !says_yes_and_no(records, i)))
      add(i);
  return columns;
}

ItemEvidence::ItemEvidence(const AnnotationRecords& records, std::vector<std::size_t> candidates,
                           std::size_t annotator, std::size_t label, const RowIds* ids)
    : records_(records), annotator_(annotator), label_(label), ids_(ids) {
  for (const std::size_t column : candidates) candidates_.push_back({column});
}

double ItemEvidence::Candidate::share() const {
  return filled == 0 ? 0 : static_cast<double>(found) / static_cast<double>(filled);
}

void ItemEvidence::add(const std::vector<std::string>& record) {
  if (records_seen_++ >= kRecordsWeighed) return;
  const std::size_t annotator = hash_of(cell_of(record, annotator_));
  const std::size_t said = hash_of(cell_of(record, label_), annotator);
  for (Candidate& candidate : candidates_) {
    const std::string_view cell = cell_of(record, candidate.column);
    if (cell.empty()) continue;
    ++candidate.filled;
    candidate.found += ids_ != nullptr && ids_->contains(cell) ? 1 : 0;
    const auto [first, fresh] = candidate.annotator_of.try_emplace(hash_of(cell), annotator);
    candidate.all_differ &= fresh;
    candidate.across_annotators |= first->second != annotator;
    // Where annotators are not known, others may have said it before.
    if (annotator_ != AnnotationRecords::npos)
      candidate.doubles += candidate.said.insert(hash_of(cell, said)).second ? 0 : 1;
  }
}

std::vector<const ItemEvidence::Candidate*> ItemEvidence::plausible() const {
  std::vector<const Candidate*> some;
  for (const Candidate& candidate : candidates_)
    if (!candidate.names_groups()) some.push_back(&candidate);
  if (std::ranges::any_of(some, &Candidate::across_annotators))
    std::erase_if(some, [](const Candidate* candidate) { return candidate->all_differ; });
  if (some.empty())
    for (const Candidate& candidate : candidates_) some.push_back(&candidate);
  return some;
}

std::vector<std::size_t> ItemEvidence::left() const {
  std::vector<const Candidate*> some = plausible();
  const auto matches = [&](const Candidate* candidate) { return candidate->found != 0; };
  if (ids_ != nullptr) {
    for (const Candidate* candidate : some)
      if (records_.names()[candidate->column] == ids_->column()) return {candidate->column};
    if (std::ranges::none_of(some, matches))
      for (const Candidate& candidate : candidates_)
        if (std::ranges::find(some, &candidate) == some.end() && matches(&candidate))
          some.push_back(&candidate);
    double best = 0;
    for (const Candidate* candidate : some) best = std::max(best, candidate->share());
    if (best > 0)
      std::erase_if(some, [&](const Candidate* c) { return c->share() < kMatches * best; });
  }
  std::vector<std::size_t> columns;
  for (const Candidate* candidate : some) columns.push_back(candidate->column);
  return columns;
}

bool ItemEvidence::all_differ(std::size_t column) const {
  const auto found = std::ranges::find(candidates_, column, &Candidate::column);
  return found != candidates_.end() && found->filled > 1 && found->all_differ;
}

std::vector<std::size_t> ItemEvidence::shared() const {
  std::vector<std::size_t> columns;
  for (const Candidate& candidate : candidates_)
    if (candidate.across_annotators && !candidate.names_groups())
      columns.push_back(candidate.column);
  return columns;
}

std::vector<std::size_t> open_columns(const AnnotationRecords& records,
                                      const std::vector<std::size_t>& taken) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i) {
    const std::string name = bare_name(records.names()[i]);
    const auto is_one_of = [&](const ColumnNames& names) {
      return std::ranges::find(names, name) != names.end();
    };
    if (!contains(taken, i) && !is_one_of(kAnnotatorNames) && !is_one_of(kRepeatingNames) &&
        !is_one_of(kTimeNames) && !is_one_of(kRecordNames) && !is_side_column(name))
      columns.push_back(i);
  }
  return columns;
}

ItemColumn::ItemColumn(const AnnotationFile& file, std::size_t annotator, std::size_t label,
                       const std::vector<std::size_t>& taken)
    : file_(file),
      candidates_(item_candidates(file.records, taken, file.ids)),
      column_(find_column(file.records, file.options.item, {}, file.path)),
      evidence_(file.records, candidates_, annotator, label, file.ids),
      others_(file.records, open_columns(file.records, taken), annotator, label, nullptr) {
  if (column_ != AnnotationRecords::npos) return;
  guessed_ = file.ids == nullptr;
  for (const std::vector<std::string>& record : file.records.sample_of_others()) {
    evidence_.add(record);
    others_.add(record);
  }
  if (candidates_.empty()) refuse_columns(file.records, "items", file.path);
  column_ = candidates_.front();
  if (candidates_.size() == 1) return;
  open_ = true;
  ItemEvidence first(file.records, candidates_, annotator, label, file.ids);
  for (const std::vector<std::string>& record : file.records.sample()) first.add(record);
  const std::vector<std::size_t> left = first.left();
  column_ = left.size() == 1 ? left.front() : first_of_same_items(left);
  std::vector<std::string> others;
  for (const std::size_t column : candidates_)
    if (column != column_) others.push_back("'" + file.records.names()[column] + "'");
  file.sink.note(fmt::format("items are named by '{}', not by {} ({} chooses another)",
                             file.records.names()[column_], fmt::join(others, " or "),
                             term("ticks.item")));
}

// It does not matter which one is taken where all of them tell the same items apart, unless they
// are to be found in the data.
std::size_t ItemColumn::first_of_same_items(const std::vector<std::size_t>& columns) const {
  const std::string first_name = bare_name(file_.records.names()[columns.front()]);
  if (file_.ids != nullptr) ask_for_items(file_, columns);
  if (first_name == "item" || first_name == "itemid") return columns.front();
  for (std::size_t k = 1; k < columns.size(); ++k) {
    std::unordered_map<std::string_view, std::string_view> there, back;
    for (const std::vector<std::string>& record : file_.records.sample()) {
      const std::string_view one = cell_of(record, columns.front());
      const std::string_view other = cell_of(record, columns[k]);
      if (there.try_emplace(one, other).first->second != other ||
          back.try_emplace(other, one).first->second != one)
        ask_for_items(file_, columns);
    }
  }
  return columns.front();
}

void ask_for_items(const AnnotationFile& file, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  std::vector<ReadAnswer> answers;
  for (const std::size_t column : columns) {
    const std::string& name = file.records.names()[column];
    names.push_back("'" + name + "'");
    answers.push_back({fmt::format("if it is '{}'", name), {{"ticks.item", name}}});
  }
  throw ReadQuestion(fmt::format("cannot tell which column of the annotations names the items: {}",
                                 fmt::join(names, " or ")),
                     {file.path, 0, 0}, answers);
}

void ItemColumn::see() {
  if (open_) evidence_.add(file_.records.cells());
  if (guessed_) others_.add(file_.records.cells());
}

void ItemColumn::confirm() const {
  if (guessed_ && others_.all_differ(column_)) {
    std::vector<std::size_t> columns = others_.shared();
    columns.insert(columns.begin(), column_);
    if (columns.size() > 1) ask_for_items(file_, columns);
  }
  if (!open_) return;
  const std::vector<std::size_t> left = evidence_.left();
  if (left == std::vector<std::size_t>{column_}) return;
  if (file_.ids == nullptr && contains(left, column_)) return;
  ask_for_items(file_, left);
}

}  // namespace sieve
