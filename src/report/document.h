#pragma once

#include <string>
#include <vector>

namespace sieve {

// Tables with words between them, before it is known how they will be written.
struct DocumentCell {
  std::string text;
  bool strong = false;
};

struct DocumentTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<DocumentCell>> rows;
  std::string note;  // below the table, may be empty
};

struct Document {
  std::string title;
  std::vector<DocumentTable> tables;
  std::vector<std::string> remarks;  // at the end, one per line
};

// Every text comes out on one line and without control characters. Strong cells are marked by an
// asterisk.
std::string as_text(Document document);
std::string as_markdown(Document document);
// Tables of the booktabs package, to be put into a document.
std::string as_latex(Document document);

}  // namespace sieve
