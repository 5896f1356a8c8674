#include "data/csv/csv_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "data/annotations/label_lists.h"
#include "data/csv/csv_cells.h"
#include "data/parts_of_list.h"
#include "data/text/numbers.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {

using Kind = CsvColumns::Kind;

void LabelLists::append(const LabelLists& below) {
  std::vector<std::uint32_t> translated;
  for (const std::string& name : below.names_.names()) translated.push_back(names_.number(name));
  const std::size_t before = numbers_.size();
  for (const std::uint32_t number : below.numbers_) numbers_.push_back(translated[number]);
  for (const std::size_t end : below.row_ends_) row_ends_.push_back(before + end);
}

std::vector<std::string> LabelLists::sorted_names() const {
  std::vector<std::string> names = names_.names();
  std::ranges::sort(names);
  return names;
}

LabelMatrix LabelLists::matrix(const std::vector<std::string>& names) const {
  NameIndex column;
  for (const std::string& name : names) column.number(name);
  std::vector<std::size_t> column_of;
  for (const std::string& name : names_.names()) column_of.push_back(column.number(name));
  LabelMatrix labels(rows(), names.size());
  for (std::size_t i = 0, k = 0; i < rows(); ++i)
    for (; k < row_ends_[i]; ++k) labels.set(i, column_of[numbers_[k]]);
  return labels;
}

std::vector<bool> mask_of_features(const CsvColumns& columns, bool all) {
  std::vector<bool> mask(columns.features, all);
  for (const CsvColumns::Run& run : columns.runs)
    for (std::size_t k = 0; k < run.count && run.kind == Kind::Text; ++k)
      mask[run.first + k] = true;
  return mask;
}

MixedColumns mixed_columns(const CsvColumns& columns, const Matrix& numbers, std::size_t first,
                           std::size_t last, const CellTexts& texts) {
  const std::vector<bool> is_text = mask_of_features(columns, false);
  MixedColumns out{std::vector<bool>(columns.features), std::vector<bool>(columns.features)};
  texts.for_each([&](const CellTexts::Cell& cell, std::string_view) {
    out.mixed[cell.column] = !is_text[cell.column];
  });
  for (std::size_t k = 0; k < columns.features; ++k) {
    std::size_t row = first;
    while (row < last && std::isnan(numbers(row, k))) ++row;
    const bool has_numbers = row < last && !is_text[k];
    out.only_numbers[k] = has_numbers && !out.mixed[k];
    out.mixed[k] = has_numbers && out.mixed[k];
    out.any = out.any || out.mixed[k];
  }
  return out;
}

namespace {

// What one block of text gave beside what it wrote into the table.
struct BlockRows {
  std::size_t first = 0, room = 0;  // the rows of the table set aside for the block
  std::size_t count = 0;
  LabelLists lists;
  std::vector<std::string> ids;
  std::vector<std::size_t> minus_ones;
  CellTexts texts;  // rows count from the first of the block, also in the next and the spellings
  CellTexts left_out;
  bool has_gaps = false;
  Spellings spellings;
  std::vector<bool> unspelled;
};

// Parses one block. A row is first read by the fast way, which takes plain numbers and 0/1 and
// knows no errors; where that gives up, the careful way reads the row again.
class BlockParser {
 public:
  // The spellings of numbers are kept of the features in `spelled`; it may be empty.
  BlockParser(const CsvLayout& layout, const TextBlock& block, CsvTable& table, BlockRows& out,
              std::vector<bool> spelled)
      : layout_(layout),
        columns_(layout.columns),
        begin_(block.text.data()),
        end_(begin_ + block.text.size()),
        line_(block.first_line),
        table_(table),
        out_(out),
        spelled_(std::move(spelled)) {}

  void parse() {
    for (const char* p = begin_; p != end_;) {
      if (const char* next = after_blank_line(p)) {
        p = next;
        ++line_;
        continue;
      }
      const char* next = out_.count < out_.room ? fast_row(p) : nullptr;
      if (next != nullptr) {
        if (!spelled_.empty()) keep_spellings(p);
        ++line_;
      } else {
        next = careful_row(p);
      }
      p = next;
      ++out_.count;
      if (columns_.has_list) out_.lists.add_row();
      if (columns_.has_ids) out_.ids.emplace_back(id_);
    }
  }

