#pragma once

#include "base/json.h"
#include "data/table_source.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/pipeline.h"

namespace sieve {

// A workbook of what cleaning found: the set as it is now ("labels"), as `table` says, all
// candidates that are listed as suspects ("suspects") and, of the JSON of render_cleaning(), the
// annotators
// ("annotators") and what is claimed of each label ("claims"). Sheets with nothing are left out.
void write_cleaning_workbook(const Cleaned& cleaned, const Json& json, const WriteOptions& options,
                             const TableWriting& table, OutputStream& out);

}  // namespace sieve
