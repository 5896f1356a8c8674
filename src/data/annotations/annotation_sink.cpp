#include "data/annotations/annotation_sink.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/parse_number.h"
#include "data/annotations/plain_names.h"
#include "data/annotations/said_annotations.h"
#include "data/label_columns.h"
#include "data/parts_of_list.h"
#include "data/text/text_kinds.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for_parts(text, separator, [&](std::string_view part) { parts.emplace_back(part); });
  return parts;
}

// "+02:00", "-0800" and "+02" in days.
std::optional<double> offset_of(std::string_view text) {
  const double sign = text.front() == '-' ? -1 : 1;
  std::string digits;
  for (const char c : text.substr(1))
    if (c != ':') digits += c;
  if (digits.size() == 2) digits += "00";
  const auto number = parse_number<unsigned>(digits);
  if (digits.size() != 4 || !number) return std::nullopt;
  const unsigned hours = *number / 100, minutes = *number % 100;
  return sign * (hours / 24.0 + minutes / 1440.0);
}

std::optional<double> with_offset(std::string_view text) {
  constexpr std::size_t kTime = 11;  // behind "2024-05-01T"
  const std::size_t sign = text.size() > kTime ? text.find_first_of("+-", kTime) : text.npos;
  if (sign == text.npos) return days_of_date(text);
  const auto days = days_of_date(trimmed(text.substr(0, sign)));
  const auto offset = offset_of(text.substr(sign));
  if (!days || !offset) return std::nullopt;
  return *days - *offset;
}

// "Tue Mar 05 12:34:56 PST 2019"
std::optional<double> with_named_month(std::string_view text) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::vector<std::string> parts = parts_of(text, " ");
  if (parts.size() != 6 || parts[1].size() != 3) return std::nullopt;
  const std::size_t month = kMonths.find(parts[1]);
  const auto day = parse_number<unsigned>(parts[2]);
  if (month == kMonths.npos || month % 3 != 0 || !day) return std::nullopt;
  struct Zone {
    std::string_view name;
    double hours;
  };
  static constexpr std::array<Zone, 4> kZones = {
      {{"PST", -8}, {"PDT", -7}, {"UTC", 0}, {"GMT", 0}}};
  const auto zone = std::ranges::find(kZones, parts[4], &Zone::name);
  if (zone == kZones.end()) return std::nullopt;
  const auto days =
      days_of_date(fmt::format("{}-{:02}-{:02} {}", parts[5], month / 3 + 1, *day, parts[3]));
  if (!days) return std::nullopt;
  return *days - zone->hours / 24;
}

// "3/18/2014 21:55:43", "3/18/2014 9:55" and "3/18/2014"
std::optional<double> with_month_first(std::string_view text) {
  const std::vector<std::string> parts = parts_of(text, " ");
  const std::vector<std::string> date = parts_of(parts[0], "/");
  if (parts.size() > 2 || date.size() != 3) return std::nullopt;
  const auto month = parse_number<unsigned>(date[0]), day = parse_number<unsigned>(date[1]);
  if (!month || !day) return std::nullopt;
  std::string iso = fmt::format("{}-{:02}-{:02}", date[2], *month, *day);
  if (parts.size() == 2) iso += (parts[1].find(':') == 1 ? " 0" : " ") + parts[1];
  return days_of_date(iso);
}

// A moment as a number that is larger the later it is, in days or as the number that the text is:
//   1700000000                          a number
//   2024-05-01T12:30:59Z, ...+02:00     with a date and perhaps a time
//   Tue Mar 05 12:34:56 PST 2019        as Mechanical Turk has it
//   3/18/2014 21:55:43                  with the month first, as CrowdFlower has it, if
//   `month_first`
// nullopt for anything else.
std::optional<double> moment_of(std::string_view text, bool month_first) {
  text = trimmed(text);
  if (const auto number = parse_number<double>(text)) return number;
  if (const auto days = with_offset(text)) return days;
  if (const auto days = with_named_month(text)) return days;
  return month_first ? with_month_first(text) : std::nullopt;
}

}  // namespace

SaidAnnotations::Annotation AnnotationSink::annotation_of(std::string_view item,
                                                          std::string_view annotator,
                                                          const Place& place) {
  item = plain_name(item);
  annotator = plain_name(annotator);
  if (item.empty())
    throw Error(Failure::Data, "an annotation without an item", place,
                "every annotation needs an item; name its column with " + term("ticks.item"));
  if (annotator.empty())
    throw Error(
        Failure::Data, "an annotation without an annotator", place,
        "every annotation needs an annotator; name its column with " + term("ticks.person"));
  return {said_.items.number(item), said_.annotators.number(annotator), said_.said.size()};
}

void AnnotationSink::annotate(std::string_view item, std::string_view annotator,
                              const Place& place) {
  said_.annotations.push_back(annotation_of(item, annotator, place));
  if (data_ != nullptr) data_->take(item);
  if (!said_.times.empty()) said_.times.push_back(std::numeric_limits<double>::quiet_NaN());
  if (!said_.records.empty()) said_.records.push_back(0);
}

