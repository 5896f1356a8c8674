#include "data/foreign_formats.h"

#include <algorithm>
#include <array>

#include "labelsieve/error.h"

namespace sieve {
namespace {

struct ForeignFormat {
  std::string_view magic;
  const char* what;
  const char* hint;  // {} stands for the path
};

constexpr std::array kForeignFormats = {
    ForeignFormat{"PAR1", "this is a Parquet file, which cannot be read",
                  "convert it: python3 -c \"import pandas; "
                  "pandas.read_parquet('{}').to_csv('data.csv', index=False)\""},
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
    ForeignFormat{"%PDF-", "this is a PDF document, not a data set", "export the table as CSV"},
    ForeignFormat{"BZh", "this is packed with bzip2", "unpack it first: bunzip2 -k '{}'"},
    ForeignFormat{"\xFD"
                  "7zXZ",
                  "this is packed with xz", "unpack it first: xz -dk '{}'"},
    ForeignFormat{"\x28\xB5\x2F\xFD", "this is packed with Zstandard",
                  "unpack it first: zstd -d '{}'"},
};

// What programs for offices write: a ZIP file, told by the names of its members.
struct OfficeFile {
  std::string_view member;  // begins with this
  const char* what;
  const char* hint;
};

constexpr const char* kReadExcel =
    "save the sheet as CSV, or convert it: python3 -c \"import pandas; "
    "pandas.read_excel('{}', dtype=str).to_csv('data.csv', index=False)\"";
constexpr std::array kOfficeFiles = {
    OfficeFile{"xl/", "this is an Excel workbook, which cannot be read", kReadExcel},
    OfficeFile{"word/", "this is a Word document, not a data set", "save the table as CSV"},
    OfficeFile{"mimetypeapplication/vnd.oasis.opendocument",
               "this is an OpenDocument file, which cannot be read", kReadExcel},
    OfficeFile{"docProps/", "this is an Excel workbook or another Office document", kReadExcel},
    OfficeFile{"[Content_Types].xml", "this is an Excel workbook or another Office document",
               kReadExcel},
};

// Whether one of the members that begin in `front` has a name (and content) that begins so.
bool has_member(std::string_view front, std::string_view name) {
  constexpr std::string_view kMark = "PK\x03\x04";
  constexpr std::size_t kNameAt = 30;
  for (std::size_t at = front.find(kMark); at != front.npos; at = front.find(kMark, at + 1))
    if (front.substr(std::min(at + kNameAt, front.size())).starts_with(name)) return true;
  return false;
}

std::string with_path(std::string hint, const std::string& path) {
  if (const std::size_t at = hint.find("{}"); at != hint.npos) hint.replace(at, 2, path);
  return hint;
}

}  // namespace

void refuse_foreign_format(std::string_view front, const std::string& path) {
  for (const ForeignFormat& foreign : kForeignFormats)
    if (front.starts_with(foreign.magic))
      throw Error(Failure::Data, foreign.what, {path, 0, 0}, with_path(foreign.hint, path));
  if (!front.starts_with("PK\x03\x04")) return;  // other ZIP files are looked into
  for (const OfficeFile& file : kOfficeFiles)
    if (has_member(front, file.member))
      throw Error(Failure::Data, file.what, {path, 0, 0}, with_path(file.hint, path));
}

}  // namespace sieve