 private:
  const char* after_blank_line(const char* p) const {
    while (p != end_ && (*p == ' ' || *p == '\r')) ++p;
    if (p == end_) return p;
    return *p == '\n' ? p + 1 : nullptr;
  }

  // Behind the row at p, or null if it holds anything unusual.
  const char* fast_row(const char* p) {
    if (columns_.has_list || columns_.has_text || !layout_.marks.plain()) return nullptr;
    const std::size_t row = out_.first + out_.count;
    for (const CsvColumns::Run& run : columns_.runs) {
      const bool last = &run == &columns_.runs.back();
      if (run.kind == Kind::Ignored || run.kind == Kind::LeftOut) return nullptr;
      p = run.kind == Kind::Feature ? fast_features(p, row, run, last)
          : run.kind == Kind::Id    ? fast_id(p, last)
                                    : fast_labels(p, row, run, last);
      if (p == nullptr) return nullptr;
    }
    return p;
  }
  const char* fast_features(const char* p, std::size_t row, const CsvColumns::Run& run, bool last) {
    float* values = table_.features.row(row).data() + run.first;
    const std::size_t inner = run.count - last;
    p = scan_floats(begin_, p, end_, layout_.delimiter, values, inner);
    if (p == nullptr || !last) return p;
    return scan_floats(begin_, p, end_, '\n', values + inner, 1);
  }
  const char* fast_labels(const char* p, std::size_t row, const CsvColumns::Run& run, bool last) {
    if (static_cast<std::size_t>(end_ - p) < 2 * run.count) return nullptr;
    std::uint64_t* words = table_.labels.words(row).data();
    for (std::size_t k = 0; k < run.count; ++k, p += 2) {
      const auto value = static_cast<unsigned char>(p[0] - '0');
      const char behind = last && k + 1 == run.count ? '\n' : layout_.delimiter;
      if (value > 1 || p[1] != behind) return nullptr;
      words[(run.first + k) / 64] |= std::uint64_t{value} << ((run.first + k) % 64);
    }
    return p;
  }

  const char* fast_id(const char* p, bool last) {
    const char behind = last ? '\n' : layout_.delimiter;
    const char* to = p;
    while (to != end_ && *to != behind && *to != '\n' && *to != '"' && *to != layout_.delimiter)
      ++to;
    if (to == end_ || *to != behind || to == p) return nullptr;
    id_.assign(p, to);
    const bool plain = trimmed(id_).size() == id_.size() && !id_.ends_with('\r');
    return plain ? to + 1 : nullptr;
  }

  // Of a row that was read the fast way: every cell ends at a delimiter, and there are no quotes.
  void keep_spellings(const char* p) {
    const float* numbers = table_.features.row(out_.first + out_.count).data();
    for (const CsvColumns::Run& run : columns_.runs)
      for (std::size_t k = run.first; k < run.first + run.count; ++k) {
        const char* to = p;
        while (*to != layout_.delimiter && *to != '\n') ++to;
        if (run.kind == Kind::Feature)
          keep_spelling(k, {p, static_cast<std::size_t>(to - p)}, numbers[k]);
        p = to + 1;
      }
  }
  void keep_spelling(std::size_t index, std::string_view cell, float number) {
    if (!spelled_.empty() && spelled_[index] && !is_spelling_of(cell, number))
      out_.spellings.add(out_.count, index, cell);
  }

