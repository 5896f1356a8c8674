#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/recipe/table.h"
#include "data/table_source.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// How sure the first bytes of a file make us of its format. Surely: it can be nothing else,
// whatever its name says. Perhaps: unless its name says otherwise.
enum class Likeness { No, Perhaps, Surely };

// All that the rest of the program knows of a format. Streams are unpacked already; `path` names
// the file in messages and finds files beside it.
struct FormatRow {
  std::string name;
  std::vector<std::string> extensions;  // the first is that of new files
  Likeness (*looks_like)(std::string_view front);
  // Reads a whole file, one of these two: columns that are numbers, or columns of which a recipe
  // makes features.
  Dataset (*read)(InputStream& in, const std::string& path, const ReadOptions& options) = nullptr;
  RawSet (*read_raw)(InputStream& in, const std::string& path,
                     const ReadOptions& options) = nullptr;
  // Hands on the features alone, as read_features does, and gives the number of rows so far, those
  // of the files before included. Null: the file is read as a whole.
  std::size_t (*stream)(InputStream& in, const std::string& path, const ReadOptions& options,
                        std::size_t rows_before, const TakeFeatures& take) = nullptr;
  // Hands on the whole set in blocks of about that many cells. Null: as above.
  void (*blocks)(InputStream& in, const std::string& path, const ReadOptions& options,
                 std::size_t cells_at_once, const std::function<void(Dataset&&)>& take) = nullptr;
  // Writes a file, one of these two: what all formats can do, or a table.
  void (*write)(const Dataset& data, OutputStream& out, const WriteOptions& options) = nullptr;
  void (*write_table)(const Dataset& data, OutputStream& out, const WriteOptions& options,
                      const TableWriting& table) = nullptr;
  // A second file beside the first, with this extension instead.
  std::string beside{};
  void (*write_beside)(const Dataset& data, OutputStream& out,
                       const WriteOptions& options) = nullptr;
  // What a set still has when it was written and read again; its values always. A set with both
  // label matrices is refused where only one is held.
  struct Holds {
    bool sparse = true;  // the storage, not the values
    bool both_labels = true, label_names = true, feature_names = true;
    bool ids = false, votes = false;
    bool cells = false;  // text, gaps and categories as they came
  } holds{};
  // Why it cannot be used here, for lack of a library; "" if it can. Null: it always can.
  std::string (*problem)() = nullptr;
};

const std::vector<FormatRow>& all_formats();
// Writes by whichever of the two the format has.
void write_as(const FormatRow& format, const Dataset& data, OutputStream& out,
              const WriteOptions& options, const TableWriting& table = {});
// Error(Usage) naming the nearest one.
const FormatRow& format_row(const std::string& name);
// The format of a file from its first bytes (unpacked) and its name. Error(Data) if neither tells.
const FormatRow& detect_format(std::string_view front, const std::string& path);
// ".arff, .svm, ...": what the names of data files end in.
std::string all_extensions();

Likeness looks_like_arff(std::string_view front);
RawSet read_arff_raw(InputStream& in, const std::string& path, const ReadOptions& options);
void write_arff(const Dataset& data, OutputStream& out, const WriteOptions& options);
// Mulan's list of the label attributes, for the XML beside the file.
void write_arff_labels(const Dataset& data, OutputStream& out, const WriteOptions& options);

Likeness looks_like_libsvm(std::string_view front);
Dataset read_libsvm(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_libsvm_features(InputStream& in, const std::string& path,
                                 const ReadOptions& options, std::size_t rows_before,
                                 const TakeFeatures& take);
void write_libsvm(const Dataset& data, OutputStream& out, const WriteOptions& options);

// JSON lines: an object on each line, or a list of numbers.

Likeness looks_like_jsonl(std::string_view front);
RawSet read_jsonl_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_jsonl_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take);
void write_jsonl(const Dataset& data, OutputStream& out, const WriteOptions& options,
                 const TableWriting& table = {});

Likeness looks_like_csv(std::string_view front);
RawSet read_csv_raw(InputStream& in, const std::string& path, const ReadOptions& options);
// The set comes whole where the labels are lists. All features must be numbers.
void read_csv_blocks(InputStream& in, const std::string& path, const ReadOptions& options,
                     std::size_t cells_at_once, const std::function<void(Dataset&&)>& take);
std::size_t read_csv_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);
void write_csv(const Dataset& data, OutputStream& out, const WriteOptions& options,
               const TableWriting& table = {});

// Sheets of Excel, as tables.

Likeness looks_like_xlsx(std::string_view front);
RawSet read_xlsx_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_xlsx_features(InputStream& in, const std::string& path, const ReadOptions& options,
                               std::size_t rows_before, const TakeFeatures& take);
void write_xlsx(const Dataset& data, OutputStream& out, const WriteOptions& options,
                const TableWriting& table = {});

// Parquet, databases of DuckDB and statements ("sql:SELECT ..."), through DuckDB. They are named by
// the path: the stream is not read.

Likeness looks_like_parquet(std::string_view front);
RawSet read_duckdb_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_duckdb_features(InputStream& in, const std::string& path,
                                 const ReadOptions& options, std::size_t rows_before,
                                 const TakeFeatures& take);
void write_parquet(const Dataset& data, OutputStream& out, const WriteOptions& options,
                   const TableWriting& table = {});
// For what is no file of a format to write.
extern const FormatRow kDuckDbRow;

Dataset read_mat(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_mat_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);
void write_mat(const Dataset& data, OutputStream& out, const WriteOptions& options);

// Arrays of NumPy: a .npy file holds one, an .npz file several by name.

Likeness looks_like_numpy(std::string_view front);
RawSet read_numpy_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_numpy_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take);
// As .npz.
void write_numpy(const Dataset& data, OutputStream& out, const WriteOptions& options);

Likeness looks_like_binary(std::string_view front);
Dataset read_binary(InputStream& in, const std::string& path, const ReadOptions& options);
void write_binary(const Dataset& data, OutputStream& out, const WriteOptions& options);

// Error(Data) that names a file which is certainly of a kind that cannot be read, by its first
// bytes, and says how to convert it.
void refuse_foreign_format(std::string_view front, const std::string& path);

// The same for a folder, by the names in it.
void refuse_foreign_folder(const std::string& folder, FileSystem& files);
// Whether the first bytes are those of a workbook of Excel (.xlsx, .xlsm): a ZIP file with such
// members.
bool begins_as_workbook(std::string_view front);

}  // namespace sieve
