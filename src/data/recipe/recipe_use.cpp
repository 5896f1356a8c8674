#include "data/recipe/recipe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "data/text/numbers.h"
#include "data/text/text_kinds.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "linalg/entries.h"

namespace sieve {

using Kind = RecipeColumn::Kind;

bool compares_text(const RecipeColumn& category) {
  return category.fill == kComparesText;
}

TermIndex::TermIndex(const std::vector<std::string>& terms)
    : slots_(std::bit_ceil(2 * terms.size() + 1)) {
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const std::uint64_t hash = hash_of_term(terms[k]);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].feature != kNone) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {hash, static_cast<std::uint32_t>(k)};
  }
}

std::uint32_t TermIndex::find(std::uint64_t hash) const {
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].feature != kNone && slots_[at].hash != hash)
    at = (at + 1) & (slots_.size() - 1);
  return slots_[at].feature;
}

// ---- rows ---------------------------------------------------------------------------------------

namespace {

// The values of categories in models of 0.2.0.
std::string rounded_category(float number) {
  std::string text;
  append_float(text, number);
  return text;
}
std::string rounded_category(std::string_view cell) {
  float number = 0;
  return parse_float(cell, number) ? rounded_category(number) : std::string(cell);
}

// Sorts numbers below 2^bits, a few bits at a time: a text has hundreds of terms, of which a
// comparing sort would guess every second comparison wrong.
class NumberSorter {
 public:
  void sort(std::vector<std::uint32_t>& numbers, int bits) {
    if (numbers.size() < kFew) {
      std::ranges::sort(numbers);
      return;
    }
    sorted_.resize(numbers.size());
    for (int shift = 0; shift < bits; shift += kBitsAtOnce) {
      const auto digit = [&](std::uint32_t number) { return number >> shift & (kDigits - 1); };
      std::array<std::uint32_t, kDigits> places{};
      for (const std::uint32_t number : numbers) ++places[digit(number)];
      std::exclusive_scan(places.begin(), places.end(), places.begin(), 0U);
      for (const std::uint32_t number : numbers) sorted_[places[digit(number)]++] = number;
      numbers.swap(sorted_);
    }
  }

 private:
  static constexpr std::size_t kFew = 64;
  static constexpr int kBitsAtOnce = 9;
  static constexpr std::size_t kDigits = std::size_t{1} << kBitsAtOnce;
  std::vector<std::uint32_t> sorted_;
};

// What a term counts that occurs so often in a row: 1 + ln n.
float damped(std::size_t count) {
  const auto exact = [](std::size_t n) {
    return static_cast<float>(1 + std::log(static_cast<double>(n)));
  };
  static const std::array<float, 64> known = [&] {
    std::array<float, 64> table{};
    for (std::size_t n = 1; n < table.size(); ++n) table[n] = exact(n);
    return table;
  }();
  return count < known.size() ? known[count] : exact(count);
}

}  // namespace

// Makes the features of one row after another: entries in the order of their columns.
class RowMaker {
 public:
  RowMaker(const RecipeUse& use, const RawTable& table, const std::vector<std::size_t>& places)
      : use_(use),
        table_(table),
        places_(places),
        finder_(use.recipe_->text),
        texts_(table.columns()),
        cells_(table.columns()) {}

  void make(std::size_t row, const CellTexts::ByRow& texts) {
    columns.clear();
    values.clear();
    texts.for_each(row, [&](const CellTexts::Cell& cell, std::string_view text) {
      texts_[cell.column] = text;
      cells_[cell.column] = &cell;
    });
    for (std::size_t k = 0; k < use_.columns_.size(); ++k) add(row, k);
    texts.for_each(
        row, [&](const CellTexts::Cell& cell, std::string_view) { cells_[cell.column] = nullptr; });
  }

  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::size_t missing = 0, unseen = 0;

