#include "data/formats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "data/arff/arff_header.h"
#include "data/label_columns.h"
#include "data/recipe/recipe.h"
#include "labelsieve/dataset.h"
#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

// The rows of one block. Labels are kept as the list of those that differ from what is absent.
struct ArffPart {
  std::size_t bytes = 0;
  std::vector<float> values;           // dense: all of each row
  std::vector<std::uint32_t> columns;  // sparse: one a value
  std::vector<std::uint64_t> ends;     // sparse: values up to the end of each row
  std::vector<std::uint32_t> flips;
  std::vector<std::uint64_t> flip_ends;  // one per row

  std::size_t rows() const { return flip_ends.size(); }
};

// Turns the text of rows into parts, all dense or all sparse. Safe to use from many threads.
class ArffRowParser {
 public:
  ArffRowParser(const ArffHeader& header, const LabelMask& labels, bool sparse,
                const std::string& path);

  void parse(const TextBlock& block, ArffPart& part) const;

  std::size_t features() const { return features_; }
  std::size_t labels() const { return columns_.size() - features_; }
  // The labels that are on in a row of which nothing is written.
  const std::vector<std::size_t>& labels_on_when_absent() const { return on_when_absent_; }

 private:
  enum class Usual : std::uint8_t { Number, Bit, Other };  // what most values look like
  struct Column {
    std::uint32_t slot;  // among the labels or among the features
    bool label;
    Usual usual;
    float absent;
  };

  // The next of the features that are not 0 when absent.
  using Filler = std::vector<std::pair<std::uint32_t, float>>::const_iterator;

  void parse_dense(ArffLine& line, const char* readable, ArffPart& part) const;
  void parse_sparse(ArffLine& line, ArffPart& part) const;
  void parse_entry(ArffLine& line, std::size_t& next, Filler& filler, ArffPart& part) const;
  void fill_up_to(std::size_t slot, Filler& filler, ArffPart& part) const;
  void check_fill(const ArffLine& line, const ArffPart& part) const;
  float value(ArffLine& line, std::size_t attribute) const;
  float unusual_value(ArffLine& line, std::size_t attribute) const;
  bool flips(ArffLine& line, std::size_t attribute, float value) const;
  std::string attributes() const;  // how many there are, for a message
  [[noreturn]] void refuse(const ArffLine& line, std::size_t column, const std::string& message,
                           const std::string& hint = {}) const;

  const ArffHeader& header_;
  const std::string& path_;
  bool sparse_;
  std::size_t features_ = 0;
  std::size_t leading_numbers_ = 0;  // features before any other column, the last one apart
  std::vector<Column> columns_;
  std::vector<std::size_t> on_when_absent_;
  std::vector<std::pair<std::uint32_t, float>> fill_;
};

const std::string kWeights = "instance weights are not read";

ArffRowParser::ArffRowParser(const ArffHeader& header, const LabelMask& labels, bool sparse,
                             const std::string& path)
    : header_(header), path_(path), sparse_(sparse) {
  std::uint32_t label = 0, feature = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ArffType& type = header.type(i);
    if (labels[i] && type.nominal() && !type.binary)
      throw Error(Failure::Data,
                  "the label '" + header.names[i] + "' has values other than 0 and 1",
                  {path, header.lines[i], 0}, "labels have the type {0,1} or are numbers 0 and 1");
    const float absent = sparse ? type.absent : 0;
    if (labels[i] && absent != 0) on_when_absent_.push_back(label);
    if (!labels[i] && !is_plain_zero(absent)) fill_.emplace_back(feature, absent);
    const bool both_bits = type.binary && type.values.size() == 2;
    const Usual usual = both_bits ? Usual::Bit : type.nominal() ? Usual::Other : Usual::Number;
    columns_.push_back({labels[i] ? label++ : feature++, labels[i], usual, absent});
  }
  features_ = feature;
  while (leading_numbers_ + 1 < columns_.size() && !columns_[leading_numbers_].label &&
         columns_[leading_numbers_].usual == Usual::Number)
    ++leading_numbers_;
}

