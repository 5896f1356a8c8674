#pragma once

#include <optional>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

// What the readers and writers share about labels and names.

namespace sieve {

// Puts the label columns of a table into the data set. Columns named "candidate:x" and "truth:x"
// say what they are (both must list the same labels; "truth:x" alone makes a clean set); "label:x"
// or a plain name is taken for `role`. Error(Data) for bad names, see check_names.
void set_labels(Dataset& data, LabelMatrix columns, std::vector<std::string> column_names,
                LabelRole role, const std::string& path);

// The reverse: which label columns to write, and their names. With options.labels == All:
//   no truth                  the candidates under their plain names
//   truth equals candidates   "truth:x" alone (a clean set)
//   else                      "candidate:x" for all labels, then "truth:x" for all
// Candidates or Truth: that matrix alone, under plain names; Error(Usage) if there is no truth.
struct LabelColumnsOut {
  std::vector<std::string> names;
  std::vector<const LabelMatrix*> matrices;  // each contributes all its labels, in order
};
LabelColumnsOut label_columns_to_write(const Dataset& data, const WriteOptions& options);

// Error(Data) for a name that is blank, repeated or longer than 4096 bytes. `what` is "label" or
// "feature".
void check_names(const std::vector<std::string>& names, const std::string& what,
                 const std::string& path);

// Refuses (Error(Data)) a label matrix and its names that would be out of proportion to the bytes
// read so far.
void check_label_budget(std::size_t rows, std::size_t labels, std::size_t bytes_read,
                        const std::string& path);

// "label1", "label2", ...
std::vector<std::string> numbered_names(const std::string& stem, std::size_t count);

// One entry a column of a table: is it a label?
using LabelMask = std::vector<bool>;

// The columns of a table that `labels` (names, prefix, count or all) says are labels; nullopt if it
// says nothing. A prefix is cut off from the names. Throws Error(Usage) for a name that no column
// has, a prefix that none begins with, or a count that does not fit.
std::optional<LabelMask> chosen_labels(const LabelColumns& labels, std::vector<std::string>& names,
                                       const std::string& path);

// n > 0: the first n of `columns`; n < 0: the last -n; 0: none. nullopt if there are fewer.
std::optional<LabelMask> labels_by_count(long n, std::size_t columns);

// What to tell whoever asked for more columns than there are.
std::string count_hint();

// The columns with these names. `missing` gets a name that no column has, if there is one.
LabelMask labels_by_name(const std::vector<std::string>& wanted,
                         const std::vector<std::string>& columns, std::string& missing);

}  // namespace sieve
