#pragma once

#include <string>
#include <vector>

#include "data/annotations/label_studio_out.h"
#include "labelsieve/review.h"
#include "options.h"

// What reviewers decided, for the verbs that write labels.
namespace sieve {

// The decisions of --decisions, none without it. Error(Data) if they are about other rows.
Reviewed read_decisions(const Arguments& arguments, const Dataset& data,
                        std::vector<std::string>& notes);

// Writes tasks of Label Studio: decisions as annotations, the other labels of `data` as predictions
// of that version, none without it; tasks of rows that nobody decided only if `all_rows`. Notes say
// whom Label Studio will not know.
struct StudioTasks {
  const CandidateScores* probabilities = nullptr;
  std::string model_version{};
  bool all_rows = false;
};
void write_tasks(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                 const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes);

// The same for any layout: the annotations that were read, with these beside them.
void write_back(const Arguments& arguments, const Dataset& data, const Reviewed& reviewed,
                const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes);
// Error(Usage) if the annotations are not of this layout ("": of none that can be written back).
void check_layout(const Arguments& arguments, const std::string& layout);

// --with: which columns to write beside each label (columns_beside()).
Option with_option();

}  // namespace sieve