void ArffRowParser::refuse(const ArffLine& line, std::size_t column, const std::string& message,
                           const std::string& hint) const {
  throw Error(Failure::Data, message, {path_, line.number(), column}, hint);
}

std::string ArffRowParser::attributes() const {
  return std::to_string(columns_.size()) + " attributes";
}

void ArffRowParser::parse(const TextBlock& block, ArffPart& part) const {
  part.bytes = block.text.size();
  std::string_view text = block.text;
  for (std::size_t number = block.first_line; !text.empty(); ++number) {
    ArffLine line(cut_line(text), number);
    line.skip_blanks();
    if (line.at_end()) continue;
    if (line.sees('{') != sparse_)
      refuse(line, 1, sparse_ ? "a dense row among sparse ones" : "a sparse row among dense ones",
             "write all rows the same way");
    if (sparse_)
      parse_sparse(line, part);
    else
      parse_dense(line, block.text.data(), part);
    part.flip_ends.push_back(part.flips.size());
  }
}

inline float ArffRowParser::value(ArffLine& line, std::size_t attribute) const {
  const Usual usual = columns_[attribute].usual;
  float number = 0;
  if (usual == Usual::Bit && line.take_bit(number)) return number;
  if (usual == Usual::Number && line.take_number(number)) return number;
  return unusual_value(line, attribute);
}

void ArffRowParser::parse_dense(ArffLine& line, const char* readable, ArffPart& part) const {
  const std::size_t before = part.values.size();
  part.values.resize(before + leading_numbers_);
  std::size_t first = leading_numbers_;
  if (!line.take_numbers(readable, part.values.data() + before, leading_numbers_)) {
    part.values.resize(before);
    first = 0;
  }
  for (std::size_t i = first; i < columns_.size(); ++i) {
    const float number = value(line, i);
    if (!columns_[i].label)
      part.values.push_back(number);
    else if (flips(line, i, number))
      part.flips.push_back(columns_[i].slot);
    const bool blanks = line.skip_blanks();
    const bool more = line.take(',') || (blanks && !line.at_end());
    line.skip_blanks();
    if (more && line.sees('{')) refuse(line, line.column(), kWeights, "remove them");
    if (more && i + 1 == columns_.size())
      refuse(line, line.column(), "the row has more values than the " + attributes(),
             "check the number of values, and for decimal commas or names with commas");
    if (!more && i + 1 < columns_.size())
      refuse(line, line.column(),
             "the row has " + std::to_string(i + 1) + " values for the " + attributes(),
             "check the number of values; the file may have been cut off");
  }
}

void ArffRowParser::parse_sparse(ArffLine& line, ArffPart& part) const {
  std::size_t next = 0;
  Filler filler = fill_.begin();
  line.take('{');
  line.skip_blanks();
  if (!line.sees('}')) {
    do {
      line.skip_blanks();
      parse_entry(line, next, filler, part);
      line.skip_blanks();
    } while (line.take(','));
  }
  if (!line.take('}'))
    refuse(line, line.column(), "expected , or } in a sparse row",
           "a sparse row looks like {3 0.5, 7 1}; the file may have been cut off");
  fill_up_to(features_, filler, part);
  if (!fill_.empty()) check_fill(line, part);
  part.ends.push_back(part.values.size());
  line.skip_blanks();
  if (line.sees(',')) refuse(line, line.column(), kWeights, "remove them");
  if (!line.at_end()) refuse(line, line.column(), "text after the } of a sparse row");
}

