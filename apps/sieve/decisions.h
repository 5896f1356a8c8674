#pragma once

#include <string>
#include <vector>

#include "labelsieve/review.h"
#include "options.h"
#include "pipeline/reviewed_labels.h"

// What reviewers decided, for the verbs that write labels.
namespace sieve {

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
