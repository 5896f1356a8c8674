#include "data/table_source.h"

#include <algorithm>
#include <utility>

#include "data/label_columns.h"
#include "data/recipe/table.h"
#include "data/text/text_lines.h"

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

const TableSource* source_of(const Dataset& data) {
  return data.cells ? data.cells->source.get() : nullptr;
}

// All files have the same columns, so that rows of any can stand below each other.
bool are_alike(const TableSource& source) {
  return std::ranges::all_of(source.files, [&](const auto& file) {
    return file->layout == source.layout() && file->names() == source.files.front()->names();
  });
}

}  // namespace

std::string_view SourceFile::record(std::size_t i) const {
  const std::size_t begin = i == 0 ? head : ends[i - 1];
  return std::string_view(text).substr(begin, ends[i] - begin);
}

std::shared_ptr<const SourceFile> source_file(std::string text, SourceLayout layout,
                                              const std::string& path, std::size_t rows) {
  auto file = std::make_shared<SourceFile>();
  file->layout = std::move(layout);
  file->path = path;
  file->text = std::move(text);
  const std::string_view all = file->text;
  if (all.starts_with(kByteOrderMark)) file->head = kByteOrderMark.size();
  if (file->layout.header)
    file->head += end_of_record(all.substr(file->head), file->layout, path).value_or(0);
  for (std::size_t at = file->head; file->ends.size() <= rows;) {
    const auto end = end_of_record(all.substr(at), file->layout, path);
    if (!end) break;
    file->ends.push_back(at += *end);
  }
  if (file->ends.size() != rows) return nullptr;
  return file;
}

TableSource::TableSource(std::shared_ptr<const SourceFile> file) {
  for (std::size_t i = 0; i < file->ends.size(); ++i) rows.push_back({0, i});
  files.push_back(std::move(file));
}

TableSource::TableSource(const TableSource& source, std::span<const std::size_t> some)
    : files(source.files) {
  rows.reserve(some.size());
  for (const std::size_t row : some) rows.push_back(source.rows[row]);
}

void TableSource::append(const TableSource& below) {
  const auto before = static_cast<std::uint32_t>(files.size());
  files.insert(files.end(), below.files.begin(), below.files.end());
  for (const Row& row : below.rows) rows.push_back({before + row.file, row.record});
}

std::string_view TableSource::record(std::size_t row) const {
  return files[rows[row].file]->record(rows[row].record);
}

bool write_records(const Dataset& data, OutputStream& out, const WriteOptions& options,
                   const TableWriting& table, SourceLayout::Kind kind) {
  const TableSource* source = source_of(data);
  if (!table.as_read || source == nullptr || source->rows.size() != data.rows()) return false;
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
  std::string text = editor->names(source->files.front()->names());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    text += editor->record(source->record(row), row);
    const TableSource::Row at = source->rows[row];
    const SourceFile& file = *source->files[at.file];
    if (row + 1 == data.rows() && file.is_last(at.record))
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
