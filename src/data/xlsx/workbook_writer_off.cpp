#include "data/xlsx/workbook_writer.h"
#include "labelsieve/error.h"

// Stands in for workbook_writer.cpp where LABELSIEVE_XLSX is off.
namespace sieve {

class WorkbookWriter::Book {};

WorkbookWriter::WorkbookWriter() {
  throw Error(Failure::Usage, "this LabelSieve was built without writing sheets", {},
              "build it with -DLABELSIEVE_XLSX=ON, or write another format");
}
WorkbookWriter::~WorkbookWriter() = default;

void WorkbookWriter::add_sheet(const std::string&, const std::function<void(OutputStream& out)>&,
                               const ColumnTypes&) {}
void WorkbookWriter::finish(OutputStream&) {}

}  // namespace sieve
