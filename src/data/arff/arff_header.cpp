#include "data/arff/arff_header.h"

#include <algorithm>
#include <unordered_map>

#include "data/arff/arff_line.h"
#include "data/label_columns.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

class HeaderReader {
 public:
  explicit HeaderReader(LineSource& source) : source_(source) {}

  ArffHeader read() {
    std::string_view text;
    while (source_.next(text)) {
      ArffLine line(text, source_.line_number());
      line.skip_blanks();
      if (!line.at_end() && !declaration(line)) return finish();
    }
    if (source_.bytes_read() == 0) refuse("the file is empty", {source_.name(), 0, 0});
    refuse(
        "there is no @data line", {source_.name(), source_.line_number(), 0},
        "an ARFF file has @attribute lines, then @data, then the rows; it may have been cut off");
  }

 private:
  [[noreturn]] static void refuse(const std::string& message, Place where,
                                  const std::string& hint = {}) {
    throw Error(Failure::Data, message, std::move(where), hint);
  }
  Place here(const ArffLine& line) const { return {source_.name(), line.number(), line.column()}; }

  // False when this was @data.
  bool declaration(ArffLine& line) {
    const Place place = here(line);
    const std::string keyword = word(line, "'\"");
    line.skip_blanks();
    if (same_word(keyword, "@data")) return false;
    if (same_word(keyword, "@relation"))
      header_.relation =
          line.sees('\'') || line.sees('"') ? word(line, "") : std::string(trimmed(line.rest()));
    else if (same_word(keyword, "@attribute"))
      attribute(line);
    else
      refuse("expected @relation, @attribute or @data", place,
             "check that this is an ARFF file; a comment begins with %");
    return true;
  }

  std::string word(ArffLine& line, std::string_view stops) {
    const Place place = here(line);
    const std::optional<std::string_view> found = line.word(stops, scratch_);
    if (!found) refuse("a quote is not closed", place, "close it with the same quote");
    return std::string(*found);
  }

  void attribute(ArffLine& line) {
    header_.lines.push_back(line.number());
    header_.names.push_back(word(line, "{"));
    line.skip_blanks();
    const auto [known, fresh] =
        type_by_text_.try_emplace(std::string(line.rest()), header_.types.size());
    if (fresh) header_.types.push_back(line.sees('{') ? nominal(line) : numeric(line));
    header_.type_of.push_back(static_cast<std::uint32_t>(known->second));
  }

  ArffType numeric(ArffLine& line) {
    const Place place = here(line);
    const std::string type = word(line, "");
    for (const char* known : {"numeric", "real", "integer"})
      if (same_word(type, known)) return {};
    refuse("attribute '" + header_.names.back() + "' has the type '" + type +
               "', which cannot be used here",
           place,
           "remove it or make it numeric or nominal; string, date and relational are not read");
  }

  ArffType nominal(ArffLine& line) {
    const Place place = here(line);
    ArffType type;
    line.take('{');
    do {
      line.skip_blanks();
      if (line.sees(',') || line.sees('}')) refuse("a listed value is empty", here(line));
      type.values.emplace_back(word(line, ",}"), static_cast<float>(type.values.size()));
      line.skip_blanks();
    } while (line.take(','));
    if (!line.take('}'))
      refuse("expected , or } in the list of values", here(line), "quote values with blanks");
    use_numbers(type);
    std::sort(type.values.begin(), type.values.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::adjacent_find(type.values.begin(), type.values.end(), same);
    if (twice != type.values.end())
      refuse("the value '" + twice->first + "' is listed twice", place);
    return type;
  }

  static void use_numbers(ArffType& type) {
    float number = 0;
    const auto is_number = [&](const auto& value) { return parse_float(value.first, number); };
    const auto is_bit = [](const auto& value) { return value.first == "0" || value.first == "1"; };
    if (!std::ranges::all_of(type.values, is_number)) return;
    for (auto& [text, value] : type.values) parse_float(text, value);
    type.binary = std::ranges::all_of(type.values, is_bit);
    type.absent = type.values.front().second;
  }

  ArffHeader finish() {
    if (header_.names.empty())
      refuse("there is no @attribute before @data", {source_.name(), source_.line_number(), 0});
    check_names(header_.names, "attribute", source_.name());
    return std::move(header_);
  }

  LineSource& source_;
  ArffHeader header_;
  std::unordered_map<std::string, std::size_t> type_by_text_;
  std::string scratch_;
};

}  // namespace

ArffHeader read_arff_header(LineSource& source) {
  return HeaderReader(source).read();
}

}  // namespace sieve
