// Label cells of CSV records, changed in place.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "data/annotations/label_lists.h"
#include "data/csv/csv_cells.h"
#include "data/parts_of_list.h"
#include "data/table_source.h"
#include "data/text/numbers.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

bool is_on(std::string_view cell) {
  float value = 0;
  return same_word(cell, "true") || same_word(cell, "yes") ||
         (parse_float(cell, value) && value == 1);
}

// What a label column says of a label that is on or off.
struct Spelling {
  std::string on, off;
};

constexpr std::array<std::array<std::string_view, 2>, 8> kPairs = {{{"1", "0"},
                                                                    {"true", "false"},
                                                                    {"True", "False"},
                                                                    {"TRUE", "FALSE"},
                                                                    {"yes", "no"},
                                                                    {"Yes", "No"},
                                                                    {"YES", "NO"},
                                                                    {"1.0", "0.0"}}};

// Fills in what the column never says.
void complete(Spelling& own, const Spelling& elsewhere) {
  for (const auto& [on, off] : kPairs) {
    if (own.on == on && own.off.empty() && elsewhere.on != on) own.off = off;
    if (own.off == off && own.on.empty() && elsewhere.off != off) own.on = on;
  }
  if (own.on.empty()) own.on = elsewhere.on.empty() ? "1" : elsewhere.on;
  if (own.off.empty()) own.off = elsewhere.off.empty() ? "0" : elsewhere.off;
}

// A list of labels in a cell: with a mark between them, or as JSON or Python prints it.
class CellList {
 public:
  CellList(const std::string& separator, const std::vector<std::string>& names)
      : separator_(separator), cutter_("", {}) {
    for (std::size_t k = 0; k < names.size(); ++k) number_.emplace(names[k], k);
  }

  // Learns from a list how lists are written.
  void look_at(std::string_view cell) {
    if (is_list_literal(cell)) {
      literal_ = true;
      if (cell.find(", ") != cell.npos) between_ = ", ";
      if (cell.find('"') != cell.npos) quote_ = '"';
      quoted_ |= cell.find_first_of("'\"") != cell.npos;
      numbers_ |= cell.find_first_of("0123456789") != cell.npos;
    } else if (cell.find(separator_ + " ") != cell.npos) {
      spaced_ = true;
    }
  }

  // The list with the labels of a row; as it is where these are its labels already.
  std::string text(std::string_view cell, const LabelMatrix& labels, std::size_t row,
                   const std::vector<std::string>& names) {
    const bool literal = is_list_literal(cell) || (cell.empty() && literal_);
    std::vector<std::string> now, kept;
    const auto take = [&](std::string_view name) {
      if (!name.empty()) now.emplace_back(name);
    };
    if (literal && !cell.empty())
      cutter_.cut(cell, {}, take);
    else if (!literal)
      for_parts(cell, separator_, take);
    std::set<std::size_t> there;
    for (const std::string& name : now)
      if (const auto k = number_.find(name);
          k != number_.end() && labels.get(row, k->second) && there.insert(k->second).second)
        kept.push_back(name);
    bool changed = there.size() != std::set<std::string>(now.begin(), now.end()).size();
    labels.for_each(row, [&](std::size_t k) {
      if (there.contains(k)) return;
      kept.push_back(names[k]);
      changed = true;
    });
    if (!changed) return std::string(cell);
    return literal ? as_literal(kept) : joined(kept, separator_ + (spaced_ ? " " : ""));
  }

 private:
  static std::string joined(const std::vector<std::string>& parts, const std::string& between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
  }
  std::string as_literal(std::vector<std::string> parts) const {
    if (numbers_ && !quoted_) return "[" + joined(parts, between_) + "]";
    for (std::string& part : parts) {
      std::string quoted(1, quote_);
      for (const char c : part) {
        if (c == quote_ || c == '\\') quoted += '\\';
        quoted += c;
      }
      part = quoted + quote_;
    }
    return "[" + joined(parts, between_) + "]";
  }

  std::string separator_;
  LabelCutter cutter_;
  std::map<std::string, std::size_t, std::less<>> number_;
  bool literal_ = false, spaced_ = false, quoted_ = false, numbers_ = false;
  char quote_ = '\'';
  std::string between_ = ",";
};

class CsvEditor final : public RecordEditor {
 public:
  CsvEditor(const TableSource& source, const LabelsOut& labels,
            const std::vector<ColumnBeside>& beside)
      : layout_(source.layout()),
        labels_(labels),
        beside_(beside),
        list_(layout_.separator, *labels.names),
        spellings_(labels.columns.size()) {
    for (std::size_t k = 0; k < layout_.labels.size(); ++k)
      slot_of_.emplace(layout_.labels[k].column, k);
    for (std::size_t row = 0; row < source.rows(); ++row) learn(source.record(row));
    Spelling any;
    for (const Spelling& one : spellings_) {
      if (any.on.empty()) any.on = one.on;
      if (any.off.empty()) any.off = one.off;
    }
    for (Spelling& one : spellings_) complete(one, any);
  }

