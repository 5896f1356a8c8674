#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/recipe/table.h"
#include "labelsieve/data_io.h"

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
  Dataset (*read)(InputStream& in, const std::string& path, const ReadOptions& options);
  // The same before a recipe makes features of its columns. Null: they are numbers.
  RawSet (*read_raw)(InputStream& in, const std::string& path,
                     const ReadOptions& options) = nullptr;
  // Hands on the features alone, as read_features does, and gives the number of rows so far, those
  // of the files before included. Null: the file is read as a whole.
  std::size_t (*stream)(InputStream& in, const std::string& path, const ReadOptions& options,
                        std::size_t rows_before, const TakeFeatures& take) = nullptr;
  // Hands on the whole set in blocks of about that many cells. Null: as above.
  void (*blocks)(InputStream& in, const std::string& path, const ReadOptions& options,
                 std::size_t cells_at_once, const std::function<void(Dataset&&)>& take) = nullptr;
  void (*write)(const Dataset& data, OutputStream& out, const WriteOptions& options);
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
};

const std::vector<FormatRow>& all_formats();
// Error(Usage) naming the nearest one.
const FormatRow& format_row(const std::string& name);
// The format of a file from its first bytes (unpacked) and its name. Error(Data) if neither tells.
const FormatRow& detect_format(std::string_view front, const std::string& path);
// ".arff, .svm, ...": what the names of data files end in.
std::string all_extensions();

}  // namespace sieve
