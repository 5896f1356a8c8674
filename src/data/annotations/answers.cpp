#include "data/annotations/answers.h"

#include <cmath>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {

bool Scale::is_tick(double grade) const {
  if (from) return grade >= *from;
  return low == 0 ? grade > 0 : grade > (low + high) / 2;
}

std::uint8_t Scale::steps_above_line(double grade) const {
  constexpr double kFew = 10, kParts = 4;
  const double line = from ? *from : low == 0 ? low : (low + high) / 2;
  if (line == high) return 0;
  const bool whole = std::floor(low) == low && std::floor(high) == high;
  if (!whole || high - low < 2 || high - low > kFew)
    return static_cast<std::uint8_t>(
        std::min(kParts - 1, std::floor(kParts * (grade - line) / (high - line))));
  const double lowest = from ? *from : std::floor(line) + 1;
  return static_cast<std::uint8_t>(std::max(0.0, std::floor(grade - lowest)));
}

std::string Scale::text() const {
  return fmt::format("{} to {}", low, high);
}

std::optional<Scale> parse_scale(std::string_view text) {
  text = trimmed(text);
  const std::size_t dash = text.size() > 1 ? text.find('-', 1) : text.npos;
  if (dash == text.npos) return std::nullopt;
  const auto low = parse_number<double>(trimmed(text.substr(0, dash)));
  const auto high = parse_number<double>(trimmed(text.substr(dash + 1)));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high)
    return std::nullopt;
  return Scale{*low, *high};
}

std::optional<Scale> scale_of(const AnnotationOptions& options) {
  if (options.scale.empty()) {
    if (options.ticks_from)
      throw Error(Failure::Usage, term("ticks.ticks_from") + " needs a scale of grades", {},
                  "add " + term("ticks.scale", "0-3") + ", with the lowest and the highest grade");
    return std::nullopt;
  }
  std::optional<Scale> scale = parse_scale(options.scale);
  if (!scale)
    throw Error(Failure::Usage,
                fmt::format("{} cannot be '{}'", term("ticks.scale"), options.scale), {},
                "give the lowest and the highest grade, as in 0-3 or 1-5");
  if (const auto& from = options.ticks_from; from && !(*from > scale->low && *from <= scale->high))
    throw Error(
        Failure::Usage,
        fmt::format("{} is {}, on a scale from {}", term("ticks.ticks_from"), *from, scale->text()),
        {}, "give a grade above the lowest one");
  scale->from = options.ticks_from;
  return scale;
}

std::optional<Answer> vote_by_grade(const Scale& scale, std::string_view cell,
                                    const std::string& column, const Place& place) {
  cell = trimmed(cell);
  if (cell.empty()) return std::nullopt;
  if (is_unsure_word(cell)) return Vote::Unsure;
  const auto grade = parse_number<double>(cell);
  if (!grade || !std::isfinite(*grade))
    throw Error(Failure::Data,
                fmt::format("'{}' in '{}', which has grades from {}", cell.substr(0, 40), column,
                            scale.text()),
                place, "grades are numbers; leave the cell blank where there is no answer");
  if (*grade < scale.low || *grade > scale.high)
    throw Error(Failure::Data,
                fmt::format("the grade {} in '{}' is outside the scale from {}", cell.substr(0, 40),
                            column, scale.text()),
                place, "correct the grade, or give the whole scale with " + term("ticks.scale"));
  if (!scale.is_tick(*grade)) return Vote::No;
  return Answer(Vote::Yes, scale.steps_above_line(*grade));
}

// ---- the column of what annotators are unsure of
// -------------------------------------------------

namespace {

const ColumnNames kUnsureNames = {"unsure", "unsureof",  "unsurelabels", "notsure",
                                  "hedge",  "uncertain", "hedged"};

}  // namespace

// What somebody is unsure of may be a no in all but name: on radiologists' hedges, taking them as
// missing made the ranking of ticked cells worse (docs/crowd.md). So it is for the user to say.
UnsureColumn::UnsureColumn(const AnnotationFile& file)
    : file_(file), column_(AnnotationRecords::npos) {
  const std::string& asked_for = file.options.unsure;
  if (!asked_for.empty() && asked_for != kNoColumn)
    column_ = find_column(file.records, asked_for, {}, file.path);
  const std::size_t named = find_column(file.records, {}, kUnsureNames, file.path);
  if (asked_for.empty() && named != AnnotationRecords::npos)
    file.sink.note(fmt::format("'{0}' is not read: {1} takes what it names as neither yes nor no",
                               file.records.names()[named],
                               term("ticks.unsure", file.records.names()[named])));
  if (!is_there()) return;
  name_ = file.records.names()[column_];
  VoteWords words;
  bool any = false, other = false;
  for (const std::string& cell : sample_of(file.records, column_)) {
    if (trimmed(cell).empty()) continue;
    any = true;
    other |= !words.read(cell);
  }
  if (any) kind_ = other ? Kind::Labels : Kind::Flags;
}

// Where the first records are blank, the first cell that is not decides.
void UnsureColumn::settle(std::string_view cell) {
  if (kind_ == Kind::Open) kind_ = VoteWords().read(cell) ? Kind::Flags : Kind::Labels;
}

bool UnsureColumn::is_line_unsure() {
  if (!is_there()) return false;
  const std::string_view cell = trimmed(file_.records.cell(column_));
  if (cell.empty()) return false;
  settle(cell);
  if (kind_ != Kind::Flags) return false;
  const std::optional<Vote> vote = VoteWords().read(cell);
  if (!vote)
    throw Error(
        Failure::Data,
        fmt::format("'{}' in '{}', where lines before say yes or no", cell.substr(0, 40), name_),
        file_.records.place(),
        "say yes by 1, yes or true, and no by 0, no or false; or do not read it: " +
            rerun({{"ticks.unsure", kNoColumn}}));
  return *vote != Vote::No;
}

void UnsureColumn::tell() {
  if (!is_there()) return;
  const std::string_view cell = trimmed(file_.records.cell(column_));
  if (cell.empty()) return;
  settle(cell);
  if (kind_ != Kind::Labels) return;
  if (!LabelCutter::is_list(cell)) return file_.sink.unsure_text(cell, name_);
  LabelCutter cutter({}, {});
  cutter.cut(cell, file_.records.place(),
             [&](std::string_view label) { file_.sink.unsure(label); });
}

}  // namespace sieve
