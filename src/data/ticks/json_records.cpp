#include "data/ticks/json_records.h"

#include <algorithm>

namespace sieve {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 17;
constexpr std::size_t kLongestRecord = std::size_t{1} << 28;
constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

void JsonRecords::refuse(const std::string& problem) const {
  throw Error(Failure::Data, problem, {path_, line_, 0},
              "check that the file was written and copied whole");
}

// What was taken makes room first.
bool JsonRecords::read_more() {
  if (text().size() - position_ > kLongestRecord) refuse("a record of more than 256 MiB");
  if (position_ > kPiece) {
    buffer_.drop_front(position_);
    position_ = 0;
  }
  return buffer_.append(in_, kPiece) != 0;
}

void JsonRecords::skip_blanks() {
  while (!at_end() && kBlanks.find(text()[position_]) != kBlanks.npos)
    line_ += text()[position_++] == '\n';
}

void JsonRecords::begin() {
  read_more();
  if (text().starts_with("\xEF\xBB\xBF")) position_ = 3;
  if (text().starts_with("\xFF\xFE") || text().starts_with("\xFE\xFF"))
    throw Error(Failure::Data, "this is UTF-16 text", {path_, 0, 0},
                "save it as UTF-8, for example: iconv -f UTF-16 -t UTF-8");
  skip_blanks();
  layout_ = !at_end() && text()[position_] == '[' ? Layout::Array : Layout::Lines;
  position_ += layout_ == Layout::Array;
}

std::optional<JsonValue> JsonRecords::next() {
  if (layout_ == Layout::Unknown) begin();
  const std::optional<std::string_view> record =
      layout_ == Layout::Lines ? next_line() : next_element();
  if (!record) return std::nullopt;
  const JsonValue value = parser_.parse(*record, place());
  if (!value.is_object())
    throw Error(Failure::Data, "a record that is not a JSON object", place(),
                "records look like {\"id\": ..., ...}");
  return value;
}

std::optional<std::string_view> JsonRecords::next_line() {
  skip_blanks();
  if (at_end()) return std::nullopt;
  record_line_ = line_;
  std::size_t searched = 0, end = text().npos;
  while ((end = text().find('\n', position_ + searched)) == text().npos) {
    searched = text().size() - position_;
    if (!read_more()) break;
  }
  const std::size_t from = position_;
  position_ = std::min(end, text().size());
  return text().substr(from, position_ - from);
}

std::optional<std::string_view> JsonRecords::next_element() {
  if (closed_) return std::nullopt;
  skip_blanks();
  if (at_end()) refuse("the JSON array is not closed");
  if (text()[position_] == ']') {
    ++position_;
    skip_blanks();
    if (!at_end()) refuse("there is text behind the JSON array");
    closed_ = true;
    return std::nullopt;
  }
  if (!first_) {
    if (text()[position_] != ',') refuse("a comma is missing between two records");
    ++position_;
    skip_blanks();
  }
  first_ = false;
  record_line_ = line_;
  const std::size_t size = end_of_element();
  const std::string_view record = text().substr(position_, size);
  position_ += size;
  return record;
}

// The size of the object that begins here, by its brackets; what is inside is for the parser.
std::size_t JsonRecords::end_of_element() {
  std::size_t size = 0, depth = 0;
  bool inside = false;  // a string
  while (true) {
    if (position_ + size == text().size() && !read_more())
      refuse(size == 0 ? "the JSON array is not closed" : "the last record is cut off");
    const char c = text()[position_ + size];
    if (size == 0 && c != '{') refuse("a record that is not a JSON object");
    ++size;
    line_ += c == '\n';
    if (inside && c == '\\') {
      if (position_ + size == text().size() && !read_more()) refuse("the last record is cut off");
      ++size;
    } else if (c == '"') {
      inside = !inside;
    } else if (!inside && (c == '{' || c == '[')) {
      ++depth;
    } else if (!inside && (c == '}' || c == ']') && --depth == 0) {
      return size;
    }
  }
}

}  // namespace sieve
