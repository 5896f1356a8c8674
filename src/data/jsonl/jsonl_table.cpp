#include "data/jsonl/jsonl_table.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "data/parts_of_list.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

namespace dom = simdjson::dom;
using Kind = CsvColumns::Kind;
using Shape = JsonlKeys::Key::Shape;

constexpr std::size_t kLookedAt = std::size_t{1} << 16;  // of the file, to find the keys

[[noreturn]] void refuse(const std::string& why, const std::string& path, std::size_t line,
                         const std::string& hint) {
  throw Error(Failure::Data, why, {path, line, 0}, hint);
}

// `text` is a JSON document from its beginning.
[[noreturn]] void refuse_document(std::string_view text, const std::string& path) {
  const std::string what = "this is a JSON document, not one JSON object per line";
  const auto has_key = [&](const char* key) { return text.find(key) != text.npos; };
  if (text.starts_with('{'))
    refuse(what, path, 1,
           fmt::format("if each of its objects is a row: jq -c . '{}' > data.jsonl", path));
  if (has_key("\"annotations\"") || has_key("\"completions\""))
    refuse(what + "; by its keys it is an export of an annotation tool", path, 1,
           fmt::format("give it with {}; to have its items as data: jq -c '.[] | {{id}} + .data' "
                       "'{}' > data.jsonl",
                       term("ticks.path", path), path));
  refuse(what, path, 1,
         fmt::format("convert it: jq -c '.[]' '{}' > data.jsonl; an export of who ticked what is "
                     "given with {}",
                     path, term("ticks.path")));
}

// `text` goes on behind the line where more of the file is at hand.
[[noreturn]] void refuse_json(simdjson::error_code error, std::string_view text,
                              const std::string& path, std::size_t line) {
  switch (error) {
    case simdjson::DEPTH_ERROR:
      refuse("this line is nested too deeply", path, line, "rows are objects of numbers and texts");
    case simdjson::UTF8_ERROR:
      refuse("this line is not valid UTF-8", path, line, "convert the file, e.g. with iconv");
    case simdjson::STRING_ERROR:
      refuse("a text in this line has an invalid escape, such as half of a surrogate pair", path,
             line, "write the text as UTF-8");
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      refuse("this line is too long", path, line, "write one object per line");
    default:
      break;
  }
  std::string_view rest = text;
  if (line == 1 && (text.starts_with('[') || trimmed(cut_line(rest)) == "{"))
    refuse_document(text, path);
  refuse("this line is not valid JSON", path, line,
         "each line needs one whole object; NaN is not JSON: write null");
}

// Parses one line after another. A line that ends close to the end of its block is copied, as the
// parser looks a little further than it ends.
class LineParser {
 public:
  // `end` is that of the block that the line is in.
  dom::element parse(std::string_view line, const char* end, const std::string& path,
                     std::size_t number) {
    const bool copy =
        static_cast<std::size_t>(end - line.data()) < line.size() + simdjson::SIMDJSON_PADDING;
    dom::element element;
    if (const auto error = parser_.parse(line.data(), line.size(), copy).get(element))
      refuse_json(error, {line.data(), static_cast<std::size_t>(end - line.data())}, path, number);
    return element;
  }

 private:
  dom::parser parser_;
};

Shape shape_of(dom::element value) {
  if (value.is_null()) return Shape::Unknown;
  dom::array items;
  if (value.get(items)) return Shape::Scalar;
  for (const dom::element item : items)
    if (!item.is_null()) return item.is_string() ? Shape::Texts : Shape::Vector;
  return items.size() == 0 ? Shape::Texts : Shape::Vector;
}

// A text or a whole number as an id; empty if it is neither.
std::string id_of(dom::element value) {
  std::string_view text;
  std::int64_t number = 0;
  if (!value.get(text)) return std::string(trimmed(text));
  return value.get(number) ? "" : std::to_string(number);
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

bool may_name_ids(std::string_view name, const ReadOptions& options) {
  return id_name(name) != IdName::No || contains(options.item_names, std::string(name));
}

}  // namespace

// ---- keys ---------------------------------------------------------------------------------------

