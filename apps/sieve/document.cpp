#include "document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/table.h"

namespace sieve {
namespace {

std::string replaced(std::string text, const std::vector<std::pair<char, std::string>>& by) {
  std::string out;
  for (const char c : text) {
    const auto found = std::ranges::find(by, c, &std::pair<char, std::string>::first);
    out += found == by.end() ? std::string(1, c) : found->second;
  }
  return out;
}

std::string markdown(const std::string& text) {
  return replaced(text, {{'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'<', "&lt;"}});
}

std::string latex(const std::string& text) {
  static const std::vector<std::pair<char, std::string>> kEscapes = {{'\\', "\\textbackslash{}"},
                                                                     {'_', "\\_"},
                                                                     {'%', "\\%"},
                                                                     {'&', "\\&"},
                                                                     {'#', "\\#"},
                                                                     {'$', "\\$"},
                                                                     {'{', "\\{"},
                                                                     {'}', "\\}"},
                                                                     {'~', "\\textasciitilde{}"},
                                                                     {'^', "\\textasciicircum{}"},
                                                                     {'<', "$<$"},
                                                                     {'>', "$>$"}};
  std::string out = replaced(text, kEscapes);
  for (std::size_t at = 0; (at = out.find("±", at)) != std::string::npos;)
    out.replace(at, std::string("±").size(), "$\\pm$");
  return out;
}

std::string latex_table(const DocumentTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  };
  std::vector<std::string> header;
  for (const std::string& cell : table.header) header.push_back(latex(cell));
  std::string out = fmt::format(
      "\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{}\\midrule\n",
      latex(table.title), std::string(table.header.size() - 1, 'r'), line(header));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const auto& [text, strong] : row)
      cells.push_back(strong ? "\\textbf{" + latex(text) + "}" : latex(text));
    out += line(cells);
  }
  out += "\\bottomrule\n\\end{tabular}\n";
  if (!table.note.empty()) out += latex(table.note) + "\n";
  return out + "\\end{table}\n\n";
}

}  // namespace

std::string as_text(const Document& document) {
  std::string out = document.title + "\n";
  for (const DocumentTable& table : document.tables) {
    std::vector<Align> align(table.header.size(), Align::Right);
    align.front() = Align::Left;
    TextTable text(table.header, align);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const auto& [cell, strong] : row) cells.push_back(strong ? cell + " *" : cell);
      text.add(std::move(cells));
    }
    out += "\n" + table.title + "\n" + text.text();
    if (!table.note.empty()) out += table.note + "\n";
  }
  if (!document.remarks.empty()) out += "\n";
  for (const std::string& remark : document.remarks) out += remark + "\n";
  return out;
}

std::string as_markdown(const Document& document) {
  std::string out = "# " + markdown(document.title) + "\n";
  for (const DocumentTable& table : document.tables) {
    out += "\n## " + markdown(table.title) + "\n\n|";
    for (const std::string& cell : table.header) out += " " + markdown(cell) + " |";
    out += "\n|---|";
    for (std::size_t i = 1; i < table.header.size(); ++i) out += "---:|";
    out += "\n";
    for (const auto& row : table.rows) {
      out += "|";
      for (const auto& [cell, strong] : row)
        out += strong ? " **" + markdown(cell) + "** |" : " " + markdown(cell) + " |";
      out += "\n";
    }
    if (!table.note.empty()) out += "\n" + markdown(table.note) + "\n";
  }
  if (!document.remarks.empty()) out += "\n";
  for (const std::string& remark : document.remarks) out += "- " + markdown(remark) + "\n";
  return out;
}

std::string as_latex(const Document& document) {
  std::string out = "% " + document.title + "\n% \\usepackage{booktabs}\n\n";
  for (const DocumentTable& table : document.tables) out += latex_table(table);
  for (const std::string& remark : document.remarks) out += "% " + remark + "\n";
  return out;
}

}  // namespace sieve
