#include "data/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/named_rows.h"
#include "data/duckdb/duckdb_query.h"
#include "data/zip_members.h"
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

namespace {

struct ForeignFormat {
  std::string_view magic;
  const char* what;
  const char* hint;  // {} stands for the path
};

constexpr std::array kForeignFormats = {
    ForeignFormat{"ARROW1", "this is an Arrow or Feather file, which cannot be read",
                  "convert it: python3 -c \"import pandas; "
                  "pandas.read_feather('{}').to_csv('data.csv', index=False)\""},
    ForeignFormat{"SQLite format 3", "this is an SQLite database, not a data set",
                  "export the table as CSV: sqlite3 -csv -header '{}' 'select * from TABLE'"},
    ForeignFormat{"SIEVEMDL", "this is a LabelSieve model, not a data set",
                  "name a data file; for predictions, the model comes first, then the data"},
    ForeignFormat{"SIEVECKP", "this is a checkpoint of LabelSieve, not a data set",
                  "name a data file"},
    ForeignFormat{"\x80\x02", "this is a Python pickle, which cannot be read without running code",
                  "save the array with numpy.save, or the table as CSV"},
    ForeignFormat{"\x80\x03", "this is a Python pickle, which cannot be read without running code",
                  "save the array with numpy.save, or the table as CSV"},
    ForeignFormat{"\x80\x04", "this is a Python pickle, which cannot be read without running code",
                  "save the array with numpy.save, or the table as CSV"},
    ForeignFormat{"\x80\x05", "this is a Python pickle, which cannot be read without running code",
                  "save the array with numpy.save, or the table as CSV"},
    ForeignFormat{"\xFF\xFE", "this is UTF-16 text",
                  "save it as UTF-8: iconv -f UTF-16 -t UTF-8 '{}' > utf8.csv"},
    ForeignFormat{"\xFE\xFF", "this is UTF-16 text",
                  "save it as UTF-8: iconv -f UTF-16 -t UTF-8 '{}' > utf8.csv"},
    ForeignFormat{"%PDF-", "this is a PDF document, not a data set", "export the table as CSV"},
    ForeignFormat{"BZh", "this is packed with bzip2", "unpack it first: bunzip2 -k '{}'"},
    ForeignFormat{"\xFD"
                  "7zXZ",
                  "this is packed with xz", "unpack it first: xz -dk '{}'"},
    ForeignFormat{"\x28\xB5\x2F\xFD", "this is packed with Zstandard",
                  "unpack it first: zstd -d '{}'"},
};

// What programs for offices write: a ZIP file, recognised by the names of its members.
struct OfficeFile {
  std::string_view member;  // begins with this
  const char* what;
  const char* hint;
};

constexpr std::array kOfficeFiles = {
    OfficeFile{"word/", "this is a Word document, not a data set", "save the table as CSV"},
    OfficeFile{"ppt/", "this is a PowerPoint presentation, not a data set",
               "save the table as CSV"},
    OfficeFile{"mimetypeapplication/vnd.oasis.opendocument",
               "this is an OpenDocument file, which cannot be read",
               "save the sheet as .xlsx or as CSV"},
};

// Whether one of the members that begin in `front` has a name (and content) that begins so.
bool has_member(std::string_view front, std::string_view name) {
  constexpr std::size_t kNameAt = 30;
  for (std::size_t at = front.find(kZipMark); at != front.npos; at = front.find(kZipMark, at + 1))
    if (front.substr(std::min(at + kNameAt, front.size())).starts_with(name)) return true;
  return false;
}

std::string with_path(std::string hint, const std::string& path) {
  if (const std::size_t at = hint.find("{}"); at != hint.npos) hint.replace(at, 2, path);
  return hint;
}

// What Excel wrote before 2007, and workbooks with a password, are files of this kind.
void refuse_compound_file(std::string_view front, const std::string& path) {
  if (!front.starts_with("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) return;
  const bool encrypted = path.ends_with(".xlsx") || path.ends_with(".xlsm");
  throw Error(Failure::Data,
              encrypted ? "this workbook is encrypted: it needs a password"
                        : "this is a file of an old Office program (.xls, .doc), or encrypted",
              {path, 0, 0},
              encrypted ? "open it, take the password away, and save it again"
                        : "open it in a spreadsheet program and save it as .xlsx");
}

}  // namespace

bool begins_as_workbook(std::string_view front) {
  if (!front.starts_with(kZipMark)) return false;
  for (const OfficeFile& file : kOfficeFiles)
    if (has_member(front, file.member)) return false;
  return has_member(front, "xl/") || has_member(front, "docProps/") ||
         has_member(front, "[Content_Types].xml");
}

void refuse_foreign_format(std::string_view front, const std::string& path) {
  for (const ForeignFormat& foreign : kForeignFormats)
    if (front.starts_with(foreign.magic))
      throw Error(Failure::Data, foreign.what, {path, 0, 0}, with_path(foreign.hint, path));
  refuse_compound_file(front, path);
  if (!front.starts_with(kZipMark)) return;  // other ZIP files are looked into
  for (const OfficeFile& file : kOfficeFiles)
    if (has_member(front, file.member))
      throw Error(Failure::Data, file.what, {path, 0, 0}, with_path(file.hint, path));
}

void refuse_foreign_folder(const std::string& folder, FileSystem& files) {
  const bool has_parts = files.is_folder(folder + "/labels") && files.is_folder(folder + "/images");
  const bool has_names = files.exists(folder + "/data.yaml") ||
                         files.exists(folder + "/dataset.yaml") ||
                         files.exists(folder + "/classes.txt");
  if (has_parts || (has_names && files.is_folder(folder + "/train")))
    throw Error(Failure::Data, "this is a folder of YOLO, with boxes on pictures", {folder, 0, 0},
                "export it as COCO JSON, and give that as " + term("ticks.path"));
}

}  // namespace sieve
