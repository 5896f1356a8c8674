#include "report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/table.h"
#include "report/markup.h"

namespace sieve {
namespace {

using Escapes = std::vector<std::pair<std::string, std::string>>;

std::string escaped(const std::string& text, const Escapes& escapes) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(escapes, [&](const auto& escape) {
      return text.compare(at, escape.first.size(), escape.first) == 0;
    });
    out += found == escapes.end() ? text.substr(at, 1) : found->second;
    at += found == escapes.end() ? 1 : found->first.size();
  }
  return out;
}

std::string markdown(const std::string& text) {
  return escaped(text, {{"|", "\\|"}, {"*", "\\*"}, {"_", "\\_"}, {"<", "&lt;"}});
}

std::string latex(const std::string& text) {
  static const Escapes kEscapes = {
      {"_", "\\_"},    {"%", "\\%"},         {"&", "\\&"},          {"#", "\\#"},
      {"$", "\\$"},    {"{", "\\{"},         {"}", "\\}"},          {"\\", "\\textbackslash{}"},
      {"<", "$<$"},    {">", "$>$"},         {"~", "$\\sim$"},      {"^", "\\^{}"},
      {"±", "$\\pm$"}, {"↑", "$\\uparrow$"}, {"↓", "$\\downarrow$"}};
  return escaped(text, kEscapes);
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

void clean(std::string& text) {
  text = printable(text);
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
}

// Names and titles come from files: nothing in them may steer a terminal or begin a line.
void clean(Document& document) {
  clean(document.title);
  for (DocumentTable& table : document.tables) {
    clean(table.title);
    for (std::string& cell : table.header) clean(cell);
    for (auto& row : table.rows)
      for (DocumentCell& cell : row) clean(cell.text);
    clean(table.note);
  }
  for (std::string& remark : document.remarks) clean(remark);
}

}  // namespace

std::string as_text(Document document) {
  clean(document);
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

std::string as_markdown(Document document) {
  clean(document);
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

std::string as_latex(Document document) {
  clean(document);
  std::string out = "% " + document.title + "\n% \\usepackage{booktabs}\n\n";
  for (const DocumentTable& table : document.tables) out += latex_table(table);
  for (const std::string& remark : document.remarks) out += "% " + remark + "\n";
  return out;
}

}  // namespace sieve