 private:
  void add(std::size_t row, std::size_t k) {
    const RecipeColumn& column = use_.recipe_->columns[k];
    const std::size_t place = places_[k], first = use_.columns_[k].first;
    const float number = table_.numbers(row, place);
    const bool absent = cells_[place] == nullptr && std::isnan(number);
    switch (column.kind) {
      case Kind::Number:
        if (cells_[place] != nullptr) refuse(place, number_problem(texts_[place]), "a number");
        put(first, absent ? column.fill : number);
        break;
      case Kind::Date:
        put(first, absent ? column.fill : date(place, number));
        break;
      case Kind::Category:
        if (!absent) add_category(k, place, row);
        break;
      case Kind::Text:
        if (!absent) add_terms(k, place, row);
        break;
    }
    missing += absent && column.kind != Kind::Text;
    if (absent && column.marks_missing) put(first + use_.columns_[k].width - 1, 1);
  }

  void put(std::size_t column, float value) {
    if (is_plain_zero(value)) return;
    columns.push_back(static_cast<std::uint32_t>(column));
    values.push_back(value);
  }

  float date(std::size_t place, float number) const {
    if (cells_[place] == nullptr) return number;
    if (const auto days = days_of_date(texts_[place])) return static_cast<float>(*days);
    refuse(place, "'" + std::string(texts_[place].substr(0, 40)) + "' is not a date",
           "a date as in 2024-05-31 or 2024-05-31 12:30");
  }

  std::string category(std::size_t k, std::size_t place, std::size_t row) const {
    const bool is_number = cells_[place] == nullptr;
    if (compares_text(use_.recipe_->columns[k]))
      return is_number ? table_.number_text(row, place) : std::string(texts_[place]);
    return is_number ? rounded_category(table_.numbers(row, place))
                     : rounded_category(texts_[place]);
  }
  void add_category(std::size_t k, std::size_t place, std::size_t row) {
    const RecipeUse::Column& column = use_.columns_[k];
    const std::string value = category(k, place, row);
    if (use_.recipe_->columns[k].hashed)
      return put(column.first + hash_of_term(value) % kCategoryBuckets, 1);
    const auto found = column.values.find(value);
    if (found == column.values.end())
      ++unseen;
    else
      put(column.first + found->second, 1);
  }

  void add_terms(std::size_t k, std::size_t place, std::size_t row) {
    const RecipeUse::Column& column = use_.columns_[k];
    const RecipeColumn& learnt = use_.recipe_->columns[k];
    const std::size_t mask = (std::size_t{1} << use_.recipe_->text.hash_bits) - 1;
    if (cells_[place] == nullptr) number_ = table_.number_text(row, place);
    found_.clear();
    finder_.for_each(cells_[place] == nullptr ? number_ : texts_[place], [&](const TextTerm& term) {
      const std::uint32_t at = learnt.hashed ? static_cast<std::uint32_t>(term.hash & mask)
                                             : column.terms.find(term.hash);
      if (at != TermIndex::kNone) found_.push_back(at);
    });
    sorter_.sort(found_, static_cast<int>(std::bit_width(column.width)));
    const std::size_t before = values.size();
    double squares = 0;
    for (std::size_t i = 0, end = 0; i < found_.size(); i = end) {
      while (end < found_.size() && found_[end] == found_[i]) ++end;
      const float value = damped(end - i) * learnt.weights[found_[i]];
      put(column.first + found_[i], value);
      squares += static_cast<double>(value) * value;
    }
    const float scale = squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0;
    for (std::size_t i = before; i < values.size(); ++i) values[i] *= scale;
  }

  [[noreturn]] void refuse(std::size_t place, const std::string& problem,
                           const char* wanted) const {
    throw Error(Failure::Data, problem + " in " + table_.describe(place),
                table_.place(*cells_[place]), std::string("this column must be ") + wanted);
  }

  const RecipeUse& use_;
  const RawTable& table_;
  const std::vector<std::size_t>& places_;
  TermFinder finder_;
  std::vector<std::string_view> texts_;
  std::vector<const CellTexts::Cell*> cells_;  // null: no text
  std::vector<std::uint32_t> found_;
  NumberSorter sorter_;
  std::string number_;
};

