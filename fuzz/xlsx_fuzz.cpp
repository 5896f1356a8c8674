#include <zip.h>

#include <array>

#include "data/formats.h"
#include "round_trip.h"
#include "support/whole_sets.h"

using namespace sieve;

namespace {

// A workbook with a sheet, a list of texts and styles that are these, so that what is tried is the
// XML and not the packing.
std::string workbook_of(std::string_view parts) {
  constexpr std::string_view kBook =
      R"(<workbook><sheets><sheet name="s" r:id="r1"/></sheets></workbook>)";
  constexpr std::string_view kTargets =
      R"(<R><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></R>)";
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(source);
  zip_t* zip = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  const auto add = [&](const char* name, std::string_view text) {
    zip_file_add(zip, name, zip_source_buffer(zip, text.data(), text.size(), 0), 0);
  };
  add("xl/workbook.xml", kBook);
  add("xl/_rels/workbook.xml.rels", kTargets);
  for (const char* name : {"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"}) {
    const std::size_t end = parts.find('\0');
    if (!parts.empty()) add(name, parts.substr(0, end));
    parts.remove_prefix(std::min(parts.size(), end == parts.npos ? end : end + 1));
  }
  zip_close(zip);
  std::string bytes;
  zip_source_open(source);
  for (std::array<char, 4096> piece;;) {
    const zip_int64_t got = zip_source_read(source, piece.data(), piece.size());
    if (got <= 0) break;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
  zip_source_close(source);
  zip_source_free(source);
  return bytes;
}

}  // namespace

// The first byte chooses between a whole file and its parts: a sheet, texts and styles, each
// followed by a NUL byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  ReadOptions options = fuzz::without_files();
  options.labels.optional = true;
  const std::string book = bytes[0] == 'f' ? std::string(text) : workbook_of(text);
  const std::optional<Dataset> data = fuzz::try_read(test::whole<read_xlsx_raw>, book, options);
  if (data && data->rows() == 0) std::abort();
  return 0;
}
