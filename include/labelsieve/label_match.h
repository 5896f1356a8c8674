#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

// Labels and scores from separate files, put into the order of other labels.
namespace sieve {

// The labels of a file: of a data set, or of a table that holds labels only. A table whose first
// line lists the labels `expected` has a line of names, even where they look like numbers.
Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected = {});

// The labels of a file, read with the same options but for its format, become the truth of the
// data. Rows go by id where both have ids, else by order. Error(Data) if its rows or labels are not
// those of the data.
void read_truth(Dataset& data, const std::string& path, ReadOptions options);

// The rows that scores or decisions must cover. Rows go by id where both sides have ids, else
// by order.
struct WantedRows {
  std::size_t count = 0;
  std::span<const std::string> ids{};  // one per row, or empty
};
// Scores or decisions for these rows, such as predict_files() writes, with a column for each of the
// `labels` in their order. Error(Data) if the rows, their numbers or the labels are others.
MatrixD read_scores(const std::string& path, const std::vector<std::string>& labels,
                    const WantedRows& rows);
LabelMatrix read_decisions(const std::string& path, const std::vector<std::string>& labels,
                           const WantedRows& rows, const ReadOptions& options);

// One name per line; blank lines are left out. Error(Data) if there is none.
std::vector<std::string> read_names(const std::string& path,
                                    FileSystem& files = FileSystem::real());

// Which of the `given` columns is each of the `wanted` labels: by name if both list the same names,
// by place if either has no names of its own. Error(Data) names the label that is missing.
std::vector<std::size_t> match_columns(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& given,
                                       const std::string& file);

// The labels of the data in the order of `names`. Error(Data) names the label that is missing.
void order_labels(Dataset& data, const std::vector<std::string>& names);

}  // namespace sieve