namespace {

constexpr std::size_t kRowsAtOnce = 512;

// The rows of a block, to be joined with the others.
struct SparsePart {
  std::vector<std::size_t> ends;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

CsrMatrix joined(const std::vector<SparsePart>& parts, std::size_t cols) {
  CsrMatrix out;
  out.cols = cols;
  out.starts.push_back(0);
  for (const SparsePart& part : parts) {
    const std::size_t before = out.values.size();
    for (const std::size_t end : part.ends) out.starts.push_back(before + end);
    out.columns.append(part.columns);
    out.values.append(part.values);
  }
  return out;
}

}  // namespace

// ---- tables -------------------------------------------------------------------------------------

RecipeUse::RecipeUse(std::shared_ptr<const FeatureRecipe> recipe) : recipe_(std::move(recipe)) {
  std::size_t first = 0;
  for (const RecipeColumn& column : recipe_->columns) {
    Column use;
    use.first = first;
    use.width = column.width(recipe_->text);
    first += use.width;
    if (column.kind == Kind::Category)
      for (std::size_t k = 0; k < column.values.size(); ++k)
        use.values.emplace(column.values[k], k);
    if (column.kind == Kind::Text) use.terms = TermIndex(column.values);
    columns_.push_back(std::move(use));
  }
}

std::vector<std::size_t> RecipeUse::places(const std::vector<std::string>& names, std::size_t count,
                                           const std::string& path) const {
  if (columns_.empty()) return {};  // pictures alone, say
  std::vector<std::size_t> places(columns_.size());
  // A table none of whose columns the model knows has no names left.
  const bool by_name = (!names.empty() || count == 0) && !recipe_->columns[0].name.empty();
  if (!by_name && count != columns_.size())
    throw Error(Failure::Data,
                "the model takes a table of " + std::to_string(columns_.size()) +
                    " columns, but here are " + std::to_string(count),
                {path, 0, 0}, "give it a table like the one it was trained on");
  std::unordered_map<std::string_view, std::size_t> place_of;
  for (std::size_t j = 0; j < names.size(); ++j) place_of.emplace(names[j], j);
  std::string missing;
  for (std::size_t k = 0; k < places.size(); ++k) {
    places[k] = k;
    if (!by_name) continue;
    const auto found = place_of.find(recipe_->columns[k].name);
    if (found != place_of.end())
      places[k] = found->second;
    else
      missing += (missing.empty() ? "'" : ", '") + recipe_->columns[k].name + "'";
  }
  if (missing.empty()) return places;
  throw Error(Failure::Data,
              "the model needs columns that are not there: " + missing.substr(0, 300), {path, 0, 0},
              "give it a table with the columns it was trained on");
}

Features RecipeUse::features(const RawTable& table, const std::vector<std::size_t>& places,
                             ThreadPool* pool, RecipeTally* tally) const {
  ThreadPool alone(1);
  ThreadPool& threads = pool != nullptr ? *pool : alone;
  const bool sparse = recipe_->is_sparse();
  const std::size_t rows = table.rows(), width = recipe_->width();
  const CellTexts::ByRow texts(table.texts, rows);
  Matrix dense(sparse ? 0 : rows, sparse ? 0 : width);
  std::vector<SparsePart> parts((rows + kRowsAtOnce - 1) / kRowsAtOnce);
  threads.for_blocks(rows, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    RowMaker maker(*this, table, places);
    SparsePart& part = parts[first / kRowsAtOnce];
    for (std::size_t i = first; i < last; ++i) {
      maker.make(i, texts);
      if (!sparse) {
        for (std::size_t k = 0; k < maker.values.size(); ++k)
          dense(i, maker.columns[k]) = maker.values[k];
        continue;
      }
      part.columns.insert(part.columns.end(), maker.columns.begin(), maker.columns.end());
      part.values.insert(part.values.end(), maker.values.begin(), maker.values.end());
      part.ends.push_back(part.values.size());
    }
    if (tally == nullptr) return;
    tally->missing += maker.missing;
    tally->unseen += maker.unseen;
  });
  return sparse ? Features(joined(parts, width)) : Features(std::move(dense));
}

BlockRecipe::BlockRecipe(const ReadOptions& options, std::vector<std::string> names,
                         std::size_t columns, const std::string& path)
    : names_(std::move(names)), path_(path), tally_(options.tally) {
  if (!options.recipe) return;
  use_ = std::make_unique<const RecipeUse>(options.recipe);
  places_ = use_->places(names_, columns, path);
}