JsonlKeys::JsonlKeys(const std::vector<std::string>& names, std::size_t columns,
                     const ReadOptions& options)
    : lines_are_lists_(names.empty()), passes_over_new_keys_(true) {
  if (lines_are_lists_) keys_.push_back({"", 0, columns, Shape::Vector});
  for (std::size_t i = 0; i < names.size(); i += keys_.back().count) {
    Key key{names[i], 0, 1, Shape::Scalar};
    if (key.name.ends_with("[0]")) {
      key.shape = Shape::Vector;
      key.name.resize(key.name.size() - 3);
      const auto next = [&] { return key.name + "[" + std::to_string(key.count) + "]"; };
      while (i + key.count < names.size() && names[i + key.count] == next()) ++key.count;
    }
    places_.emplace(key.name, keys_.size());
    keys_.push_back(std::move(key));
  }
  if (!options.id_column->empty()) {
    places_.emplace(*options.id_column, keys_.size());
    keys_.push_back({*options.id_column, 0, 1, Shape::Scalar});
  }
  place_columns(options, {});
}

JsonlKeys::JsonlKeys(LineSource& source, ReadOptions options)
    : has_recipe_(options.recipe != nullptr), passes_over_new_keys_(has_recipe_) {
  const std::string& path = source.name();
  std::string_view line;
  do {
    if (!source.next(line)) refuse("the file is empty", path, 0, "check that it was copied whole");
  } while (trimmed(line).empty());
  std::size_t number = source.line_number();
  source.put_back();
  std::string_view text = source.peek(), behind = text;
  line = cut_line(behind);
  look_at(line, text.data() + text.size(), number, path, options);
  if (text.size() >= kLookedAt) text = text.substr(0, text.rfind('\n') + 1);
  if (!lines_are_lists())
    for (cut_line(text); !text.empty(); ++number)
      if (const std::string_view next = cut_line(text); !trimmed(next).empty())
        look_at(next, text.data() + text.size(), number + 1, path, options);

  choose_labels(options, path);
  ignore_keys(options);
  if (has_recipe_) add_keys_of(*options.recipe);
  place_columns(options, path);
}

void JsonlKeys::look_at(std::string_view line, const char* end, std::size_t number,
                        const std::string& path, const ReadOptions& options) {
  LineParser parser;
  const dom::element value = parser.parse(line, end, path, number);
  if (value.is_array() && keys_.empty()) {
    if (shape_of(value) != Shape::Vector || dom::array(value).at(0).is_object())
      refuse_json(simdjson::TAPE_ERROR, line, path, 1);
    lines_are_lists_ = true;
    keys_.push_back({"", 0, dom::array(value).size(), Shape::Vector});
    return;
  }
  dom::object object;
  if (value.get(object))
    refuse("this line is not a JSON object", path, number,
           "each line needs one, as in {\"x\": [0.5, 2], \"labels\": [\"a\"]}");
  ++looked_at_;
  for (const auto [name, item] : object) {
    const auto [place, fresh] = places_.try_emplace(std::string(name), keys_.size());
    if (fresh) keys_.push_back({std::string(name)});
    Key& key = keys_[place->second];
    if (key.may_be_ids && may_name_ids(name, options)) {
      const std::string id = id_of(item);
      key.may_be_ids = !id.empty() && key.ids.insert(id).second;
      key.are_numbers &= !item.is_string();
    }
    const Shape shape = shape_of(item);
    const bool label_numbers = shape == Shape::Vector && name == options.labels.column;
    key.has_numbers |= label_numbers;
    if (key.shape != Shape::Unknown) continue;
    key.shape = label_numbers ? Shape::Texts : shape;
    if (key.shape == Shape::Vector) key.count = dom::array(item).size();
  }
}

// Whether each of the first lines has a value of its own in the column, and a text if the name
// alone does not make it an id.
bool JsonlKeys::holds_ids(std::size_t column, IdName name) const {
  const auto key = std::ranges::find_if(keys_, [&](const Key& k) {
    return !k.is_ignored && k.shape == Shape::Scalar && k.first == column;
  });
  return key != keys_.end() && key->may_be_ids && key->ids.size() == looked_at_ &&
         (name == IdName::Yes || !key->are_numbers);
}