void AnnotationSink::looked(std::string_view item, std::string_view annotator, const Place& place) {
  said_.only_looked.push_back(annotation_of(item, annotator, place));
  known_ = true;
}

std::uint32_t AnnotationSink::number_of(const std::string& column) {
  const std::uint32_t number = said_.columns.number(column);
  if (number == said_.has_lists.size()) said_.has_lists.push_back(false);
  return number;
}

std::optional<std::uint32_t> AnnotationSink::word_of(std::string_view name) {
  name = plain_name(name);
  if (name.empty()) return std::nullopt;
  const std::uint32_t word = said_.words.number(name);
  if (word == said_.chosen.size()) {
    said_.chosen.push_back(false);
    said_.column_of.push_back(SaidAnnotations::kNoColumn);
  }
  return word;
}

std::optional<std::uint32_t> AnnotationSink::chosen_word(std::string_view label) {
  const auto word = word_of(label);
  if (word) said_.chosen[*word] = true;
  return word;
}

std::optional<std::uint32_t> AnnotationSink::text_word(std::string_view cell,
                                                       const std::string& column) {
  const auto word = word_of(cell);
  if (word && said_.column_of[*word] == SaidAnnotations::kNoColumn)
    said_.column_of[*word] = number_of(column);
  return word;
}

void AnnotationSink::say(std::optional<std::uint32_t> word, std::uint8_t grade) {
  if (!word) return;
  said_.said.push_back(*word);
  if (grade > 0) said_.graded.push_back({said_.annotations.size() - 1, *word, grade});
}

void AnnotationSink::tick(std::string_view label, std::uint8_t grade) {
  say(chosen_word(label), grade);
}

void AnnotationSink::text(std::string_view cell, const std::string& column, std::uint8_t grade) {
  say(text_word(cell, column), grade);
}

void AnnotationSink::unsure(std::string_view label) {
  if (const auto word = chosen_word(label))
    said_.unsure.push_back({said_.annotations.size() - 1, *word});
}

void AnnotationSink::unsure_text(std::string_view cell, const std::string& column) {
  if (const auto word = text_word(cell, column))
    said_.unsure.push_back({said_.annotations.size() - 1, *word});
}

void AnnotationSink::is_program(std::string_view annotator) {
  const std::uint32_t number = said_.annotators.number(plain_name(annotator));
  said_.programs.resize(std::max<std::size_t>(said_.programs.size(), number + std::size_t{1}));
  said_.programs[number] = true;
}

void AnnotationSink::time(std::string_view cell, const std::string& column) {
  if (plain_name(cell).empty()) return;
  said_.times.resize(said_.annotations.size(), std::numeric_limits<double>::quiet_NaN());
  if (std::ranges::find(said_.time_columns, column) == said_.time_columns.end())
    said_.time_columns.push_back(column);
  if (const auto moment = moment_of(cell, said_.files.back().from_marketplace))
    said_.times.back() = *moment;
  else if (said_.unreadable_time.empty())
    said_.unreadable_time = cell.substr(0, 40);
}

void AnnotationSink::record(std::string_view cell) {
  if (plain_name(cell).empty()) return;
  said_.records.resize(said_.annotations.size());
  said_.records.back() = std::hash<std::string_view>()(plain_name(cell)) | 1;
}

// ---- the result ---------------------------------------------------------------------------------

namespace {

// For each name the number of the one it is the same as: the most frequent of those that differ
// only by case or spaces. `alike` gets what there is of them, for a note.
std::vector<std::uint32_t> same_names(const std::vector<std::string>& names,
                                      const std::vector<std::size_t>& counts, std::string& alike) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> spellings;
  std::vector<const std::vector<std::uint32_t>*> several;
  for (std::uint32_t k = 0; k < names.size(); ++k) {
    std::vector<std::uint32_t>& same = spellings[folded_name(names[k])];
    same.push_back(k);
    if (same.size() == 2) several.push_back(&same);
  }
  std::vector<std::uint32_t> same_as(names.size());
  std::iota(same_as.begin(), same_as.end(), std::uint32_t{0});
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < several.size(); ++i) {
    std::vector<CountedName> one;
    for (const std::uint32_t k : *several[i]) one.push_back({names[k], counts[k]});
    if (i < kShown) alike += (i == 0 ? "" : "; ") + shown(one);
    if (i == kShown) alike += "; ...";
    const std::uint32_t most =
        *std::ranges::max_element(*several[i], {}, [&](std::uint32_t k) { return counts[k]; });
    for (const std::uint32_t k : *several[i]) same_as[k] = most;
  }
  return same_as;
}

// The names that are their own, and the number of each among them.
struct Kept {
  std::vector<std::string> names;
  std::vector<std::uint32_t> number;  // of every name
};
Kept kept_names(const std::vector<std::string>& names, const std::vector<std::uint32_t>& same_as) {
  Kept kept{{}, std::vector<std::uint32_t>(names.size())};
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (same_as[k] != k) continue;
    kept.number[k] = static_cast<std::uint32_t>(kept.names.size());
    kept.names.push_back(names[k]);
  }
  for (std::size_t k = 0; k < names.size(); ++k) kept.number[k] = kept.number[same_as[k]];
  return kept;
}

