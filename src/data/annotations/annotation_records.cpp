#include "data/annotations/annotation_records.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/streams.h"
#include "data/csv/csv_cells.h"
#include "data/text/text_lines.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

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

constexpr std::size_t kPiece = std::size_t{1} << 17;
constexpr std::size_t kLongestRecord = std::size_t{1} << 28;
constexpr std::string_view kBlanks = " \t\r\n";

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

constexpr std::size_t kSampleBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = std::size_t{1} << 26;

bool begins_as_json(std::string_view front) {
  if (front.starts_with("\xEF\xBB\xBF")) front.remove_prefix(3);
  const std::size_t first = front.find_first_not_of(" \t\r\n");
  if (first == front.npos) return false;
  if (front[first] == '{') return true;
  // "[A] [B]" begins some tables.
  const std::size_t second = front.find_first_not_of(" \t\r\n", first + 1);
  return front[first] == '[' && second != front.npos &&
         (front[second] == '{' || front[second] == ']');
}

}  // namespace

class AnnotationRecords::Source {
 public:
  virtual ~Source() = default;
  virtual std::vector<std::string> names() { return {}; }
  // The next record; new names may come with it.
  virtual bool next(std::vector<std::string>& cells, std::vector<std::string>& names) = 0;
  virtual std::size_t line() const = 0;
  virtual char delimiter() const { return 0; }
};

// A table may have names for more cells than its rows have: the rest is empty.
class AnnotationRecords::TableSource final : public Source {
 public:
  TableSource(InputStream& in, const std::string& path, std::vector<std::string> names,
              char delimiter)
      : lines_(in, path, kLongestLine), known_names_(std::move(names)), delimiter_(delimiter) {}

  std::vector<std::string> names() override {
    if (delimiter_ == 0) delimiter_ = detect_delimiter(lines_.peek());
    if (columns_ = known_names_.size(); columns_ != 0) return known_names_;
    std::string_view line;
    do {
      if (!lines_.next(line, true))
        throw Error(Failure::Data, "the file is empty", {lines_.name(), 0, 0},
                    "check that it was copied or downloaded whole");
    } while (trimmed(line).empty());
    std::vector<std::string> names =
        cells_of(line, lines_.line_number(), delimiter_, lines_.name());
    columns_ = names.size();
    return names;
  }

  bool next(std::vector<std::string>& cells, std::vector<std::string>&) override {
    while (true) {
      if (rest_.empty()) {
        if (!lines_.next_block(storage_, block_, true)) return false;
        rest_ = block_.text;
        next_line_ = block_.first_line;
      }
      CellCursor cursor(rest_, next_line_, delimiter_, lines_.name());
      line_ = next_line_;
      std::size_t count = 0;
      for (; cursor.next(); ++count) {
        if (count >= columns_)
          refuse_row("more fields than there are names, " + std::to_string(columns_));
        if (count == cells.size()) cells.emplace_back();
        cells[count] = cursor.cell();
      }
      next_line_ = cursor.line();
      rest_.remove_prefix(static_cast<std::size_t>(cursor.position() - rest_.data()));
      cells.resize(count);
      if (count == 1 && cells[0].empty()) continue;
      if (width_ == 0) width_ = count;
      if (count != width_)
        refuse_row(std::to_string(count) + " fields, but those before have " +
                   std::to_string(width_));
      return true;
    }
  }
  std::size_t line() const override { return line_; }
  char delimiter() const override { return delimiter_; }

 private:
  [[noreturn]] void refuse_row(const std::string& what) const {
    throw Error(Failure::Data, "this row has " + what, {lines_.name(), line_, 0},
                "check the separator and quotes");
  }

  LineSource lines_;
  std::vector<std::string> known_names_;
  char delimiter_;
  std::size_t columns_ = 0, width_ = 0;  // names, and cells of a row
  std::size_t line_ = 1, next_line_ = 1;
  TextBuffer storage_;
  TextBlock block_;
  std::string_view rest_;
};

class AnnotationRecords::JsonSource final : public Source {
 public:
  JsonSource(InputStream& in, const std::string& path) : records_(in, path) {}

  bool next(std::vector<std::string>& cells, std::vector<std::string>& names) override {
    const std::optional<JsonValue> record = records_.next();
    if (!record) return false;
    cells.assign(names.size(), {});
    std::vector<bool> seen(names.size());
    record->for_members([&](std::string_view key, const JsonValue& value) {
      const auto [place, fresh] = column_of_.try_emplace(std::string(key), names.size());
      if (fresh) {
        if (names.size() >= kMostNames) {
          column_of_.erase(place);
          return;
        }
        names.emplace_back(key);
      }
      if (place->second >= cells.size()) cells.resize(place->second + 1);
      if (seen.size() < cells.size()) seen.resize(cells.size());
      if (seen[place->second])
        throw Error(Failure::Data,
                    "the key '" + std::string(key.substr(0, 100)) + "' is there twice",
                    records_.place(), "give each key once");
      seen[place->second] = true;
      cells[place->second] = value.plain();
    });
    return true;
  }
  std::size_t line() const override { return records_.place().line; }

 private:
  static constexpr std::size_t kMostNames = 10000;
  JsonRecords records_;
  std::unordered_map<std::string, std::size_t> column_of_;
};

AnnotationRecords::AnnotationRecords(std::unique_ptr<InputStream> in, const std::string& path,
                                     std::vector<std::string> names, char delimiter)
    : path_(path) {
  std::string front = read_front(*in, 4096);
  json_ = delimiter == 0 && begins_as_json(front);
  in_ = rewound(std::move(in), std::move(front));
  if (json_)
    source_ = std::make_unique<JsonSource>(*in_, path_);
  else
    source_ = std::make_unique<TableSource>(*in_, path_, std::move(names), delimiter);
  names_ = source_->names();
  take_sample();
}

AnnotationRecords::~AnnotationRecords() = default;

char AnnotationRecords::delimiter() const {
  return source_->delimiter();
}

void AnnotationRecords::take_sample() {
  std::vector<std::string> cells;
  std::size_t bytes = 0;
  while (first_.size() < kSampleRecords && bytes < kSampleBytes && source_->next(cells, names_)) {
    for (const std::string& cell : cells) bytes += cell.size();
    first_lines_.push_back(source_->line());
    first_.push_back(cells);
  }
  sample_ = first_;
}

void AnnotationRecords::share_sample(std::size_t own, const std::vector<Record>& others) {
  sample_.resize(std::min(own, first_.size()));
  sample_.insert(sample_.end(), others.begin(), others.end());
  others_ = others.size();
}

std::size_t AnnotationRecords::column(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? npos : static_cast<std::size_t>(found - names_.begin());
}

bool AnnotationRecords::next() {
  if (given_ < first_.size()) {
    cells_ = first_[given_];
    line_ = first_lines_[given_++];
    return true;
  }
  if (!source_->next(cells_, names_)) return false;
  line_ = source_->line();
  return true;
}

}  // namespace sieve