  // Behind the row at p; throws Error(Data) at what is wrong with it.
  const char* careful_row(const char* p) {
    const std::string_view text(p, static_cast<std::size_t>(end_ - p));
    check_cell_count(CellCursor(text, line_, layout_.delimiter, layout_.path));
    // A row that is not valid may lie beyond the room of the block.
    features_.resize(columns_.features);
    labels_.assign(columns_.has_list ? 0 : columns_.labels, false);
    CellCursor cells(text, line_, layout_.delimiter, layout_.path);
    std::size_t column = 0;
    for (const CsvColumns::Run& run : columns_.runs)
      for (std::size_t k = 0; k < run.count; ++k, ++column) {
        cells.next();
        take_cell(cells, run.kind, run.first + k, column);
      }
    line_ = cells.line();
    store_row();
    return cells.position();
  }
  void check_cell_count(CellCursor cells) const {
    std::size_t found = 0;
    while (cells.next()) ++found;
    if (found != columns_.count)
      throw Error(Failure::Data,
                  "this row has " + std::to_string(found) + (found == 1 ? " field" : " fields") +
                      ", but " + std::to_string(columns_.count) + " were expected",
                  {layout_.path, line_, 0},
                  "every row needs as many fields as the first; check the delimiter and quotes");
  }
  void take_cell(const CellCursor& cells, Kind kind, std::size_t index, std::size_t column) {
    if (kind == Kind::Feature || kind == Kind::Text) {
      take_feature(cells, kind == Kind::Text, index, column);
    } else if (kind == Kind::Label) {
      labels_[index] = label_value(cells, index, column);
    } else if (kind == Kind::Id) {
      if (cells.cell().empty()) refuse("no id", cells, column, "every row needs an id of its own");
      id_ = cells.cell();
    } else if (kind == Kind::LabelList) {
      take_list(cells.cell(), cells.place());
    } else if (kind == Kind::LeftOut && !cells.cell().empty()) {
      out_.left_out.add(out_.count, index, cells.place(), cells.cell());
    }
  }
  void take_feature(const CellCursor& cells, bool is_text, std::size_t index, std::size_t column) {
    const std::string_view cell = cells.cell();
    if (!is_text && layout_.marks.parse(cell, features_[index]))
      return keep_spelling(index, cell, features_[index]);
    if (layout_.only_numbers)
      refuse(
          number_problem(cell), cells, column,
          is_missing(cell)
              ? "features must be finite numbers: fill in or drop missing values first"
              : "features must be finite numbers: correct the cell, or leave the column out with " +
                    term("table.ignore"));
    features_[index] = std::numeric_limits<float>::quiet_NaN();
    out_.has_gaps = true;
    if (!is_missing(cell)) out_.texts.add(out_.count, index, cells.place(), cell);
  }
  bool label_value(const CellCursor& cells, std::size_t index, std::size_t column) {
    const std::string_view cell = cells.cell();
    float value = 0;
    if (same_word(cell, "true") || same_word(cell, "yes")) return true;
    if (same_word(cell, "false") || same_word(cell, "no")) return false;
    if (!parse_float(cell, value)) refuse(number_problem(cell), cells, column, kLabelHint);
    if (value != 0 && value != 1 && value != -1)
      refuse("'" + std::string(cell.substr(0, 40)) + "' is not a label value", cells, column,
             kLabelHint);
    if (value == -1) {
      out_.minus_ones.resize(columns_.labels);
      ++out_.minus_ones[index];
    }
    return value == 1;
  }
  // With separators, or as JSON or Python prints a list.
  void take_list(std::string_view list, const Place& place) {
    const auto take = [&](std::string_view name) {
      if (!name.empty()) out_.lists.add_label(name);
    };
    if (!is_list_literal(list)) return for_parts(list, layout_.separator, take);
    if (!cutter_) cutter_.emplace("", std::vector<std::string>());
    cutter_->cut(list, place, take);
  }
  void store_row() {
    if (out_.count >= out_.room) throw Error(Failure::Internal, "a row too many in a block of CSV");
    const std::size_t row = out_.first + out_.count;
    std::ranges::copy(features_, table_.features.row(row).begin());
    for (std::size_t k = 0; k < labels_.size(); ++k) table_.labels.set(row, k, labels_[k]);
  }
  [[noreturn]] void refuse(const std::string& problem, const CellCursor& cells, std::size_t column,
                           const std::string& hint) const {
    throw Error(Failure::Data, problem + " in " + columns_.describe(column), cells.place(), hint);
  }

