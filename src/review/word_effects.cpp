#include "review/word_effects.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crowd/log_odds.h"
#include "data/recipe/text_terms.h"
#include "labelsieve/crowd.h"
#include "labelsieve/predict.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::size_t kMostWords = 300;  // of a row; those that weigh least are left alone
constexpr std::size_t kMostKept = 64;    // rows
constexpr std::size_t kMostWanted = 20;

// A row of features, and the same without some of them.
class ThinnedRows {
 public:
  ThinnedRows(const Features& features, std::size_t row) : dense_(!features.is_sparse()) {
    rows_.cols = features.cols();
    rows_.starts.push_back(0);
    for_each_entry(features, row, [&](std::size_t column, float value) {
      columns_.push_back(static_cast<std::uint32_t>(column));
      values_.push_back(value);
    });
    add({}, {});
  }

  float value(std::uint32_t feature) const {
    const auto found = std::ranges::lower_bound(columns_, feature);
    return found == columns_.end() || *found != feature
               ? 0
               : values_[static_cast<std::size_t>(found - columns_.begin())];
  }

  // Without `gone` (ascending). The terms of a text have length 1, fewer of them as well: what is
  // left of each span of features keeps the length it had.
  void add(std::span<const std::uint32_t> gone,
           std::span<const std::pair<std::size_t, std::size_t>> texts) {
    const std::size_t before = rows_.values.size();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (values_[k] == 0 || std::ranges::binary_search(gone, columns_[k])) continue;
      rows_.columns.push_back(columns_[k]);
      rows_.values.push_back(values_[k]);
    }
    for (const auto& [first, end] : texts) stretch(before, first, end);
    rows_.starts.push_back(rows_.values.size());
  }

  Features features() && {
    Features all(std::move(rows_));
    return dense_ ? Features(all.to_dense(std::size_t{1} << 30U)) : all;
  }

 private:
  void stretch(std::size_t from, std::size_t first, std::size_t end) {
    const auto within = [&](std::uint32_t column) { return column >= first && column < end; };
    double all = 0, left = 0;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (within(columns_[k])) all += double{values_[k]} * double{values_[k]};
    for (std::size_t k = from; k < rows_.values.size(); ++k)
      if (within(rows_.columns[k])) left += double{rows_.values[k]} * double{rows_.values[k]};
    if (left <= 0) return;
    const auto scale = static_cast<float>(std::sqrt(all / left));
    for (std::size_t k = from; k < rows_.values.size(); ++k)
      if (within(rows_.columns[k])) rows_.values[k] *= scale;
  }

  bool dense_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  CsrMatrix rows_;
};

}  // namespace

double WordEffects::of(std::uint64_t hash, std::uint32_t label) const {
  const auto found = words.find(hash);
  return found == words.end() ? 0 : double{effects(found->second, label)};
}

bool WordOcclusion::is_possible(const Model* model, const RowTexts& texts) {
  if (model == nullptr || model->state().recipe == nullptr || texts.empty()) return false;
  return std::ranges::any_of(model->state().recipe->columns, [&](const RecipeColumn& column) {
    return column.kind == RecipeColumn::Kind::Text &&
           std::ranges::count(texts.columns, column.name) != 0;
  });
}

WordOcclusion::WordOcclusion(const Model& model, const Dataset& data, const RowTexts& texts)
    : model_(model),
      texts_(texts),
      features_(features_for(model, data)),
      options_(model.state().recipe->text) {
  std::size_t first = 0;
  for (const RecipeColumn& column : model.state().recipe->columns) {
    const std::size_t end = first + column.width(options_);
    const auto shown = std::ranges::find(texts.columns, column.name);
    if (column.kind == RecipeColumn::Kind::Text && shown != texts.columns.end()) {
      Column& added = columns_.emplace_back();
      added.text = static_cast<std::size_t>(shown - texts.columns.begin());
      added.first = first;
      added.end = end - (column.marks_missing ? 1 : 0);
      added.mask = column.hashed ? (std::size_t{1} << options_.hash_bits) - 1 : 0;
      if (!column.hashed) added.terms = TermIndex(column.values);
    }
    first = end;
  }
}

