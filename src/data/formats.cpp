#include "data/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/named_rows.h"
#include "data/duckdb/duckdb_library.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

// The last extension, lower case, with a final .gz set aside.
std::string extension(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos ? "" : name.substr(dot);
}

// Recognised even where nothing can read it.
Likeness looks_like_mat(std::string_view front) {
  constexpr std::string_view hdf5 = "\x89HDF\r\n\x1a\n";
  const bool level73 =
      front.starts_with(hdf5) || (front.size() > 512 && front.substr(512).starts_with(hdf5));
  return level73 || front.starts_with("MATLAB ") ? Likeness::Surely : Likeness::No;
}

const FormatRow* first_that_is(Likeness wanted, std::string_view front) {
  for (const FormatRow& row : all_formats())
    if (row.looks_like(front) == wanted) return &row;
  return nullptr;
}

}  // namespace

const std::vector<FormatRow>& all_formats() {
  static const std::vector<FormatRow> table = {
      {.name = "arff",
       .extensions = {".arff"},
       .looks_like = looks_like_arff,
       .read_raw = read_arff_raw,
       .write = write_arff,
       .beside = ".xml",
       .write_beside = write_arff_labels},
      {.name = "libsvm",
       .extensions = {".svm", ".libsvm"},
       .looks_like = looks_like_libsvm,
       .read = read_libsvm,
       .stream = read_libsvm_features,
       .write = write_libsvm,
       .holds = {.both_labels = false, .label_names = false, .feature_names = false}},
      {.name = "jsonl",
       .extensions = {".jsonl", ".ndjson"},
       .looks_like = looks_like_jsonl,
       .read_raw = read_jsonl_raw,
       .stream = read_jsonl_features,
       .write_table = write_jsonl,
       .holds = {.sparse = false, .ids = true, .cells = true}},
      {.name = "csv",
       .extensions = {".csv", ".tsv"},
       .looks_like = looks_like_csv,
       .read_raw = read_csv_raw,
       .stream = read_csv_features,
       .blocks = read_csv_blocks,
       .write_table = write_csv,
       .holds = {.sparse = false, .ids = true, .cells = true}},
      {.name = "xlsx",
       .extensions = {".xlsx"},
       .looks_like = looks_like_xlsx,
       .read_raw = read_xlsx_raw,
       .stream = read_xlsx_features,
       .write_table = write_xlsx,
       .holds = {.sparse = false, .ids = true, .cells = true}},
      {.name = "parquet",
       .extensions = {".parquet"},
       .looks_like = looks_like_parquet,
       .read_raw = read_duckdb_raw,
       .stream = read_duckdb_features,
       .write_table = write_parquet,
       .holds = {.sparse = false, .ids = true, .cells = true},
       .problem = DuckDb::problem},
      {.name = "mat",
       .extensions = {".mat"},
       .looks_like = looks_like_mat,
       .read = read_mat,
       .stream = read_mat_features,
       .write = write_mat},
      {.name = "numpy",
       .extensions = {".npz", ".npy"},
       .looks_like = looks_like_numpy,
       .read_raw = read_numpy_raw,
       .stream = read_numpy_features,
       .write = write_numpy,
       .holds = {.ids = true}},
      {.name = "binary",
       .extensions = {".sieve"},
       .looks_like = looks_like_binary,
       .read = read_binary,
       .write = write_binary,
       .holds = {.ids = true, .votes = true}},
  };
  return table;
}

void write_as(const FormatRow& format, const Dataset& data, OutputStream& out,
              const WriteOptions& options, const TableWriting& table) {
  if (format.write_table != nullptr) return format.write_table(data, out, options, table);
  format.write(data, out, options);
}

const FormatRow& format_row(const std::string& name) {
  // What its files end in is what people call it.
  return row_named(all_formats(), name == "sieve" ? "binary" : name, "format");
}

const FormatRow& detect_format(std::string_view front, const std::string& path) {
  if (const FormatRow* row = first_that_is(Likeness::Surely, front)) return *row;
  if (const std::string named = format_of_name(path); !named.empty()) return format_row(named);
  if (const FormatRow* row = first_that_is(Likeness::Perhaps, front)) return *row;
  throw Error(Failure::Data, "cannot tell the format from the content or the name", {path, 0, 0},
              fmt::format("say it with {}: {}", term("format"), fmt::join(format_names(), ", ")));
}

std::string all_extensions() {
  std::vector<std::string> all;
  for (const FormatRow& row : all_formats())
    all.insert(all.end(), row.extensions.begin(), row.extensions.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<std::string> format_names() {
  return names_of(all_formats());
}

std::string format_of_name(const std::string& path) {
  const std::string ending = extension(path);
  for (const FormatRow& row : all_formats())
    if (std::ranges::find(row.extensions, ending) != row.extensions.end()) return row.name;
  return {};
}

std::string extension_of(const std::string& format) {
  return format_row(format).extensions.front();
}

}  // namespace sieve
