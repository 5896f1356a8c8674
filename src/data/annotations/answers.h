#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/annotations/annotation_formats.h"
#include "labelsieve/data_io.h"

// Answers that are more than yes and no.
namespace sieve {

// Grades from `low` to `high`, of which those from `from` on are ticks; without `from`, those above
// `low` where that is 0, else those above the middle.
struct Scale {
  double low = 0, high = 1;
  std::optional<double> from{};

  bool is_tick(double grade) const;
  // Of one that is: whole steps where the scale has a few of them, else quarters of what is above
  // the line.
  std::uint8_t steps_above_line(double grade) const;
  std::string text() const;  // "0 to 3"
};
// "0-3", "1-5", "-2-2"; nothing for any other text, and where low is not below high.
std::optional<Scale> parse_scale(std::string_view text);
// The scale of the options; nothing without one. Error(Usage) for one that makes no sense.
std::optional<Scale> scale_of(const AnnotationOptions& options);

// What a grade says; nothing for a blank cell. Error(Data) at `place` for a grade outside the scale
// and for any other text than a word such as "unsure".
std::optional<Answer> vote_by_grade(const Scale& scale, std::string_view cell,
                                    const std::string& column, const Place& place);

// The column with what annotators are unsure of: labels, or a yes for those of the line.
class UnsureColumn {
 public:
  // The one that is asked for. One that is merely named so is named in a note.
  explicit UnsureColumn(const AnnotationFile& file);

  std::size_t column() const { return column_; }
  bool is_there() const { return column_ != AnnotationRecords::npos; }
  // Whether it says yes and no, by the first records.
  bool says_yes_and_no() const { return kind_ == Kind::Flags; }
  // Whether the labels of the present line are unsure. Error(Data) for a cell that is neither yes
  // nor no where others are.
  bool is_line_unsure();
  // Tells the sink of the labels in the present cell, for its last annotation.
  void tell();

 private:
  enum class Kind { Open, Flags, Labels };
  void settle(std::string_view cell);

  const AnnotationFile& file_;
  std::size_t column_;
  std::string name_;
  Kind kind_ = Kind::Open;
};

}  // namespace sieve