  static constexpr const char* kLabelHint =
      "labels must be 0 or 1, true or false, yes or no, or 1 and -1";

  const CsvLayout& layout_;
  const CsvColumns& columns_;
  const char *begin_, *end_;
  std::size_t line_;
  CsvTable& table_;
  BlockRows& out_;
  std::vector<float> features_;
  std::vector<bool> labels_;
  std::string id_;  // of the row
  std::optional<LabelCutter> cutter_;
  std::vector<bool> spelled_;
};

// Parses a block into the rows that were set aside for it. Which columns hold text beside numbers
// is known at its end; it is then read again for their spellings.
void parse_rows(const CsvLayout& layout, const TextBlock& block, CsvTable& table, BlockRows& out) {
  std::vector<bool> spelled;
  if (layout.spellings == KeepSpellings::All) spelled = mask_of_features(layout.columns, true);
  BlockParser(layout, block, table, out, std::move(spelled)).parse();
  if (layout.spellings != KeepSpellings::BesideText) return;
  MixedColumns found =
      mixed_columns(layout.columns, table.features, out.first, out.first + out.count, out.texts);
  if (found.any) {
    BlockRows again;
    again.first = out.first;
    again.room = out.room;
    out = std::move(again);
    BlockParser(layout, block, table, out, std::move(found.mixed)).parse();
  }
  out.unspelled = std::move(found.only_numbers);
}

// Sets rows of the table aside for each block: one per line, but no more than its bytes can hold (a
// cell takes one byte at least), whatever blank lines there are.
void make_room(CsvTable& table, std::span<const TextBlock> blocks, std::size_t columns,
               std::vector<BlockRows>& parts) {
  std::size_t rows = table.rows();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    parts[i].first = rows;
    parts[i].room = std::min(blocks[i].lines, (blocks[i].text.size() + 1) / columns);
    rows += parts[i].room;
  }
  table.features.resize_rows(rows);
  table.labels.resize_rows(rows);
}

// Closes the gaps that blank lines left and takes in what the blocks found beside.
void close_gaps(CsvTable& table, std::size_t rows, std::vector<BlockRows>& parts) {
  for (BlockRows& part : parts) {
    if (part.first != rows)
      for (std::size_t i = 0; i < part.count; ++i) {
        std::ranges::copy(table.features.row(part.first + i), table.features.row(rows + i).begin());
        std::ranges::copy(table.labels.words(part.first + i), table.labels.words(rows + i).begin());
      }
    rows += part.count;
    table.lists.append(part.lists);
    std::ranges::move(part.ids, std::back_inserter(table.ids));
    table.texts.append(part.texts, rows - part.count);
    table.left_out.append(part.left_out, rows - part.count);
    table.has_gaps |= part.has_gaps;
    table.spellings.append(std::move(part.spellings), rows - part.count);
    join_masks(table.unspelled, part.unspelled);
    if (table.minus_ones.size() < part.minus_ones.size())
      table.minus_ones.resize(part.minus_ones.size());
    for (std::size_t k = 0; k < part.minus_ones.size(); ++k)
      table.minus_ones[k] += part.minus_ones[k];
  }
  table.features.resize_rows(rows);
  table.labels.resize_rows(rows);
}

}  // namespace

void parse_csv_block(const CsvLayout& layout, const TextBlock& block, CsvTable& table) {
  const std::size_t before = table.rows();
  std::vector<BlockRows> part(1);
  make_room(table, {&block, 1}, layout.columns.count, part);
  parse_rows(layout, block, table, part.front());
  close_gaps(table, before, part);
}

bool CsvRowReader::append_to(CsvTable& table) {
  if (!rounds_.next()) return false;
  const std::size_t before = table.rows();
  std::vector<BlockRows> parts(rounds_.blocks().size());
  make_room(table, rounds_.blocks(), layout_.columns.count, parts);
  rounds_.parse([&](std::size_t i) { parse_rows(layout_, rounds_.blocks()[i], table, parts[i]); });
  close_gaps(table, before, parts);
  return true;
}

}  // namespace sieve
