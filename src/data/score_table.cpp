#include "labelsieve/data_io.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "data/csv/csv_cells.h"
#include "data/ids.h"
#include "data/text/numbers.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

std::optional<double> number_of(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

// The first line of a table, and what it says about the lines below.
struct Head {
  std::vector<std::string> names{};  // of the labels
  bool with_ids = false;             // a column of ids comes first
  bool numbered = false;             // then one of row numbers
};

bool all_marked(std::span<const std::string> cells) {
  return !cells.empty() && std::ranges::all_of(cells, [](const std::string& cell) {
    return cell.starts_with(kScoreMark);
  });
}

void refuse_best_labels(const std::vector<std::string>& cells, const Place& place) {
  std::span<const std::string> rest = cells;
  if (rest.front() == kIdColumn) rest = rest.subspan(1);
  if (std::ranges::equal(rest, std::array{"row", "rank", "label", "score"}))
    throw Error(Failure::Data, "this lists the best labels, it is not a table of all scores", place,
                "predict with " + term("kind", "scores"));
}

// nullopt: the line is a row of scores.
std::optional<Head> head_of(std::vector<std::string> cells, const std::vector<std::string>& labels,
                            const Place& place) {
  Head head;
  std::span<const std::string> rest = cells;
  head.with_ids = rest.front() == kIdColumn && rest.size() > 1;
  if (head.with_ids) rest = rest.subspan(1);
  head.numbered = rest.front() == kRowColumn && all_marked(rest.subspan(1));
  if (head.numbered) rest = rest.subspan(1);
  if (all_marked(rest)) {
    cells.erase(cells.begin(), cells.end() - static_cast<std::ptrdiff_t>(rest.size()));
    for (std::string& cell : cells) cell.erase(0, kScoreMark.size());
    head.names = std::move(cells);
    return head;
  }
  if (!same_names(cells, labels)) {
    if (std::ranges::all_of(cells, [](const auto& cell) { return number_of(cell).has_value(); }))
      return std::nullopt;
    refuse_best_labels(cells, place);
  }
  return Head{.names = std::move(cells)};
}

class ScoreReader {
 public:
  ScoreReader(InputStream& in, const std::string& path)
      : lines_(in, path), delimiter_(detect_delimiter(lines_.peek())) {}

  ScoreTable read(const std::vector<std::string>& labels) {
    ScoreTable table;
    if (!next()) refuse_empty();
    std::vector<std::string> first = cells_of(line_, first_line(), delimiter_, lines_.name());
    table.values = MatrixD(0, first.size());
    if (std::optional<Head> head = head_of(std::move(first), labels, {lines_.name(), 1, 0})) {
      table.values = MatrixD(0, head->names.size());
      table.names = std::move(head->names);
      with_ids_ = head->with_ids;
      numbered_ = head->numbered;
      if (!next()) refuse_empty();
    }
    do append_row(table);
    while (next());
    check_ids(table.ids, lines_.name());
    return table;
  }

 private:
  // The next line that is not blank.
  bool next() {
    while (lines_.next(line_, true))
      if (!trimmed(line_).empty()) return true;
    return false;
  }
  std::size_t first_line() const {
    return lines_.line_number() - static_cast<std::size_t>(std::ranges::count(line_, '\n'));
  }
  [[noreturn]] void refuse_empty() const {
    throw Error(Failure::Data, "there are no rows of scores", {lines_.name(), 0, 0});
  }

  void append_row(ScoreTable& table) {
    CellCursor cells(line_, first_line(), delimiter_, lines_.name());
    MatrixD& values = table.values;
    const std::size_t row = values.rows();
    if (with_ids_) {
      cells.next();
      table.ids.emplace_back(cells.cell());
    }
    if (numbered_) check_row_number(cells, row);
    values.resize_rows(row + 1);
    std::size_t count = 0;
    for (; cells.next(); ++count)
      if (count < values.cols()) values(row, count) = score(cells);
    if (count != values.cols())
      throw Error(
          Failure::Data,
          std::to_string(count) + " scores here for " + std::to_string(values.cols()) + " columns",
          {lines_.name(), first_line(), 0}, "every line needs one number for each column");
  }
  void check_row_number(CellCursor& cells, std::size_t row) const {
    cells.next();
    if (number_of(cells.cell()) != static_cast<double>(row))
      throw Error(
          Failure::Data,
          "row '" + std::string(cells.cell().substr(0, 40)) + "' stands where row " +
              std::to_string(row) + " belongs",
          cells.place(),
          "rows count from 0; none may be missing, repeated or moved; write the scores again");
  }
  static double score(const CellCursor& cells) {
    const std::optional<double> number = number_of(cells.cell());
    if (!number || !std::isfinite(*number))
      throw Error(Failure::Data, number_problem(cells.cell()), cells.place(),
                  "scores must be finite numbers");
    return *number;
  }

  LineSource lines_;
  char delimiter_;
  std::string_view line_;
  bool with_ids_ = false, numbered_ = false;
};

}  // namespace

ScoreTable read_score_table(const std::string& path, const std::vector<std::string>& labels,
                            FileSystem& files) {
  const auto in = open_unpacked(files, path);
  return ScoreReader(*in, path).read(labels);
}

}  // namespace sieve
