#pragma once

#include <string>
#include <vector>

#include "data/annotations/label_studio_out.h"
#include "data/table_source.h"
#include "labelsieve/crowd.h"
#include "labelsieve/review.h"
#include "options.h"

// What reviewers decided, for the verbs that write labels.
namespace sieve {

// One cell that was decided.
struct DecidedLabel {
  std::size_t row = 0, label = 0;
  bool on = false, by_rule = false;
  double probability = 0;          // when it was decided; NaN: unknown
  std::string by{}, at{}, note{};  // the last reviewer, and when
};

struct Decided {
  std::vector<DecidedLabel> cells{};  // by row, then by label
  std::vector<ReviewerDecided> by_reviewer{};

  // The cells that somebody looked at.
  std::vector<GoldCell> gold() const;
  // Makes the labels what was decided; gives how many cells that changed.
  std::size_t apply(LabelMatrix& labels) const;
  // Null if it was not decided.
  const DecidedLabel* find(std::size_t row, std::size_t label) const;
};

Decided decided_of(const Reviewed& reviewed);
// The decisions of --decisions, none without it. Error(Data) if they are about other rows.
Decided read_decided(const Arguments& arguments, const Dataset& data,
                     std::vector<std::string>& notes);

// Writes tasks of Label Studio: decisions as annotations, the other labels of `data` as predictions
// of that version, none without it; tasks of rows that nobody decided only if `all_rows`. Notes say
// whom Label Studio will not know.
struct StudioTasks {
  const CandidateScores* probabilities = nullptr;
  std::string model_version{};
  bool all_rows = false;
};
void write_tasks(const Arguments& arguments, const Dataset& data, const Decided& decided,
                 const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes);

// The same for any layout: the annotations that were read, with these beside them.
void write_back(const Arguments& arguments, const Dataset& data, const Decided& decided,
                const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes);
// Error(Usage) if the annotations are not of this layout ("": of none that can be written back).
void check_layout(const Arguments& arguments, const std::string& layout);

// --with: which columns to write beside each label.
Option with_option();
// These columns. `before` are the labels as they came; probabilities may be null: then there are
// those of the decided cells alone.
std::vector<ColumnBeside> columns_beside(const Arguments& arguments, const Dataset& data,
                                         const LabelMatrix& before,
                                         const CandidateScores* probabilities,
                                         const Decided& decided);

}  // namespace sieve