// Where nothing else says what the labels are, the one list of texts does.
void JsonlKeys::choose_labels(ReadOptions& options, const std::string& path) {
  LabelColumns& labels = options.labels;
  const auto is_label = [](const Key& key) {
    return key.name.starts_with("label:") || key.name.starts_with("candidate:") ||
           key.name.starts_with("truth:");
  };
  if (!labels.given() && !labels.optional && std::ranges::none_of(keys_, is_label)) {
    std::vector<std::string> lists;
    for (const Key& key : keys_)
      if (key.shape == Shape::Texts && !contains(options.table.ignore, key.name) &&
          !contains(options.table.text, key.name))
        lists.push_back(key.name);
    if (lists.size() == 1) labels.column = lists[0];
  }
  for (Key& key : keys_) {
    if (key.shape != Shape::Texts || key.name == labels.column ||
        contains(options.table.ignore, key.name) || contains(options.table.text, key.name))
      continue;
    const bool is_text = has_recipe_ && std::ranges::any_of(options.recipe->columns,
                                                            [&](const RecipeColumn& column) {
                                                              return column.name == key.name;
                                                            });
    if (is_text) continue;
    if (!labels.optional && labels.count != 0)
      refuse("'" + key.name + "' holds lists of texts", path, 0,
             "name it with " + term("labels.column") + " or " + term("table.text") +
                 ", or leave it out with " + term("table.ignore"));
    key.is_ignored = true;
  }
}

void JsonlKeys::ignore_keys(ReadOptions& options) {
  const LabelColumns& labels = options.labels;
  const bool keeps = options.keep_left_out && !lines_are_lists_ && !labels.count && !labels.all &&
                     !labels.else_all;
  for (Key& key : keys_) {
    // Those that are kept are columns, which choose_columns() knows to be left out.
    if (keeps && key.shape == Shape::Scalar) continue;
    key.is_ignored |= !lines_are_lists_ && contains(options.table.ignore, key.name);
    const bool may_be_ids =
        key.shape == Shape::Scalar &&
        (options.id_column ? *options.id_column == key.name : may_name_ids(key.name, options));
    if (!has_recipe_ || key.is_ignored || lines_are_lists_ || may_be_ids ||
        key.name == options.labels.column)
      continue;
    const std::string first = key.shape == Shape::Vector ? key.name + "[0]" : key.name;
    key.is_ignored = std::ranges::find(options.recipe->columns, first, &RecipeColumn::name) ==
                     options.recipe->columns.end();
    if (key.is_ignored && options.tally != nullptr) options.tally->ignored.push_back(key.name);
  }
  std::erase_if(options.table.ignore, [&](const std::string& name) {
    const auto key = std::ranges::find(keys_, name, &Key::name);
    return !keeps || key == keys_.end() || key->is_ignored;
  });
}

// A key that is not there is a missing value.
void JsonlKeys::add_keys_of(const FeatureRecipe& recipe) {
  for (const RecipeColumn& column : recipe.columns)
    if (!column.name.empty() && !column.name.ends_with(']') &&
        places_.try_emplace(column.name, keys_.size()).second)
      keys_.push_back({column.name});
}

void JsonlKeys::place_columns(const ReadOptions& options, const std::string& path) {
  std::vector<std::string> header;
  std::size_t count = 0;
  for (Key& key : keys_) {
    if (key.is_ignored) continue;
    key.first = count;
    count += key.count;
    if (lines_are_lists_) break;
    if (key.shape != Shape::Vector) header.push_back(key.name);
    for (std::size_t k = 0; k < key.count && key.shape == Shape::Vector; ++k)
      header.push_back(key.name + "[" + std::to_string(k) + "]");
  }
  columns_ =
      choose_columns(std::move(header), count, options, path,
                     [&](std::size_t column, IdName name) { return holds_ids(column, name); });
  for (const CsvColumns::Run& run : columns_.runs)
    for (std::size_t k = 0; k < run.count; ++k) kinds_.push_back({run.kind, run.first + k});
  for (Key& key : keys_)
    key.is_features =
        !key.is_ignored && key.shape == Shape::Vector &&
        std::all_of(kinds_.begin() + static_cast<std::ptrdiff_t>(key.first),
                    kinds_.begin() + static_cast<std::ptrdiff_t>(key.first + key.count),
                    [](const Column& c) { return c.kind == Kind::Feature; });
}

