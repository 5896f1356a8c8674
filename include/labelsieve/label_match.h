#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"

// Labels in files of their own, brought into the order of others.
namespace sieve {

// The labels of a file: of a data set, or of a table that holds labels only. A table whose first
// line lists the labels `expected` has a line of names, even where they look like numbers.
Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected = {});

// The labels of a file, read with the same options but for its format, become the truth of the
// data. Error(Data) if its rows or labels are not those of the data.
void read_truth(Dataset& data, const std::string& path, ReadOptions options);

// One name a line; blank lines are left out. Error(Data) if there is none.
std::vector<std::string> read_names(const std::string& path,
                                    FileSystem& files = FileSystem::real());

// Which of the `given` columns is each of the `wanted` labels: by name if both list the same names,
// by place if either has no names of its own. Error(Data) names the label that is missing.
std::vector<std::size_t> match_columns(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& given,
                                       const std::string& file);

// The labels of the data in the order of `names`. Error(Data) names the label that is missing.
void order_labels(Dataset& data, const std::vector<std::string>& names);

// Error(Data) unless both numbers are the same.
void require_columns(std::size_t wanted, std::size_t given, const std::string& file);
void require_rows(std::size_t wanted, std::size_t given, const std::string& file);

}  // namespace sieve
