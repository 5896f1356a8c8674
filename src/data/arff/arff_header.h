#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/label_columns.h"
#include "data/text/numbers.h"
#include "data/text/text_lines.h"
#include "labelsieve/files.h"

namespace sieve {

// One line of an ARFF file, read from left to right. A '%' where a word could begin starts a
// comment and counts as the end.
class ArffLine {
 public:
  ArffLine(std::string_view text, std::size_t number)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), number_(number) {}

  std::size_t number() const { return number_; }
  std::size_t column() const { return static_cast<std::size_t>(at_ - begin_) + 1; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool at_end() const { return at_ == end_ || *at_ == '%'; }
  bool sees(char c) const { return at_ != end_ && *at_ == c; }
  bool take(char c) { return sees(c) && (++at_, true); }
  bool skip_blanks() {
    const char* before = at_;
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    return at_ != before;
  }

  // A plain number that ends where a value can end; else nothing is taken.
  bool take_number(float& value) {
    const char* after = scan_float(at_, end_, value);
    if (after == nullptr || !ends_a_value(after)) return false;
    at_ = after;
    return true;
  }
  // So many plain numbers, each with a comma right behind it; else nothing is taken. Bytes may be
  // looked at from `readable` on.
  bool take_numbers(const char* readable, float* values, std::size_t count) {
    const char* after = scan_floats(readable, at_, end_, ',', values, count);
    if (after == nullptr) return false;
    at_ = after;
    return true;
  }
  // A plain 0 or 1, as above.
  bool take_bit(float& value) {
    if (at_ == end_ || (*at_ != '0' && *at_ != '1') || !ends_a_value(at_ + 1)) return false;
    value = static_cast<float>(*at_++ - '0');
    return true;
  }
  // Digits; more than 19 of them stay too large for any index.
  bool take_index(std::size_t& value) {
    const char* first = at_;
    value = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
      if (value < std::size_t{1} << 59) value = value * 10 + static_cast<std::size_t>(*at_ - '0');
    return at_ != first;
  }

  // A word: between single or double quotes with backslash escapes, or up to a blank or one of
  // `stops`. It lies in the line or in `scratch`. nullopt if a quote is not closed.
  std::optional<std::string_view> word(std::string_view stops, std::string& scratch);

 private:
  bool ends_a_value(const char* p) const {
    return p == end_ || *p == ',' || *p == '}' || *p == ' ' || *p == '\t';
  }
  std::optional<std::string_view> quoted_word(std::string& scratch);

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t number_;
};

// The type of an attribute: a number, or one of a list of values. A listed value stands for itself
// if all in the list are numbers, else for its position in the list (from 0).
struct ArffType {
  std::vector<std::pair<std::string, float>> values;  // sorted; empty for a number
  bool binary = false;                                // no value but 0 and 1 is listed
  float absent = 0;  // what an entry that a sparse row leaves out stands for

  bool nominal() const { return !values.empty(); }
};

// All up to @data. The three vectors below have one entry an attribute; equal types are shared.
struct ArffHeader {
  std::string relation;
  std::vector<ArffType> types;
  std::vector<std::string> names;
  std::vector<std::uint32_t> type_of;
  std::vector<std::size_t> lines;

  const ArffType& type(std::size_t attribute) const { return types[type_of[attribute]]; }
};

ArffHeader read_arff_header(LineSource& source);

// Which attributes are labels: by the options, by -C in the relation line, or by a list in XML.
// Cuts a label prefix off from the names.
LabelMask arff_labels(ArffHeader& header, const std::string& path, const ReadOptions& options);

// Mulan's label list: <labels><label name="..."/>...</labels>, nested labels flattened.
std::vector<std::string> read_label_xml(InputStream& in, const std::string& path);
void write_label_xml(const std::vector<std::string>& names, OutputStream& out);

}  // namespace sieve
