#include "data/annotations/said_annotations.h"

#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "data/annotations/label_lists.h"
#include "data/annotations/plain_names.h"
#include "data/ids.h"
#include "data/parts_of_list.h"
#include "data/question.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// A comma where there are none: a setting needs a value.
std::string listed(const std::set<std::string>& words) {
  return words.empty() ? "," : fmt::format("{}", fmt::join(words, ","));
}

class WordReader {
 public:
  WordReader(const SaidAnnotations& said, const AnnotationOptions& options, const std::string& path)
      : said_(said), options_(options), path_(path), names_(said.words.names()) {
    counts_.resize(names_.size());
    for (const std::uint32_t word : said.said) ++counts_[word];
  }

  WordLabels read() {
    choose_separators();
    cut_words();
    return std::move(out_);
  }

 private:
  void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }

  bool is_whole(std::size_t word) const {
    return said_.chosen[word] || is_empty_word(names_[word]) ||
           (options_.separator.empty() && said_.is_beside_lists(word));
  }

  // Some write "a, b" and some "a/b": parts may be lists with another separator.
  void choose_separators() {
    if (!options_.separator.empty()) {
      separators_ = {LabelCutter(options_.separator, {}).separator()};
      return;
    }
    std::set<std::string_view> texts;
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (!is_whole(k)) texts.insert(names_[k]);
    while (true) {
      const Separation found = separation_of({texts.begin(), texts.end()});
      if (found.texts != Separation::Texts::Lists) return note_uncut(found, texts);
      separators_.emplace_back(found.separator);
      note("labels in " + said_.text_columns() + " are separated by '" +
           std::string(found.separator == "\n" ? "line ends" : found.separator) + "'");
      out_.has_lists = true;
      std::set<std::string_view> parts;
      for (const std::string_view text : texts)
        for_parts(text, found.separator, [&](std::string_view part) { parts.insert(part); });
      texts = std::move(parts);
    }
  }

  bool from_a_marketplace() const {
    return std::ranges::any_of(said_.files, &SaidAnnotations::File::from_marketplace);
  }

  void note_uncut(const Separation& found, const std::set<std::string_view>& texts) {
    if (!separators_.empty()) return;  // see cut_words()
    if (found.texts == Separation::Texts::Doubtful) ask_for_separator(found);
    if (const auto uncut = texts_with_separator({texts.begin(), texts.end()}); !uncut.empty()) {
      note(
          "texts with a separator in them are one label each, as their parts are no labels "
          "elsewhere: " +
          counted_names(uncut.size(), uncut) + "; " + term("ticks.separator") + " would cut them");
    }
  }

  [[noreturn]] void ask_for_separator(const Separation& found) const {
    const std::string mark(found.separator == "\t" ? "tab" : found.separator);
    throw ReadQuestion(
        fmt::format("cannot tell whether texts in {} are lists of labels or one label "
                    "each, as only some of their parts are labels elsewhere: {}",
                    said_.text_columns(), counted_names(found.examples.size(), found.examples)),
        {path_, 0, 0},
        {{"to cut them", {{"ticks.separator", mark}}},
         {"to take each as one label", {{"ticks.separator", std::string(kNoSeparator)}}}});
  }

  template <class Visit>
  void for_all_parts(std::string_view text, std::span<const std::string> separators,
                     const Visit& visit) const {
    if (separators.empty()) return visit(plain_name(text));
    for_parts(text, separators.front(),
              [&](std::string_view part) { for_all_parts(part, separators.subspan(1), visit); });
  }

  void cut_words() {
    out_.of_word.resize(names_.size());
    for (std::size_t k = 0; k < names_.size(); ++k)
      for_all_parts(names_[k],
                    is_whole(k) ? std::span<const std::string>() : std::span(separators_),
                    [&](std::string_view part) { add_label(k, part); });
    settle_doubtful();
    if (!doubtful_.empty()) ask_for_empty_words();
    if (!empty_.empty())
      note("taken as no label: " + shown(counted(empty_)) + "; " + term("ticks.empty_words") +
           " says which words mean that");
    if (!chosen_empty_.empty())
      note("taken as labels, though they may mean that there is none: " +
           shown(counted(chosen_empty_)) + "; " + term("ticks.empty_words") +
           " says which words mean that");
    out_.names = label_index_.names();
    if (separators_.empty() || options_.separator == kNoSeparator) return;
    if (const auto uncut = list_like_labels(out_.names); !uncut.empty())
      note("labels that look like an unsplit list: " + counted_names(uncut.size(), uncut) +
           "; check " + term("ticks.separator"));
  }

  void add_label(std::size_t word, std::string_view name) {
    if (name.empty()) return;
    const bool is_doubtful = !options_.empty_words && is_doubtful_word(name);
    if (options_.empty_words) {
      if (is_named_empty(name)) return count(empty_, word, name);
    } else if (said_.chosen[word]) {
      if (is_empty_word(name) || is_doubtful) count(chosen_empty_, word, name);
    } else if (is_empty_word(name)) {
      return count(empty_, word, name);
    } else if (is_doubtful) {
      count(from_a_marketplace() ? chosen_empty_ : doubtful_, word, name);
    }
    const std::uint32_t label = label_index_.number(name);
    out_.counts.resize(label_index_.size());
    out_.counts[label] += counts_[word];
    out_.of_word[word].push_back(label);
    if (is_doubtful) doubtful_labels_.emplace(label, folded_name(name));
  }

  // Who lists a word beside labels does not mean that there is none.
  void settle_doubtful() {
    std::set<std::string> beside_labels;
    for (const std::vector<std::uint32_t>& labels : out_.of_word)
      if (labels.size() > 1 && !doubtful_.empty())
        for (const std::uint32_t label : labels)
          if (doubtful_labels_.contains(label)) beside_labels.insert(doubtful_labels_.at(label));
    std::erase_if(doubtful_, [&](const auto& counted) {
      const bool is_label = beside_labels.contains(folded_name(counted.first));
      if (is_label) chosen_empty_.insert(counted);
      return is_label;
    });
  }

  bool is_named_empty(std::string_view name) const {
    bool found = false;
    for_parts(*options_.empty_words, ",",
              [&](std::string_view word) { found |= folded_name(word) == folded_name(name); });
    return found;
  }

  using Counts = std::map<std::string, std::size_t, std::less<>>;
  void count(Counts& counts, std::size_t word, std::string_view name) {
    counts[std::string(name)] += counts_[word];
  }
  static std::vector<CountedName> counted(const Counts& counts) {
    std::vector<CountedName> names;
    for (const auto& [name, count] : counts) names.push_back({name, count});
    return names;
  }

  [[noreturn]] void ask_for_empty_words() const {
    std::set<std::string> sure, all;
    for (const auto& [name, count] : empty_) sure.insert(folded_name(name));
    all = sure;
    for (const auto& [name, count] : doubtful_) all.insert(folded_name(name));
    throw ReadQuestion("cannot tell whether these are labels or mean that there is none: " +
                           shown(counted(doubtful_)),
                       {path_, 0, 0},
                       {{"if they mean that there is none", {{"ticks.empty_words", listed(all)}}},
                        {"if they are labels", {{"ticks.empty_words", listed(sure)}}}});
  }

  const SaidAnnotations& said_;
  const AnnotationOptions& options_;
  const std::string& path_;
  std::vector<std::string> names_;  // of the words, and how often each was said
  std::vector<std::size_t> counts_;
  std::vector<std::string> separators_;
  NameIndex label_index_;
  Counts empty_, doubtful_, chosen_empty_;
  std::unordered_map<std::uint32_t, std::string> doubtful_labels_;  // and the folded name of each
  WordLabels out_;
};

}  // namespace

WordLabels labels_of_words(const SaidAnnotations& said, const AnnotationOptions& options,
                           const std::string& path) {
  return WordReader(said, options, path).read();
}

}  // namespace sieve
