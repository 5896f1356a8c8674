#include "data/ticks/tick_records.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/streams.h"
#include "data/csv/csv_cells.h"
#include "data/ticks/json_records.h"

namespace sieve {
namespace {

constexpr std::size_t kSampleRecords = 200, kSampleBytes = std::size_t{1} << 20;
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

class TickRecords::Source {
 public:
  virtual ~Source() = default;
  virtual std::vector<std::string> names() { return {}; }
  // The next record; new names may come with it.
  virtual bool next(std::vector<std::string>& cells, std::vector<std::string>& names) = 0;
  virtual std::size_t line() const = 0;
};

// A table may have names for more cells than its rows have: the rest is empty.
class TickRecords::TableSource final : public Source {
 public:
  TableSource(InputStream& in, const std::string& path, std::vector<std::string> names)
      : lines_(in, path, kLongestLine), known_names_(std::move(names)) {}

  std::vector<std::string> names() override {
    delimiter_ = detect_delimiter(lines_.peek());
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

 private:
  [[noreturn]] void refuse_row(const std::string& what) const {
    throw Error(Failure::Data, "this row has " + what, {lines_.name(), line_, 0},
                "check the separator and quotes");
  }

  LineSource lines_;
  std::vector<std::string> known_names_;
  char delimiter_ = ',';
  std::size_t columns_ = 0, width_ = 0;  // names, and cells of a row
  std::size_t line_ = 1, next_line_ = 1;
  TextBuffer storage_;
  TextBlock block_;
  std::string_view rest_;
};

class TickRecords::JsonSource final : public Source {
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

TickRecords::TickRecords(std::unique_ptr<InputStream> in, const std::string& path,
                         std::vector<std::string> names)
    : path_(path) {
  std::string front = read_front(*in, 4096);
  json_ = begins_as_json(front);
  in_ = rewound(std::move(in), std::move(front));
  if (json_)
    source_ = std::make_unique<JsonSource>(*in_, path_);
  else
    source_ = std::make_unique<TableSource>(*in_, path_, std::move(names));
  names_ = source_->names();
  take_sample();
}

TickRecords::~TickRecords() = default;

void TickRecords::take_sample() {
  std::vector<std::string> cells;
  std::size_t bytes = 0;
  while (sample_.size() < kSampleRecords && bytes < kSampleBytes && source_->next(cells, names_)) {
    for (const std::string& cell : cells) bytes += cell.size();
    sample_lines_.push_back(source_->line());
    sample_.push_back(cells);
  }
}

std::size_t TickRecords::column(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? npos : static_cast<std::size_t>(found - names_.begin());
}

bool TickRecords::next() {
  if (given_ < sample_.size()) {
    cells_ = sample_[given_];
    line_ = sample_lines_[given_++];
    return true;
  }
  if (!source_->next(cells_, names_)) return false;
  line_ = source_->line();
  return true;
}

}  // namespace sieve
