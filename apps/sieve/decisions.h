#pragma once

#include <string>
#include <vector>

#include "labelsieve/pipeline.h"
#include "labelsieve/review.h"
#include "options.h"
#include "pipeline/reviewed_labels.h"

namespace sieve {

// The cells of --gold: a table, the answered list of an audit, or the file of decisions that an
// audit on the page left.
std::vector<GoldCell> gold_cells(const Arguments& arguments, const Dataset& data);

// Whoever corrects labels by decided cells should know that these do not measure the result.
extern const char* const kAuditAnew;

// What reviewers decided, for the verbs that write labels.

// The decisions of --decisions, none without it. Error(Data) if they are about other rows.
Reviewed read_decisions(const Arguments& arguments, const Dataset& data,
                        std::vector<std::string>& notes);

// Writes tasks of Label Studio (added_decisions()). Notes say whom Label Studio will not know.
void write_tasks(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                 const Predictions& predictions, OutputStream& out,
                 std::vector<std::string>& notes);

// The same for any layout: the annotations that were read, with these beside them.
void write_back(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                const Predictions& predictions, OutputStream& out, std::vector<std::string>& notes);
// Error(Usage) if the annotations are not of this layout ("": of none that can be written back).
void check_layout(const Arguments& arguments, const std::string& layout);

// --with: which columns to write beside each label (columns_beside()).
Option with_option();

}  // namespace sieve