// The labels that are used, in the order of their bytes, and their numbers in the votes.
void set_labels_of(Annotations& ticks, const std::vector<std::string>& names,
                   const std::vector<bool>& is_used) {
  std::vector<std::uint32_t> order, number(names.size());
  for (std::uint32_t k = 0; k < names.size(); ++k)
    if (is_used[k]) order.push_back(k);
  std::ranges::sort(order, {}, [&](std::uint32_t k) -> const std::string& { return names[k]; });
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    number[order[k]] = k;
    ticks.labels.push_back(names[order[k]]);
  }
  ticks.votes = ticks.votes.renumber_labels(number);
}

}  // namespace

std::vector<std::uint32_t> AnnotationSink::merged(const std::vector<std::string>& names,
                                                  const std::vector<std::size_t>& counts,
                                                  const std::string& what) {
  std::string alike;
  std::vector<std::uint32_t> same_as = same_names(names, counts, alike);
  if (alike.empty()) return same_as;
  note(options_.merge_case
           ? fmt::format("{} that differ only by case or spaces are one: {}", what, alike)
           : fmt::format("{} that differ only by case or spaces: {}; {} takes them as one", what,
                         alike, term("ticks.merge_case", "true")));
  if (!options_.merge_case) std::iota(same_as.begin(), same_as.end(), std::uint32_t{0});
  return same_as;
}

Annotations AnnotationSink::collect(const std::string& path) {
  const WordLabels labels = labels_of_words(said_, options_, path);
  for (const std::string& sentence : labels.notes) note(sentence);
  known_ |= labels.has_lists || said_.any_lists();
  const std::vector<std::uint32_t> label_of = merged(labels.names, labels.counts, "labels");
  const std::vector<std::string> names = said_.annotators.names();
  std::vector<std::size_t> annotations(names.size());
  for (const SaidAnnotations::Annotation& annotation : said_.annotations)
    ++annotations[annotation.annotator];
  const Kept annotators = kept_names(names, merged(names, annotations, "annotators"));

  VoteCollector votes;
  std::vector<bool> is_used(labels.names.size());
  Repeats repeats(said_, labels, annotators.number, options_, path);
  repeats.for_annotations(
      label_of,
      [&](std::uint32_t item, std::uint32_t annotator, const std::vector<std::uint32_t>& ticked,
          const std::vector<std::uint8_t>& grades, const std::vector<std::uint32_t>& unsure) {
        if (ticked.empty()) votes.annotate(item, annotator);
        known_ |= ticked.empty();
        for (const std::uint32_t label : unsure) {
          votes.unsure(item, annotator, label);
          is_used[label] = true;
        }
        for (std::size_t k = 0; k < ticked.size(); ++k) {
          votes.tick(item, annotator, ticked[k], grades[k]);
          is_used[ticked[k]] = true;
        }
      });
  for (const std::string& sentence : repeats.notes()) note(sentence);
  for (const SaidAnnotations::Annotation& annotation : said_.only_looked)
    votes.annotate(annotation.item, annotators.number[annotation.annotator]);

  Annotations ticks;
  ticks.items = said_.items.names();
  ticks.item_column = item_column_;
  ticks.votes = votes.finish(ticks.items.size(), annotators.names);
  std::vector<std::uint8_t> programs(annotators.names.size());
  for (std::size_t a = 0; a < said_.programs.size(); ++a)
    if (said_.programs[a]) programs[annotators.number[a]] = 1;
  ticks.votes.declare({}, std::move(programs));
  set_labels_of(ticks, labels.names, is_used);
  check_names(ticks.labels, "label", path);
  return ticks;
}

void AnnotationSink::note_assumed_annotations() {
  if (assumed_ && !known_)
    note(
        "assumed that whoever ticked a label of an item looked at it, and nobody else did: lines "
        "without a label, or " +
        term("ticks.looked") + ", tell of annotators who looked and ticked nothing");
}

Annotations AnnotationSink::finish(const std::string& path, std::vector<std::string>* notes) {
  if (said_.items.size() == 0)
    throw Error(Failure::Data, "there are no ticks", {path, 0, 0},
                "check that the file was exported and copied whole");
  Annotations ticks = collect(path);
  if (left_out_ != 0)
    note("left out: " + count_text(left_out_, "rejected or cancelled annotation"));
  if (skipped_ != 0)
    note(fmt::format("left out, because they say nothing of any label: {}",
                     count_text(skipped_, "skipped annotation")));
  if (const std::size_t unsure = ticks.votes.unsure(); unsure != 0)
    note(fmt::format("unsure votes: {}, which count as neither yes nor no", unsure));
  note_assumed_annotations();
  if (notes != nullptr)
    for (const std::string& sentence : notes_)
      notes->push_back(fmt::format("{}: {}", path, sentence));
  return ticks;
}

}  // namespace sieve