SourceLayout JsonlKeys::source_layout(const std::string& separator) const {
  SourceLayout layout{.kind = SourceLayout::Kind::JsonLines,
                      .label_names = columns_.label_names,
                      .separator = separator};
  layout.labels.resize(columns_.has_list ? 0 : columns_.labels);
  for (const Key& key : keys_)
    for (std::size_t k = 0; k < key.count && !key.is_ignored; ++k) {
      const Column& column = kinds_[key.first + k];
      const SourceLayout::Slot slot{0, key.name,
                                    key.shape == Shape::Vector ? std::optional(k) : std::nullopt};
      if (column.kind == Kind::Label) layout.labels[column.index] = slot;
      if (column.kind == Kind::LabelList) layout.list = slot;
      if (column.kind == Kind::Id) layout.id_column = key.name;
    }
  return layout;
}

const JsonlKeys::Key* JsonlKeys::find(std::string_view name, std::size_t& guess) const {
  if (guess < keys_.size() && keys_[guess].name == name) return &keys_[guess++];
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) return nullptr;
  guess = found->second + 1;
  return &keys_[found->second];
}

// ---- rows ---------------------------------------------------------------------------------------

namespace {

// The numbers in a line of valid JSON, as they are written.
void find_numbers(std::string_view line, std::vector<std::string_view>& numbers) {
  numbers.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      for (++at; line[at] != '"'; ++at)
        if (line[at] == '\\') ++at;
    } else if (line[at] == '-' || (line[at] >= '0' && line[at] <= '9')) {
      const std::size_t end = std::min(line.find_first_not_of("+-.eE0123456789", at), line.size());
      numbers.push_back(line.substr(at, end - at));
      at = end - 1;
    }
  }
}

// How many there are in a value.
std::size_t count_numbers(dom::element value) {
  std::size_t count = value.is_number() ? 1 : 0;
  if (dom::array items; !value.get(items))
    for (const dom::element item : items) count += count_numbers(item);
  if (dom::object members; !value.get(members))
    for (const auto [name, item] : members) count += count_numbers(item);
  return count;
}

class RowParser {
 public:
  // The spellings of numbers are kept of the features in `spelled`; it may be empty.
  RowParser(const JsonlLayout& layout, CsvTable& table, std::vector<bool> spelled)
      : layout_(layout),
        keys_(layout.keys),
        columns_(layout.keys.columns()),
        table_(table),
        has_label_(columns_.has_list ? 0 : columns_.labels),
        spelled_(std::move(spelled)) {}

  // `text` is that of the line.
  void parse(dom::element value, std::string_view text, std::size_t line) {
    line_ = line;
    token_ = 0;
    if (!spelled_.empty()) find_numbers(text, tokens_);
    row_ = table_.rows();
    table_.features.resize_rows(row_ + 1);
    table_.labels.resize_rows(row_ + 1);
    numbers_ = table_.features.row(row_);
    std::ranges::fill(numbers_, kGap);
    has_label_.assign(has_label_.size(), false);
    if (keys_.lines_are_lists()) {
      take_list(keys_.first(), value);
    } else {
      take_object(value);
    }
    if (columns_.has_list) table_.lists.add_row();
    if (columns_.has_ids) add_id();
    check();
  }

 private:
  static constexpr float kGap = std::numeric_limits<float>::quiet_NaN();
  static constexpr double kLargest = std::numeric_limits<float>::max();