// `next` is the least index that may come.
void ArffRowParser::parse_entry(ArffLine& line, std::size_t& next, Filler& filler,
                                ArffPart& part) const {
  const std::size_t column = line.column();
  std::size_t index = 0;
  if (!line.take_index(index))
    refuse(line, column, "expected the index of an attribute",
           "a sparse row looks like {3 0.5, 7 1}; indices count from 0");
  if (index >= columns_.size())
    refuse(line, column, "the index is out of range: there are " + attributes(),
           "indices count from 0");
  if (index < next)
    refuse(line, column,
           index + 1 == next ? "the index " + std::to_string(index) + " is repeated"
                             : "the indices of a sparse row must ascend",
           "write each index once, in ascending order");
  if (!line.skip_blanks()) refuse(line, line.column(), "expected a blank and a value");
  next = index + 1;
  const float number = value(line, index);
  const std::uint32_t slot = columns_[index].slot;
  if (columns_[index].label) {
    if (flips(line, index, number)) part.flips.push_back(slot);
    return;
  }
  fill_up_to(slot, filler, part);
  if (filler != fill_.end() && filler->first == slot) ++filler;
  if (is_plain_zero(number)) return;
  part.columns.push_back(slot);
  part.values.push_back(number);
}

void ArffRowParser::fill_up_to(std::size_t slot, Filler& filler, ArffPart& part) const {
  for (; filler != fill_.end() && filler->first < slot; ++filler) {
    part.columns.push_back(filler->first);
    part.values.push_back(filler->second);
  }
}

// Entries that no text stands for must not grow out of proportion to the text.
void ArffRowParser::check_fill(const ArffLine& line, const ArffPart& part) const {
  constexpr std::size_t kFree = std::size_t{1} << 20;
  if (part.values.size() <= kFree + 2 * part.bytes) return;
  refuse(line, 1,
         std::to_string(fill_.size()) +
             " nominal attributes are not 0 where a sparse row leaves them out, which would take "
             "far more memory than the file",
         "write dense rows, or list the value 0 first");
}

// Labels only: is it on where it would be off if absent, or the reverse?
bool ArffRowParser::flips(ArffLine& line, std::size_t attribute, float value) const {
  if (value != 0 && value != 1)
    refuse(line, line.column(), "the label '" + header_.names[attribute] + "' is neither 0 nor 1",
           "check which attributes are labels");
  return value != columns_[attribute].absent;
}

float ArffRowParser::unusual_value(ArffLine& line, std::size_t attribute) const {
  const std::size_t column = line.column();
  const bool plain = !line.sees('\'') && !line.sees('"');
  const std::string which = "attribute '" + header_.names[attribute] + "': ";
  std::string scratch;
  const std::optional<std::string_view> text = line.word(",}", scratch);
  if (!text) refuse(line, column, "a quote is not closed", "close it with the same quote");
  if (plain && text->empty()) refuse(line, column, which + "a value is missing");
  if (plain && *text == "?") {
    if (!sparse_ && !columns_[attribute].label) return std::numeric_limits<float>::quiet_NaN();
    refuse(line, column, which + "the value is missing (?)",
           columns_[attribute].label ? "a label is 0 or 1" : "write dense rows, or leave it out");
  }

  const ArffType& type = header_.type(attribute);
  if (!type.nominal()) {
    float number = 0;
    if (parse_float(*text, number)) return number;
    refuse(line, column, which + number_problem(*text));
  }
  const auto found = std::ranges::lower_bound(
      type.values, *text, {}, [](const auto& v) { return std::string_view(v.first); });
  if (found != type.values.end() && found->first == *text) return found->second;
  refuse(line, column,
         which + "'" + std::string(text->substr(0, 40)) + "' is not one of the listed values",
         "the values are listed in line " + std::to_string(header_.lines[attribute]));
}

// Whether the first row is sparse; it is left in place. Refuses a file without rows.
bool first_row_is_sparse(LineSource& source) {
  std::string_view text;
  while (source.next(text)) {
    ArffLine line(text, source.line_number());
    line.skip_blanks();
    if (line.at_end()) continue;
    source.put_back();
    return line.sees('{');
  }
  throw Error(Failure::Data, "there are no rows after @data", {source.name(), 0, 0},
              "the file may have been cut off");
}