std::vector<WordOcclusion::Word> WordOcclusion::words_of(std::size_t row) const {
  std::vector<Word> words;
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  TermFinder finder(options_);
  for (const Column& column : columns_) {
    std::size_t here = 0, before = 0;
    finder.for_each(texts_.rows[row][column.text], [&](const TextTerm& term) {
      const bool pair = !term.second.empty();
      if (!pair && !term.letters) {
        before = here;
        here = numbers.emplace(term.hash, words.size()).first->second;
        if (here == words.size()) words.push_back({term.hash, {}});
      }
      const std::uint32_t feature = column.mask != 0
                                        ? static_cast<std::uint32_t>(term.hash & column.mask)
                                        : column.terms.find(term.hash);
      if (feature == TermIndex::kNone) return;
      const auto number = static_cast<std::uint32_t>(column.first + feature);
      words[here].features.push_back(number);
      if (pair) words[before].features.push_back(number);
    });
  }
  for (Word& word : words) {
    std::ranges::sort(word.features);
    word.features.erase(std::unique(word.features.begin(), word.features.end()),
                        word.features.end());
  }
  std::erase_if(words, [](const Word& word) { return word.features.empty(); });
  return words;
}

WordEffects WordOcclusion::of_row(std::size_t row, ThreadPool& pool) const {
  std::vector<Word> words = words_of(row);
  ThinnedRows rows(features_, row);
  if (words.size() > kMostWords) {
    const auto weight = [&](const Word& word) {
      float sum = 0;
      for (const std::uint32_t feature : word.features) sum += rows.value(feature);
      return -sum;
    };
    std::ranges::stable_sort(words, {}, weight);
    words.resize(kMostWords);
  }
  std::vector<std::pair<std::size_t, std::size_t>> texts;
  for (const Column& column : columns_) texts.emplace_back(column.first, column.end);
  WordEffects out;
  for (const Word& word : words) {
    out.words.emplace(word.hash, static_cast<std::uint32_t>(out.words.size()));
    rows.add(word.features, texts);
  }
  const Matrix said = as_probabilities(model_.scores(std::move(rows).features(), pool));
  out.effects = Matrix(words.size(), said.cols());
  out.largest.assign(said.cols(), 0);
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::size_t l = 0; l < said.cols(); ++l) {
      const double with = log_odds_of(double{said(0, l)}), without = log_odds_of(said(w + 1, l));
      out.effects(w, l) = static_cast<float>(with - without);
      out.largest[l] = std::max(out.largest[l], std::abs(out.effects(w, l)));
    }
  return out;
}

WordMarker::WordMarker(const Model& model, const Dataset& data, const RowTexts& texts, bool beside)
    : occlusion_(model, data, texts) {
  if (beside) worker_ = std::thread([this] { work(); });
}

WordMarker::~WordMarker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
}

std::shared_ptr<const WordEffects> WordMarker::find(std::size_t row) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(row); found != known_.end()) return found->second;
  if (!worker_.joinable()) {
    keep(row, std::make_shared<WordEffects>(occlusion_.of_row(row, alone_)));
    return known_.at(row);
  }
  std::erase(wanted_, row);
  wanted_.push_front(row);
  if (wanted_.size() > kMostWanted) wanted_.pop_back();
  wake_.notify_one();
  return nullptr;
}

void WordMarker::expect(std::span<const std::size_t> rows) {
  if (!worker_.joinable()) return;
  const std::lock_guard lock(mutex_);
  expected_.assign(rows.begin(), rows.end());
  wake_.notify_one();
}

void WordMarker::keep(std::size_t row, std::shared_ptr<const WordEffects> effects) {
  if (!known_.emplace(row, std::move(effects)).second) return;
  ages_.push_back(row);
  if (ages_.size() <= kMostKept) return;
  known_.erase(ages_.front());
  ages_.pop_front();
}

void WordMarker::work() {
  lower_thread_priority();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !wanted_.empty() || !expected_.empty(); });
    if (ending_) return;
    std::deque<std::size_t>& from = wanted_.empty() ? expected_ : wanted_;
    const std::size_t row = from.front();
    from.pop_front();
    if (known_.contains(row)) continue;
    lock.unlock();
    auto effects = std::make_shared<WordEffects>(occlusion_.of_row(row, alone_));
    lock.lock();
    keep(row, std::move(effects));
  }
}

}  // namespace sieve
