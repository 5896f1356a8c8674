#include "data/libsvm/libsvm_rows.h"

#include <charconv>

#include "data/text/numbers.h"
#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

constexpr std::string_view kFeatures = "# labelsieve features=", kLabels = " labels=";
constexpr std::uint64_t kLargestNumber = 0xFFFFFFFE;  // so that one more fits 32 bits

// The digits at the front of `text`, cut off.
bool cut_number(std::string_view& text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, value);
  text = {after, static_cast<std::size_t>(end - after)};
  return error == std::errc{} && value <= kLargestNumber;
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  return cut_number(text, value) && text.empty();
}

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Labels that ascend, and the blank behind them.
bool fast_labels(const char*& p, const char* end, std::uint64_t limit,
                 std::vector<std::uint32_t>& labels) {
  for (std::uint64_t least = 0; p != end; ++p) {
    std::uint64_t label = 0;
    const auto [after, error] = std::from_chars(p, end, label);
    if (error != std::errc{} || after == end || label < least || label >= limit) return false;
    labels.push_back(static_cast<std::uint32_t>(label));
    least = label + 1;
    p = after;
    if (*p == ' ') return ++p, true;
    if (*p != ',') return false;
  }
  return false;
}

// Reads a line of plain numbers in a block, as nearly all are. False, with nothing added, for any
// other: that is for Row to read.
bool fast_row(std::string_view block, std::string_view line, const LibsvmSize& size,
              LibsvmPart& part) {
  CsrMatrix& features = part.features;
  const std::size_t entries = features.nonzeros(), labels = part.labels.size();
  const auto resize = [&](std::size_t count) {
    features.columns.resize(count);
    features.values.resize(count);
  };
  resize(entries + std::min(line.size() / 4, size.features) + 1);
  const char *p = line.data(), *line_end = p + line.size(), *end = block.data() + block.size();
  std::optional<std::size_t> found;
  if (fast_labels(p, line_end, size.labels, part.labels))
    found = scan_entries(block.data(), p, end, {1, static_cast<std::uint32_t>(size.features)},
                         features.columns.data() + entries, features.values.data() + entries);
  resize(entries + found.value_or(0));
  if (!found) part.labels.resize(labels);
  if (!found) return false;
  part.label_ends.push_back(part.labels.size());
  features.starts.push_back(features.nonzeros());
  return true;
}

std::string shown(std::string_view text) {
  return "'" + std::string(text.substr(0, 40)) + "'";
}

// One line, read from left to right, into a part.
class Row {
 public:
  Row(std::string_view text, std::size_t number, const std::string& path,
      const std::optional<LibsvmSize>& size, LibsvmPart& part)
      : begin_(text.data()), rest_(text), number_(number), path_(path), size_(size), part_(part) {}

  void parse() {
    const std::string_view first = rest_.substr(0, rest_.find_first_of(" \t"));
    if (!first.empty() && first.find(':') == first.npos) parse_labels(cut_word());
    part_.label_ends.push_back(part_.labels.size());
    std::optional<std::uint64_t> before;
    for (std::string_view word = cut_word(); !word.empty(); word = cut_word())
      parse_entry(word, before);
    part_.features.starts.push_back(part_.features.nonzeros());
  }

 private:
  std::string_view cut_word() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }

  void parse_labels(std::string_view list) {
    const auto first = static_cast<std::ptrdiff_t>(part_.labels.size());
    for (std::size_t from = 0, end = 0; from <= list.size(); from = end + 1) {
      end = std::min(list.find(',', from), list.size());
      add_label(list.substr(from, end - from));
    }
    std::vector<std::uint32_t> sorted(part_.labels.begin() + first, part_.labels.end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end())
      refuse(list, "the label " + std::to_string(*twice) + " is repeated",
             "write each label of a row once");
  }

  void add_label(std::string_view text) {
    std::uint64_t label = 0;
    if (!parse_number(text, label))
      refuse(text, shown(text) + " is not a label",
             "labels are integers from 0, separated by commas: 0,3,7");
    if (size_ && label >= size_->labels)
      refuse(text, "the label " + shown(text) + " is out of range",
             "the first line says there are " + std::to_string(size_->labels) +
                 " labels; they count from 0");
    part_.labels.push_back(static_cast<std::uint32_t>(label));
    part_.label_range.add(label);
  }

  void parse_entry(std::string_view word, std::optional<std::uint64_t>& before) {
    const std::size_t colon = word.find(':');
    const std::string_view index_text = word.substr(0, colon);
    if (index_text == "qid")
      refuse(word, "ranking data (qid) is not read", "remove the qid: fields");
    std::uint64_t index = 0;
    if (colon == word.npos || !parse_number(index_text, index))
      refuse(word, shown(word) + " is not index:value",
             "a row looks like 0,3 1:0.5 7:2, with the labels first");
    if (size_ && (index == 0 || index > size_->features))
      refuse(word, "the index " + shown(index_text) + " is out of range",
             "the first line says there are " + std::to_string(size_->features) +
                 " features; they count from 1");
    if (before && index <= *before)
      refuse(word,
             index == *before ? "the index " + shown(index_text) + " is repeated"
                              : "the indices of a row must ascend",
             "write each index once, in ascending order");
    before = index;
    part_.column_range.add(index);
    add_value(static_cast<std::uint32_t>(index), word.substr(colon + 1));
  }

  void add_value(std::uint32_t index, std::string_view text) {
    float value = 0;
    if (!parse_float(text, value)) refuse(text, number_problem(text), "write a finite number");
    if (is_plain_zero(value)) return;
    part_.features.columns.push_back(index);
    part_.features.values.push_back(value);
  }

  [[noreturn]] void refuse(std::string_view at, const std::string& message,
                           const std::string& hint) const {
    const auto column = static_cast<std::size_t>(at.data() - begin_) + 1;
    throw Error(Failure::Data, message, {path_, number_, column}, hint);
  }

  const char* begin_;
  std::string_view rest_;
  std::size_t number_;
  const std::string& path_;
  const std::optional<LibsvmSize>& size_;
  LibsvmPart& part_;
};

}  // namespace

std::string to_string(const LibsvmSize& size) {
  return std::string(kFeatures) + std::to_string(size.features) + std::string(kLabels) +
         std::to_string(size.labels);
}

std::optional<LibsvmSize> parse_libsvm_size(std::string_view line) {
  std::uint64_t features = 0, labels = 0;
  if (!cut_prefix(line, kFeatures) || !cut_number(line, features) || !cut_prefix(line, kLabels) ||
      !parse_number(trimmed(line), labels))
    return std::nullopt;
  return LibsvmSize{features, labels};
}

void parse_libsvm(const TextBlock& block, const std::string& path,
                  const std::optional<LibsvmSize>& size, LibsvmPart& part) {
  part.bytes = block.text.size();
  part.features.starts.push_back(0);
  std::string_view text = block.text;
  for (std::size_t number = block.first_line; !text.empty(); ++number) {
    std::string_view line = cut_line(text);
    if (size && fast_row(block.text, line, *size, part)) continue;
    line = line.substr(0, line.find('#'));
    const bool row = size ? !line.empty() : !trimmed(line).empty();
    if (row) Row(line, number, path, size, part).parse();
  }
}

}  // namespace sieve