  std::string names(std::string_view head) override {
    return with_cells(std::string(head), [&](std::string& line) {
      for (const std::string& name : labels_.added_names) add(line, name);
      for (const ColumnBeside& column : beside_) add(line, column.name);
    });
  }

  std::string record(std::string_view text, std::size_t row) override {
    std::string out;
    for_cells(text, [&](std::size_t column, std::string_view raw, std::string_view cell) {
      out += changed(column, raw, cell, row);
    });
    return with_cells(std::move(out), [&](std::string& line) {
      for (const LabelsOut::Column& one : labels_.added)
        add(line, one.matrix->get(row, one.label) ? "1" : "0");
      for (const ColumnBeside& column : beside_) add(line, column.cell(row));
    });
  }

 private:
  // Calls visit(column, raw, cell) for all of a record; raw has the blanks, quotes, delimiter and
  // line end around the cell, so that all raw texts together are the record.
  template <class Visit>
  void for_cells(std::string_view record, const Visit& visit) const {
    const std::string path;
    std::size_t begin = 0;
    while (true) {  // blank lines before it
      const std::size_t end = record.find('\n', begin);
      if (end == record.npos ||
          record.substr(begin, end - begin).find_first_not_of(" \r") != record.npos)
        break;
      begin = end + 1;
    }
    CellCursor cells(record.substr(begin), 1, layout_.delimiter, path);
    const char* from = record.data();
    for (std::size_t column = 0; cells.next(); ++column) {
      visit(column, std::string_view(from, static_cast<std::size_t>(cells.position() - from)),
            cells.cell());
      from = cells.position();
    }
  }

  void learn(std::string_view record) {
    if (slot_of_.empty() && !layout_.list) return;
    for_cells(record, [&](std::size_t column, std::string_view, std::string_view cell) {
      if (layout_.list && layout_.list->column == column) return list_.look_at(cell);
      const auto slot = slot_of_.find(column);
      if (slot == slot_of_.end()) return;
      Spelling& spelling = spellings_[slot->second];
      (is_on(cell) ? spelling.on : spelling.off) = cell;
    });
  }

  std::string changed(std::size_t column, std::string_view raw, std::string_view cell,
                      std::size_t row) {
    if (layout_.list && layout_.list->column == column) {
      const std::string now = list_.text(cell, *labels_.list, row, *labels_.names);
      return now == cell ? std::string(raw) : replaced(raw, now);
    }
    const auto slot = slot_of_.find(column);
    if (slot == slot_of_.end()) return std::string(raw);
    const LabelsOut::Column& wanted = labels_.columns[slot->second];
    const bool on = wanted.matrix->get(row, wanted.label);
    const Spelling& spelling = spellings_[slot->second];
    return on == is_on(cell) ? std::string(raw) : replaced(raw, on ? spelling.on : spelling.off);
  }

  // A cell in the place of another: what is around it stays, quotes too.
  std::string replaced(std::string_view raw, const std::string& text) const {
    const auto is_around = [&](char c) {
      return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == layout_.delimiter;
    };
    std::size_t begin = 0, end = raw.size();
    const bool ended = !raw.empty() && (raw.back() == layout_.delimiter || raw.back() == '\n');
    while (begin + ended < end && is_around(raw[begin]) && raw[begin] != layout_.delimiter) ++begin;
    while (end > begin && is_around(raw[end - 1])) --end;
    std::string cell;
    const bool quoted = end - begin >= 2 && raw[begin] == '"' && raw[end - 1] == '"';
    append_csv_cell(cell, text, layout_.delimiter);
    if (quoted && !cell.starts_with('"')) cell = '"' + cell + '"';
    if (!quoted && text.empty()) cell.clear();
    return std::string(raw.substr(0, begin)) + cell + std::string(raw.substr(end));
  }

  // Adds cells behind the last of a line, before its end.
  template <class Add>
  std::string with_cells(std::string line, const Add& add_cells) const {
    if (labels_.added.empty() && beside_.empty()) return line;
    std::size_t end = line.size();
    if (line.ends_with('\n')) --end;
    if (end > 0 && line[end - 1] == '\r') --end;
    const std::string line_end = line.substr(end);
    line.resize(end);
    add_cells(line);
    return line + line_end;
  }
  void add(std::string& line, std::string_view text) const {
    line += layout_.delimiter;
    if (!text.empty()) append_csv_cell(line, text, layout_.delimiter);
  }

  const SourceLayout& layout_;
  const LabelsOut& labels_;
  const std::vector<ColumnBeside>& beside_;
  CellList list_;
  std::vector<Spelling> spellings_;
  std::map<std::size_t, std::size_t> slot_of_;  // by column
};

}  // namespace

std::size_t end_of_csv_record(std::string_view text, char delimiter, const std::string& path) {
  CellCursor cells(text, 1, delimiter, path);
  while (cells.next()) {
  }
  return static_cast<std::size_t>(cells.position() - text.data());
}

std::unique_ptr<RecordEditor> csv_editor(const TableSource& source, const LabelsOut& labels,
                                         const std::vector<ColumnBeside>& beside) {
  return std::make_unique<CsvEditor>(source, labels, beside);
}

}  // namespace sieve