  void take_object(dom::element value) {
    dom::object object;
    if (value.get(object)) fail("this line is not a JSON object", "each line needs one");
    std::size_t guess = 0, next_token = 0;
    has_feature_ = false;
    has_key_.assign(keys_.size(), false);
    for (const auto [name, item] : object) {
      token_ = next_token;
      if (!spelled_.empty()) next_token += count_numbers(item);
      const JsonlKeys::Key* key = keys_.find(name, guess);
      if (key == nullptr && !keys_.passes_over_new_keys())
        fail("the key '" + std::string(name.substr(0, 100)) +
                 "' is not in the first lines of the file",
             "put a line with all keys first; null says that there is no value");
      if (key == nullptr) continue;
      take_key(*key);
      if (key->is_ignored || item.is_null()) continue;
      if (item.is_array())
        take_list(*key, item);
      else if (key->shape == Shape::Vector)
        fail("'" + key->name + "' is not a list of numbers here, as it was before", "");
      else
        take_value(key->first, item);
    }
    if (layout_.needs_a_feature && !has_feature_)
      fail("this row has none of the columns: " + some_columns(),
           "give the values under these names, or as a list in the order of the columns");
  }

  void take_key(const JsonlKeys::Key& key) {
    const std::size_t number = keys_.number_of(key);
    if (has_key_[number])
      fail("the key '" + key.name.substr(0, 100) + "' is there twice", "give each key once");
    has_key_[number] = true;
    if (key.is_ignored || key.count == 0) return;
    const Kind kind = keys_.column(key.first).kind;
    has_feature_ |= kind == Kind::Feature || kind == Kind::Text;
  }

