#include "data/annotations/item_data.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/plain_names.h"
#include "data/csv/csv_cells.h"
#include "data/text/text_kinds.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kSentence = 3;  // words

bool holds_texts(const AnnotationRecords& records, std::size_t column) {
  std::set<std::string> different;
  std::size_t texts = 0, cells = 0;
  for (std::string& cell : sample_of(records, column)) {
    if (cell.empty()) continue;
    ++cells;
    texts += has_words(cell, kSentence);
    different.insert(std::move(cell));
  }
  return cells != 0 && 2 * texts > cells && (different.size() > 1 || cells == 1);
}

// Names of pictures or sounds.
bool holds_media(const AnnotationRecords& records, std::size_t column) {
  return sample_is(records, column,
                   [](std::string_view cell) { return !media_type(cell).empty(); });
}

// Whether a column of this name may hold data of the items, by the layout.
bool may_be_data(std::string_view name, const std::string& layout) {
  if (layout == "label-studio" || layout == "argilla-records") return false;  // objects
  if (layout == "mturk") return name.starts_with("Input.");
  if (layout == "crowdflower") return !name.starts_with('_') && !name.ends_with("_gold");
  const std::string bare = bare_name(name);
  for (const ColumnNames* names : {&kAnnotatorNames, &kLabelNames, &kTimeNames, &kRepeatingNames})
    if (std::ranges::find(*names, bare) != names->end()) return false;
  return true;
}

}  // namespace

ItemData::ItemData(const TableOptions& table) : table_(table) {
  for (const auto* names : {&table.text, &table.category, &table.date})
    named_.insert(named_.end(), names->begin(), names->end());
}

bool ItemData::is_named(std::string_view column) const {
  return std::ranges::find(named_, column) != named_.end();
}

void ItemData::open(const AnnotationRecords& records, const std::string& layout) {
  records_ = &records;
  open_.clear();
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < records.names().size(); ++k) {
    const std::string& name = records.names()[k];
    known_.push_back(name);
    const bool ignored = std::ranges::find(table_.ignore, name) != table_.ignore.end();
    const bool may_be = !ignored && may_be_data(name, layout);
    const bool media = may_be && !is_named(name) && holds_media(records, k);
    const bool fits = named_.empty() ? may_be && holds_texts(records, k) : is_named(name);
    if (media) media_.insert(name);
    if (!fits && !media) continue;
    open_.push_back(k);
    if (!media) texts.push_back(name);
  }
  in_files_.push_back(std::move(texts));
}

void ItemData::take(std::string_view item) {
  for (const std::size_t column : open_)
    take(item, records_->names()[column], records_->cell(column));
}

void ItemData::take_value(std::string_view item, const std::string& key, std::string_view value) {
  known_.push_back(key);
  if (!is_named(key) && !media_type(value).empty()) {
    media_.insert(key);
    return take(item, key, value);
  }
  if (named_.empty() ? !has_words(value, kSentence) : !is_named(key)) return;
  std::vector<std::string>& names = in_files_.back();
  if (std::ranges::find(names, key) == names.end()) names.push_back(key);
  take(item, key, value);
}

void ItemData::take(std::string_view item, const std::string& column, std::string_view value) {
  Column& into = columns_[column];
  const auto [there, fresh] = into.values.try_emplace(std::string(plain_name(item)), value);
  if (fresh) return;
  ++into.taken;
  into.different += there->second != value;
}

void ItemData::finish(const std::string& path, std::vector<std::string>& notes) {
  if (named_.empty())
    choose_text(notes);
  else
    choose_named(path, notes);
  choose_media(notes);
}

bool ItemData::varies(const std::string& name) const {
  const auto column = columns_.find(name);
  return column == columns_.end() || 50 * column->second.different > column->second.taken;
}

void ItemData::choose_media(std::vector<std::string>& notes) {
  std::erase_if(media_, [&](const std::string& name) { return varies(name); });
  if (media_.empty()) return;
  for (const std::string& name : media_) chosen_[name] = {name};
  notes.push_back(
      fmt::format("the pictures or sounds of the rows are named by '{}' of the annotations",
                  fmt::join(media_, "', '")));
}

void ItemData::choose_named(const std::string& path, std::vector<std::string>& notes) {
  for (const std::string& name : named_) {
    const auto found = columns_.find(name);
    if (found == columns_.end())
      throw Error(Failure::Usage, "the annotations have no column '" + name + "'", {path, 0, 0},
                  did_you_mean(name, known_, "check " + term("table.text")));
    chosen_[name] = {name};
    if (found->second.different != 0)
      notes.push_back(
          fmt::format("{}: '{}' differs between annotations of one item in {} of them; the first "
                      "counts",
                      path, name, found->second.different));
  }
}

// The one column of each file whose texts are always the same for an item.
void ItemData::choose_text(std::vector<std::string>& notes) {
  std::set<std::string> found;
  for (std::vector<std::string>& names : in_files_) {
    std::erase_if(names, [&](const std::string& name) { return varies(name); });
    found.insert(names.begin(), names.end());
    if (names.size() <= 1) continue;
    notes.push_back(
        fmt::format("the annotations have several columns of texts ({}), none of which is used; "
                    "choose with {}",
                    fmt::join(names, ", "), term("table.text")));
    return;
  }
  if (found.empty()) return;
  chosen_[found.size() == 1 ? *found.begin() : "text"] = {found.begin(), found.end()};
  notes.push_back(
      fmt::format("the texts of the rows are those in '{}' of the annotations ({} "
                  "chooses another column)",
                  fmt::join(found, "', '"), term("table.text")));
}

std::string ItemData::id_column(const std::string& item_column) const {
  const std::string name = item_column.empty() ? "id" : item_column;
  return chosen_.contains(name) ? "item" : name;
}

std::string ItemData::csv(const std::vector<std::string>& items,
                          const std::string& id_column) const {
  std::string text;
  append_csv_cell(text, id_column, ',');
  for (const auto& [name, columns] : chosen_) append_csv_cell(text += ',', name, ',');
  text += '\n';
  for (const std::string& item : items) {
    append_csv_cell(text, item, ',');
    for (const auto& [name, columns] : chosen_) {
      text += ',';
      for (const std::string& column : columns)
        if (const auto& values = columns_.at(column).values; values.contains(item)) {
          append_csv_cell(text, values.at(item), ',');
          break;
        }
    }
    text += '\n';
  }
  return text;
}

TableOptions ItemData::table() const {
  TableOptions table = table_;
  table.ignore.clear();
  if (named_.empty())
    for (const auto& [name, columns] : chosen_)
      if (!media_.contains(name)) table.text.push_back(name);
  return table;
}

}  // namespace sieve
