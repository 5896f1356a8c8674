#include "data/table_source.h"

#include <algorithm>
#include <utility>

#include "base/streams.h"
#include "data/label_columns.h"
#include "data/recipe/table.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// As the readers see it: a tab may separate empty cells.
bool is_blank(std::string_view line, SourceLayout::Kind kind) {
  const bool csv = kind == SourceLayout::Kind::Csv;
  return line.find_first_not_of(csv ? " \r\n" : " \t\r\n") == line.npos;
}

std::size_t end_of_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == text.npos ? text.size() : end + 1;
}

// The end of the record that `text` begins with, behind blank lines; nullopt if there is none.
std::optional<std::size_t> end_of_record(std::string_view text, const SourceLayout& layout,
                                         const std::string& path) {
  std::size_t at = 0;
  for (std::size_t end = 0; at < text.size(); at = end) {
    end = at + end_of_line(text.substr(at));
    if (!is_blank(text.substr(at, end - at), layout.kind)) break;
  }
  if (at >= text.size()) return std::nullopt;
  text.remove_prefix(at);
  return at + (layout.kind == SourceLayout::Kind::Csv
                   ? end_of_csv_record(text, layout.delimiter, path)
                   : end_of_line(text));
}

std::size_t find(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Which matrix each column of the file is to hold; nullopt where the file cannot hold the labels.
std::optional<LabelsOut> labels_out(const Dataset& data, const SourceLayout& layout,
                                    const LabelColumnsOut& wanted) {
  const bool both = wanted.matrices.size() == 2;
  LabelsOut out{.names = &data.label_names};
  std::vector<bool> has(data.labels());
  bool truth = false, candidates = false;
  for (const std::string& name : layout.label_names) {
    const bool is_truth = name.starts_with("truth:"), is_candidate = name.starts_with("candidate:");
    const std::size_t mark = is_truth ? 6 : is_candidate ? 10 : name.starts_with("label:") ? 6 : 0;
    const std::size_t label = find(data.label_names, std::string_view(name).substr(mark));
    if (label == data.labels()) return std::nullopt;
    truth |= is_truth;
    candidates |= is_candidate;
    has[label] = true;
    out.columns.push_back({is_truth ? wanted.matrices.back() : wanted.matrices.front(), label});
  }
  if (both != (truth && candidates) && (both || !(truth && candidates))) return std::nullopt;
  if (layout.list) {
    out.list = wanted.matrices.front();
    return out;
  }
  for (std::size_t label = 0; label < data.labels(); ++label) {
    if (has[label]) continue;
    out.added.push_back({wanted.matrices.front(), label});
    out.added_names.push_back("label:" + data.label_names[label]);
  }
  return out;
}

[[noreturn]] void refuse_changed(const std::string& path) {
  throw Error(Failure::Data, "the file has changed since it was read", {path, 0, 0},
              "run the command again");
}

// All files have the same columns, so that rows of any can stand below each other.
bool are_alike(const TableSource& source) {
  return source.files().size() == 1 || std::ranges::all_of(source.files(), [&](const auto& file) {
           return file->layout() == source.layout() &&
                  file->text().names() == source.files().front()->text().names();
         });
}

}  // namespace

std::string_view SourceText::record(std::size_t i) const {
  const std::size_t begin = i == 0 ? head : ends[i - 1];
  return std::string_view(text).substr(begin, ends[i] - begin);
}

SourceFile::SourceFile(SourceLayout layout, std::size_t rows, Origin origin)
    : layout_(std::move(layout)), rows_(rows), origin_(std::move(origin)) {}

const SourceText& SourceFile::text() const {
  if (text_) return *text_;
  auto read = std::make_shared<SourceText>();
  read->text = origin_.text();
  const std::string_view all = read->text;
  if (all.starts_with(kByteOrderMark)) read->head = kByteOrderMark.size();
  if (layout_.header)
    read->head += end_of_record(all.substr(read->head), layout_, path()).value_or(0);
  for (std::size_t at = read->head; read->ends.size() <= rows_;) {
    const auto end = end_of_record(all.substr(at), layout_, path());
    if (!end) break;
    read->ends.push_back(at += *end);
  }
  if (read->ends.size() != rows_) refuse_changed(path());
  text_ = std::move(read);
  return *text_;
}

std::function<std::string()> unchanged(const std::string& path, std::string stamp,
                                       FileSystem& files, std::function<std::string()> read) {
  return [path, stamp = std::move(stamp), &files, read = std::move(read)] {
    if (files.stamp(path) != stamp) refuse_changed(path);
    return read();
  };
}