// Puts the parts of a file together.
class Table {
 public:
  Table(const ArffRowParser& rows, bool sparse, std::size_t header_bytes, const std::string& path)
      : path_(path), bytes_(header_bytes), absent_(1, rows.labels()), labels_(0, rows.labels()) {
    for (const std::size_t label : rows.labels_on_when_absent()) absent_.set(0, label);
    if (!sparse) {
      features_ = Matrix(0, rows.features());
      return;
    }
    CsrMatrix empty;
    empty.cols = rows.features();
    empty.starts.push_back(0);
    features_ = std::move(empty);
  }

  void add(ArffPart&& part) {
    bytes_ += part.bytes;
    add_labels(part);
    if (features_.is_sparse())
      add_sparse(part);
    else
      add_dense(part);
  }

  Features features_;
  LabelMatrix take_labels() { return std::move(labels_); }

 private:
  void add_labels(const ArffPart& part) {
    const std::size_t before = labels_.rows();
    check_label_budget(before + part.rows(), labels_.labels(), bytes_, path_);
    labels_.resize_rows(before + part.rows());
    std::size_t flip = 0;
    for (std::size_t i = 0; i < part.rows(); ++i) {
      std::ranges::copy(absent_.words(0), labels_.words(before + i).begin());
      for (; flip < part.flip_ends[i]; ++flip)
        labels_.set(before + i, part.flips[flip], !absent_.get(0, part.flips[flip]));
    }
  }
  void add_sparse(const ArffPart& part) {
    CsrMatrix& sparse = features_.sparse();
    const std::uint64_t before = sparse.nonzeros();
    sparse.columns.append(part.columns);
    sparse.values.append(part.values);
    for (const std::uint64_t end : part.ends) sparse.starts.push_back(before + end);
  }
  void add_dense(const ArffPart& part) {
    Matrix& dense = features_.dense();
    const std::size_t before = dense.rows(), width = dense.cols();
    dense.resize_rows(before + part.rows());
    for (std::size_t i = 0; i < part.rows(); ++i)
      std::copy_n(part.values.data() + i * width, width, dense.row(before + i).begin());
  }

  const std::string& path_;
  std::size_t bytes_;
  LabelMatrix absent_, labels_;
};

bool has_gaps(const Features& x) {
  if (x.is_sparse()) return false;
  for (std::size_t i = 0; i < x.rows(); ++i)
    if (std::ranges::any_of(x.dense().row(i), [](float value) { return std::isnan(value); }))
      return true;
  return false;
}

}  // namespace

Likeness looks_like_arff(std::string_view front) {
  const std::string_view line = first_content(front, '%');
  const bool begins =
      same_word(line.substr(0, 9), "@relation") || same_word(line.substr(0, 10), "@attribute");
  return begins ? Likeness::Surely : Likeness::No;
}

RawSet read_arff_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path);
  ArffHeader header = read_arff_header(source);
  const LabelMask mask = arff_labels(header, path, options);
  const bool sparse = first_row_is_sparse(source);
  const ArffRowParser rows(header, mask, sparse, path);
  Table table(rows, sparse, source.bytes_read(), path);
  parse_blocks<ArffPart>(
      source, options.threads, false,
      [&](const TextBlock& block, ArffPart& part) { rows.parse(block, part); },
      [&](ArffPart&& part) { table.add(std::move(part)); });

  RawSet set;
  Dataset& data = set.data;
  std::vector<std::string> label_names;
  for (std::size_t i = 0; i < mask.size(); ++i)
    (mask[i] ? label_names : data.feature_names).push_back(std::move(header.names[i]));
  set_labels(data, table.take_labels(), std::move(label_names), options.role, path);
  if (has_gaps(table.features_))
    set.table = RawTable{data.feature_names, std::move(table.features_.dense()), {}, path};
  else
    data.features = std::move(table.features_);
  return set;
}

}  // namespace sieve
