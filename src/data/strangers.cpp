#include "data/strangers.h"

#include <array>

#include "labelsieve/error.h"

namespace sieve {
namespace {

struct Stranger {
  std::string_view magic;
  const char* what;
  const char* hint;  // {} stands for the path
};

constexpr std::array kStrangers = {
    Stranger{"PAR1", "this is a Parquet file, which cannot be read",
             "convert it: python3 -c \"import pandas; "
             "pandas.read_parquet('{}').to_csv('data.csv', index=False)\""},
    Stranger{"ARROW1", "this is an Arrow or Feather file, which cannot be read",
             "convert it: python3 -c \"import pandas; "
             "pandas.read_feather('{}').to_csv('data.csv', index=False)\""},
    Stranger{"SQLite format 3", "this is an SQLite database, not a data set",
             "export the table as CSV: sqlite3 -csv -header '{}' 'select * from TABLE'"},
    Stranger{"SIEVEMDL", "this is a LabelSieve model, not a data set",
             "name a data file; for predictions, the model comes first, then the data"},
    Stranger{"SIEVECKP", "this is a checkpoint of LabelSieve, not a data set", "name a data file"},
    Stranger{"\x80\x02", "this is a Python pickle, which cannot be read without running code",
             "save the array with numpy.save, or the table as CSV"},
    Stranger{"\x80\x03", "this is a Python pickle, which cannot be read without running code",
             "save the array with numpy.save, or the table as CSV"},
    Stranger{"\x80\x04", "this is a Python pickle, which cannot be read without running code",
             "save the array with numpy.save, or the table as CSV"},
    Stranger{"\x80\x05", "this is a Python pickle, which cannot be read without running code",
             "save the array with numpy.save, or the table as CSV"},
    Stranger{"%PDF-", "this is a PDF document, not a data set", "export the table as CSV"},
    Stranger{"BZh", "this is packed with bzip2", "unpack it first: bunzip2 -k '{}'"},
    Stranger{"\xFD"
             "7zXZ",
             "this is packed with xz", "unpack it first: xz -dk '{}'"},
    Stranger{"\x28\xB5\x2F\xFD", "this is packed with Zstandard", "unpack it first: zstd -d '{}'"},
};

std::string with_path(std::string hint, const std::string& path) {
  if (const std::size_t at = hint.find("{}"); at != hint.npos) hint.replace(at, 2, path);
  return hint;
}

}  // namespace

void refuse_stranger(std::string_view front, const std::string& path) {
  for (const Stranger& stranger : kStrangers)
    if (front.starts_with(stranger.magic))
      throw Error(Failure::Data, stranger.what, {path, 0, 0}, with_path(stranger.hint, path));
  // The first member of what Excel writes; other ZIP files are looked into.
  if (front.starts_with("PK\x03\x04") && front.find("[Content_Types].xml") != front.npos)
    throw Error(Failure::Data, "this is an Excel sheet or another Office document", {path, 0, 0},
                "save the sheet as CSV");
}

}  // namespace sieve
