#pragma once

#include <gtest/gtest.h>
#include <zip.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/support.h"

namespace sieve::test {

// A workbook by hand. The content of a sheet is what stands in its <sheetData>.
struct TestBook {
  struct Sheet {
    std::string name, rows, rest{}, state{};
  };
  std::vector<Sheet> sheets;
  std::vector<std::string> texts{};              // <si> of each
  std::string styles{};                          // inside <styleSheet>
  std::string properties{};                      // inside <workbook>, before the sheets
  std::map<std::string, std::string> members{};  // others, or instead of those above

  // The file, packed.
  std::string bytes() const {
    std::map<std::string, std::string> all = parts();
    for (const auto& [name, text] : members) all[name] = text;
    const TempFolder folder;
    const std::string path = folder / "book";
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, &code);
    for (const auto& [name, text] : all)
      zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), 0);
    EXPECT_EQ(zip_close(zip), 0);
    return read_file(path);
  }

 private:
  std::map<std::string, std::string> parts() const {
    std::map<std::string, std::string> all = {{"[Content_Types].xml", "<Types/>"}};
    std::string listed, targets;
    for (std::size_t i = 0; i < sheets.size(); ++i) {
      const std::string id = std::to_string(i + 1);
      const std::string state = sheets[i].state.empty() ? "" : " state=\"" + sheets[i].state + "\"";
      listed += "<sheet name=\"" + sheets[i].name + "\" r:id=\"r" + id + "\"" + state + "/>";
      targets += "<Relationship Id=\"r" + id + "\" Type=\"http://x/worksheet\" " +
                 "Target=\"worksheets/sheet" + id + ".xml\"/>";
      all["xl/worksheets/sheet" + id + ".xml"] =
          "<?xml version=\"1.0\"?><worksheet><sheetViews/><sheetData>" + sheets[i].rows +
          "</sheetData>" + sheets[i].rest + "</worksheet>";
    }
    all["xl/workbook.xml"] =
        "<workbook>" + properties + "<sheets>" + listed + "</sheets></workbook>";
    all["xl/_rels/workbook.xml.rels"] = "<Relationships>" + targets + "</Relationships>";
    std::string list;
    for (const std::string& text : texts) list += "<si>" + text + "</si>";
    if (!texts.empty()) all["xl/sharedStrings.xml"] = "<sst>" + list + "</sst>";
    if (!styles.empty()) all["xl/styles.xml"] = "<styleSheet>" + styles + "</styleSheet>";
    return all;
  }
};

// "<row>" of cells: numbers, or texts in the cells themselves. Empty ones are left out.
inline std::string sheet_row(std::size_t number, const std::vector<std::string>& cells) {
  std::string out = "<row r=\"" + std::to_string(number) + "\">";
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].empty()) continue;
    const std::string name = static_cast<char>('A' + k) + std::to_string(number);
    const bool is_number = cells[k].find_first_not_of("0123456789.-") == std::string::npos;
    out += is_number ? "<c r=\"" + name + "\"><v>" + cells[k] + "</v></c>"
                     : "<c r=\"" + name + "\" t=\"inlineStr\"><is><t>" + cells[k] + "</t></is></c>";
  }
  return out + "</row>";
}

inline std::string sheet_rows(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) out += sheet_row(i + 1, rows[i]);
  return out;
}

}  // namespace sieve::test