Features BlockRecipe::features(Matrix numbers, CellTexts texts, Spellings spellings) const {
  const RawTable table{names_, std::move(numbers), std::move(texts), path_, std::move(spellings)};
  return use_->features(table, places_, nullptr, tally_);
}

namespace {

// Keeps the files of a set without a table, and what was left out of it, beside how its numbers
// were written.
std::shared_ptr<const RawTable> with_origin(const Dataset& data, RawSet& set) {
  RawTable table{data.feature_names,
                 Matrix(0, data.features.cols()),
                 {},
                 {},
                 data.cells ? data.cells->spellings : Spellings()};
  table.source = std::move(set.source);
  table.left_out = std::move(set.left_out);
  return std::make_shared<const RawTable>(std::move(table));
}

// Of what is not UTF-8, words would be cut where their letters are not ASCII.
void note_other_encoding(const RawTable& table, std::vector<std::string>& notes) {
  std::size_t count = 0;
  std::string example;
  table.texts.for_each([&](const CellTexts::Cell&, std::string_view text) {
    if (simdjson::validate_utf8(text) || ++count != 1) return;
    example = text.substr(0, 40);
  });
  if (count != 0)
    notes.push_back(fmt::format(
        "{}: {} texts are not UTF-8, as '{}': their words are cut at such letters; if it is "
        "Windows-1252: iconv -f WINDOWS-1252 -t UTF-8 '{}' > utf8.csv",
        table.path, count, example, table.path));
}

// Says which columns were taken for text, or for names of pictures, though nobody had named them.
void note_guesses(const FeatureRecipe& recipe, const ReadOptions& options, const RawTable& table) {
  if (options.notes == nullptr) return;
  const std::string& path = table.path;
  for (const std::string& name : table.names)
    if (std::ranges::find(recipe.columns, name, &RecipeColumn::name) == recipe.columns.end())
      options.notes->push_back(path + ": column '" + name +
                               "' names pictures or sounds: no features are made of it");
  for (const RecipeColumn& column : recipe.columns)
    if (column.kind == RecipeColumn::Kind::Text &&
        std::ranges::find(options.table.text, column.name) == options.table.text.end())
      options.notes->push_back(path + ": column '" + column.name +
                               "' holds texts: their words are features (" +
                               term("table.ignore", column.name) + " leaves them out)");
  note_other_encoding(table, *options.notes);
}

}  // namespace

Dataset with_features(RawSet set, const ReadOptions& options) {
  Dataset data = std::move(set.data);
  if (options.recipe && !set.table)
    set.table = RawTable{data.feature_names,
                         data.features.to_dense(std::numeric_limits<std::size_t>::max()),
                         {},
                         data.name,
                         data.cells ? data.cells->spellings : Spellings()};
  if (!set.table && (set.source || set.left_out)) data.cells = with_origin(data, set);
  if (!set.table) return data;
  set.table->source = std::move(set.source);
  set.table->left_out = std::move(set.left_out);
  const RawTable& table = *set.table;
  data.recipe = options.recipe;
  if (!data.recipe)
    data.recipe = std::make_shared<const FeatureRecipe>(learn_recipe(
        table, options.table, options.learn_from ? options.learn_from(data) : all_rows(table),
        options.threads));
  if (!options.recipe) note_guesses(*data.recipe, options, table);
  const RecipeUse use(data.recipe);
  data.features = use.features(table, use.places(table.names, table.columns(), table.path),
                               options.threads, options.tally);
  data.feature_names = data.recipe->feature_names();
  if (options.keep_cells) data.cells = std::make_shared<const RawTable>(std::move(*set.table));
  return data;
}

Dataset with_known_features(RawSet set, const ReadOptions& options) {
  if (set.table && !options.recipe)
    for (std::size_t i = 0; i < set.table->rows(); ++i)
      for (std::size_t j = 0; j < set.table->columns(); ++j)
        if (std::isnan(set.table->numbers(i, j)))
          throw Error(
              Failure::Data,
              "row " + std::to_string(i + 1) + ": a value is missing in " + set.table->describe(j),
              {set.table->path, 0, 0},
              "the model was trained on numbers alone: fill in the missing values");
  return with_features(std::move(set), options);
}

}  // namespace sieve
