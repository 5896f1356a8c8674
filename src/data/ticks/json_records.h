#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"
#include "data/text/text_lines.h"
#include "labelsieve/files.h"

namespace sieve {

// The records of a JSON file, one after the other: the lines of a file of JSON lines, or the
// elements of one large array. Only one record is in memory at a time; one that is longer than 256
// MiB is refused.
class JsonRecords {
 public:
  JsonRecords(InputStream& in, const std::string& path) : in_(in), path_(path) {}

  // nullopt at the end. Valid until the next call.
  std::optional<JsonValue> next();
  // Where the record that next() gave last begins.
  Place place() const { return {path_, record_line_, 0}; }

 private:
  enum class Layout { Unknown, Lines, Array };

  bool read_more();
  void skip_blanks();
  bool at_end() { return position_ == text().size() && !read_more(); }
  std::string_view text() const { return buffer_.text(); }
  void begin();
  std::optional<std::string_view> next_line();
  std::optional<std::string_view> next_element();
  std::size_t end_of_element();
  [[noreturn]] void refuse(const std::string& problem) const;

  InputStream& in_;
  const std::string& path_;
  TextBuffer buffer_;
  std::size_t position_ = 0, line_ = 1, record_line_ = 1;
  Layout layout_ = Layout::Unknown;
  bool first_ = true, closed_ = false;  // of the array
  JsonParser parser_;
};

}  // namespace sieve