  std::string some_columns() const {
    constexpr std::size_t kShown = 5;
    const std::vector<std::string>& names = columns_.feature_names;
    std::string shown;
    for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k)
      shown += (k == 0 ? "'" : ", '") + names[k].substr(0, 100) + "'";
    return shown + (names.size() > kShown ? ", ..." : "");
  }

  // A list of numbers, of labels, or of words.
  void take_list(const JsonlKeys::Key& key, dom::element value) {
    dom::array items;
    if (value.get(items)) fail("this line is not a list of numbers", "as the first line was");
    if (key.shape == Shape::Vector) return take_vector(key, items);
    const JsonlKeys::Column column = keys_.column(key.first);
    if (column.kind == Kind::Ignored || column.kind == Kind::LeftOut) return;
    if (column.kind != Kind::LabelList && column.kind != Kind::Text)
      fail("'" + key.name + "' is a list here, but was a single value before", "");
    std::string words;
    numbers_of_labels_.clear();
    for (const dom::element item : items) {
      std::string_view text;
      if (item.get(text))
        add_label_number(key, column.kind, item);
      else if (column.kind == Kind::LabelList)
        add_label(text);
      else
        words.append(words.empty() ? "" : " ").append(text);
    }
    if (!words.empty()) add_text(column.index, words);
  }

  void take_vector(const JsonlKeys::Key& key, dom::array items) {
    if (items.size() != key.count)
      fail((key.name.empty() ? "this line" : "'" + key.name + "'") + " has " +
               std::to_string(items.size()) + " numbers, but there were " +
               std::to_string(key.count) + " before",
           "every row needs the same number of them");
    if (key.count == 0) return;
    float* to = key.is_features ? &numbers_[keys_.column(key.first).index] : nullptr;
    std::size_t k = 0;
    for (const dom::element item : items) {
      double real = 0;
      if (to != nullptr && !item.get(real) && std::fabs(real) <= kLargest)
        take_number(keys_.column(key.first + k).index, to[k] = static_cast<float>(real));
      else if (!item.is_null())
        take_value(key.first + k, item);
      token_ += item.is_number() ? 1 : 0;
      ++k;
    }
  }

  void take_value(std::size_t number, dom::element value) {
    const JsonlKeys::Column& column = keys_.column(number);
    switch (column.kind) {
      case Kind::Feature:
      case Kind::Text:
        return take_feature(column, number, value);
      case Kind::Label:
        has_label_[column.index] = true;
        return table_.labels.set(row_, column.index, label_value(number, value));
      case Kind::LabelList:
        return take_label_text(number, value);
      case Kind::Id:
        id_ = id_of(value);
        return;
      case Kind::LeftOut:
        if (std::string_view text; !value.get(text))
          table_.left_out.add(row_, column.index, {{}, line_, 0}, text);
        return;
      default:
        return;
    }
  }

  void take_feature(const JsonlKeys::Column& column, std::size_t number, dom::element value) {
    std::string_view text;
    bool on = false;
    double real = 0;
    if (!value.get(real)) {
      numbers_[column.index] = static_cast<float>(real);
      if (!std::isfinite(numbers_[column.index]))
        fail(describe(number) + " is too large for a 32-bit number",
             "features must be finite numbers");
      take_number(column.index, numbers_[column.index]);
    } else if (!value.get(on)) {
      numbers_[column.index] = on ? 1 : 0;
      if (column.kind == Kind::Text) keep_spelling(column.index, on ? "true" : "false");
    } else if (!value.get(text)) {
      if (column.kind == Kind::Feature &&
          layout_.marks.parse(trimmed(text), numbers_[column.index])) {
        if (!is_spelling_of(trimmed(text), numbers_[column.index]))
          keep_spelling(column.index, trimmed(text));
        return;
      }
      if (is_missing(trimmed(text))) return;
      if (layout_.only_numbers)
        fail(number_problem(text) + " in " + describe(number), "features must be finite numbers");
      add_text(column.index, text);
    } else {
      fail(describe(number) + " holds an object or a list",
           "leave it out with " + term("table.ignore"));
    }
  }
  void take_number(std::size_t index, float number) {
    if (!spelled_.empty() && !is_spelling_of(tokens_[token_], number))
      keep_spelling(index, tokens_[token_]);
  }
  void keep_spelling(std::size_t index, std::string_view text) {
    if (!spelled_.empty() && spelled_[index]) table_.spellings.add(row_, index, text);
  }
  void add_text(std::size_t index, std::string_view text) {
    table_.texts.add(row_, index, {{}, line_, 0}, text);
    numbers_[index] = kGap;
  }

  bool label_value(std::size_t number, dom::element value) {
    bool on = false;
    double real = 0;
    if (!value.get(on)) return on;
    if (value.get(real) || (real != 0 && real != 1))
      fail(describe(number) + " is not a label value", "labels must be 0 or 1, true or false");
    return real == 1;
  }
  void take_label_text(std::size_t number, dom::element value) {
    std::string_view list;
    if (value.get(list))
      fail(describe(number) + " is not a list of labels", "write it as [\"a\", \"b\"]");
    for_parts(list, layout_.separator, [&](std::string_view name) { add_label(name); });
  }
  // Labels may be whole numbers, each once in a row: 0 and 1 for each label are something else.
  void add_label_number(const JsonlKeys::Key& key, Kind kind, dom::element item) {
    std::int64_t number = 0;
    if (kind != Kind::LabelList || !key.has_numbers || item.get(number))
      fail("'" + key.name + "' should be a list of texts", "");
    if (!numbers_of_labels_.insert(number).second)
      fail("'" + key.name + "' has the label " + std::to_string(number) + " twice",
           "if it holds 0 and 1 for each label, give " + term("labels.prefix", key.name + "["));
    add_label(std::to_string(number));
  }
  void add_label(std::string_view name) {
    name = trimmed(name);
    if (!name.empty()) table_.lists.add_label(name);
  }

  void add_id() {
    if (id_.empty() && !layout_.ids_may_lack)
      fail("no id", "every row needs an id of its own: a text or a whole number");
    table_.ids.push_back(std::exchange(id_, {}));
  }

  void check() {
    for (std::size_t k = 0; k < has_label_.size(); ++k)
      if (!has_label_[k])
        fail("the label '" + columns_.label_names[k] + "' has no value", "labels must be 0 or 1");
    bool gap = false;
    for (const float number : numbers_) gap |= std::isnan(number);
    table_.has_gaps |= gap;
    if (!gap || !layout_.only_numbers) return;
    for (std::size_t k = 0; k < numbers_.size(); ++k)
      if (std::isnan(numbers_[k]))
        fail("a value is missing in '" +
                 (columns_.feature_names.empty() ? "feature " + std::to_string(k + 1)
                                                 : columns_.feature_names[k]) +
                 "'",
             "features must be finite numbers: fill in or drop missing values first");
  }

  std::string describe(std::size_t number) const { return columns_.describe(number); }
  [[noreturn]] void fail(const std::string& why, const std::string& hint) const {
    refuse(why, layout_.path, line_, hint);
  }

  const JsonlLayout& layout_;
  const JsonlKeys& keys_;
  const CsvColumns& columns_;
  CsvTable& table_;
  std::span<float> numbers_;
  std::vector<bool> has_label_, has_key_;
  bool has_feature_ = false;  // the row has the key of one, with a value or null
  std::size_t row_ = 0, line_ = 0;
  std::string id_;  // of the row
  std::unordered_set<std::int64_t> numbers_of_labels_;
  std::vector<bool> spelled_;
  std::vector<std::string_view> tokens_;  // the numbers of the line, where spellings are kept ...
  std::size_t token_ = 0;                 // ... and the place of the one that is looked at
};