TableSource::TableSource(std::shared_ptr<const SourceFile> file) : files_{std::move(file)} {}

ColumnTypes TableSource::types() const {
  ColumnTypes all = files_.front()->types();
  for (const auto& file : files_)
    std::erase_if(all, [&](const auto& one) {
      const auto other = file->types().find(one.first);
      return other == file->types().end() || other->second != one.second;
    });
  return all;
}

std::string TableSource::ending() const {
  const SourceFile& first = *files_.front();
  const std::size_t size = unpacked_name(first.path()).size();
  return (layout().delimiter == '\t' ? ".tsv" : extension_of(first.format())) +
         first.path().substr(size);
}

TableSource::TableSource(const TableSource& source, std::span<const std::size_t> some)
    : files_(source.files_), whole_(false) {
  rows_.reserve(some.size());
  for (const std::size_t row : some) rows_.push_back(source.at(row));
}

void TableSource::append(const TableSource& below) {
  const auto before = static_cast<std::uint32_t>(files_.size());
  if (!whole_ || !below.whole_) list_rows();
  files_.insert(files_.end(), below.files_.begin(), below.files_.end());
  if (whole_) return;
  for (std::size_t row = 0; row < below.rows(); ++row) {
    const Row at = below.at(row);
    rows_.push_back({before + at.file, at.record});
  }
}

std::size_t TableSource::rows_of_files() const {
  std::size_t rows = 0;
  for (const auto& file : files_) rows += file->rows();
  return rows;
}

void TableSource::list_rows() {
  if (!whole_) return;
  std::vector<Row> rows;
  for (std::size_t row = 0; row < rows_of_files(); ++row) rows.push_back(at(row));
  rows_ = std::move(rows);
  whole_ = false;
}

TableSource::Row TableSource::at(std::size_t row) const {
  if (!whole_) return rows_[row];
  std::uint32_t file = 0;
  while (row >= files_[file]->rows()) row -= files_[file++]->rows();
  return {file, static_cast<std::uint32_t>(row)};
}

const TableSource* source_of(const Dataset& data) {
  return data.cells ? data.cells->source.get() : nullptr;
}

ColumnTypes column_types(const Dataset& data) {
  const TableSource* source = source_of(data);
  return source != nullptr ? source->types() : ColumnTypes();
}

TableWriting for_typed_cells(const Dataset& data, TableWriting table) {
  if (data.cells && !data.cells->marks.plain() && column_types(data).empty()) table.as_read = false;
  return table;
}

bool write_records(const Dataset& data, OutputStream& out, const WriteOptions& options,
                   const TableWriting& table, SourceLayout::Kind kind) {
  const TableSource* source = source_of(data);
  if (!table.as_read || source == nullptr || source->rows() != data.rows()) return false;
  const SourceLayout& layout = source->layout();
  const bool other_layout = layout.kind != kind || !options.label_column.empty() ||
                            options.labels != WriteOptions::Labels::All ||
                            (options.delimiter != 0 && options.delimiter != layout.delimiter);
  if (other_layout || data.ids.empty() != layout.id_column.empty() || !are_alike(*source))
    return false;
  const std::optional<LabelsOut> labels =
      labels_out(data, layout, label_columns_to_write(data, options));
  const bool adds = labels && (!labels->added.empty() || !table.beside.empty());
  if (!labels || (adds && kind == SourceLayout::Kind::Csv && !layout.header)) return false;
  const auto editor = kind == SourceLayout::Kind::Csv ? csv_editor(*source, *labels, table.beside)
                                                      : json_editor(*source, *labels, table.beside);
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text = editor->names(source->files().front()->text().names());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const SourceText& file = source->text(row);
    const std::size_t record = source->at(row).record;
    text += editor->record(file.record(record), row);
    if (row + 1 == data.rows() && record + 1 == file.ends.size())
      text += file.tail();
    else if (!text.ends_with('\n'))
      text += '\n';
    if (text.size() < kPiece) continue;
    out.write(text);
    text.clear();
  }
  out.write(text);
  return true;
}

std::string id_column_to_write(const Dataset& data, const TableWriting& table) {
  const TableSource* source = table.as_read ? source_of(data) : nullptr;
  const bool named = source != nullptr && !source->layout().id_column.empty();
  return named ? source->layout().id_column : std::string(kIdColumn);
}

}  // namespace sieve