// Keys that are not there take memory, too.
void check_proportion(const CsvTable& table, const TextBlock& block, const std::string& path) {
  const double needed =
      static_cast<double>(block.lines) * static_cast<double>(table.features.cols()) * 4;
  if (needed > 16e6 + 64.0 * static_cast<double>(block.text.size()))
    refuse("a table of all keys would be out of proportion to the file", path, block.first_line,
           "leave keys out that few lines have");
}

}  // namespace

namespace {

void parse_lines(const JsonlLayout& layout, const TextBlock& block, CsvTable& table,
                 std::vector<bool> spelled) {
  LineParser parser;
  RowParser rows(layout, table, std::move(spelled));
  std::string_view text = block.text;
  const char* end = text.data() + text.size();
  for (std::size_t line = block.first_line; !text.empty(); ++line) {
    const std::string_view row = cut_line(text);
    if (!trimmed(row).empty()) rows.parse(parser.parse(row, end, layout.path, line), row, line);
  }
}

// The features whose spellings are kept whatever else they hold; empty for none.
std::vector<bool> always_spelled(const JsonlLayout& layout) {
  const CsvColumns& columns = layout.keys.columns();
  const bool all = layout.spellings == KeepSpellings::All;
  return all || columns.has_text ? mask_of_features(columns, all) : std::vector<bool>();
}

}  // namespace

void parse_jsonl_block(const JsonlLayout& layout, const TextBlock& block, CsvTable& table) {
  check_proportion(table, block, layout.path);
  std::vector<bool> spelled = always_spelled(layout);
  parse_lines(layout, block, table, spelled);
  if (layout.spellings != KeepSpellings::BesideText) return;
  // Which columns hold text beside numbers is known now: it is read again for their spellings.
  const CsvColumns& columns = layout.keys.columns();
  MixedColumns found = mixed_columns(columns, table.features, 0, table.rows(), table.texts);
  if (found.any) {
    join_masks(spelled, found.mixed);
    table = CsvTable(columns);
    parse_lines(layout, block, table, std::move(spelled));
  }
  table.unspelled = std::move(found.only_numbers);
}

std::string id_in_line(std::string_view line, std::string_view key) {
  dom::parser parser;
  dom::element value;
  if (parser.parse(line.data(), line.size(), true).at_key(key).get(value)) return {};
  return id_of(value);
}

void append_rows(CsvTable& above, CsvTable below) {
  const std::size_t before = above.rows();
  above.features.resize_rows(before + below.rows());
  above.labels.resize_rows(before + below.rows());
  for (std::size_t i = 0; i < below.rows(); ++i) {
    std::ranges::copy(below.features.row(i), above.features.row(before + i).begin());
    std::ranges::copy(below.labels.words(i), above.labels.words(before + i).begin());
  }
  above.lists.append(below.lists);
  std::ranges::move(below.ids, std::back_inserter(above.ids));
  above.texts.append(below.texts, before);
  above.left_out.append(below.left_out, before);
  above.has_gaps |= below.has_gaps;
  above.spellings.append(std::move(below.spellings), before);
  join_masks(above.unspelled, below.unspelled);
}

}  // namespace sieve
