#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "options.h"

namespace sieve {

// The flags of every verb that reads a data set. `labels_are` is what a label matrix stands for
// unless the file or the user says otherwise.
std::vector<Option> reading_options(const std::string& labels_are);
// --truth, the true labels in a file of their own.
Option truth_option();
Option threads_option();

ReadOptions read_options(const Arguments& arguments, ThreadPool& pool);

// The data set of the given files, with the labels of --truth (where the verb has it) as its truth.
Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   ThreadPool& pool);

// The labels of a file: of a data set, or of a table that holds labels only. A table whose first
// line lists the labels `expected` has a line of names, even where they look like numbers.
Dataset read_labels(const std::string& path, ReadOptions options,
                    const std::vector<std::string>& expected = {});

// Which of the `given` columns is each of the `wanted` labels: by name if both list the same names,
// by place if either has no names of its own. Error(Data) names the label that is missing.
std::vector<std::size_t> match_columns(const std::vector<std::string>& wanted,
                                       const std::vector<std::string>& given,
                                       const std::string& file);

// Error(Data) unless both numbers are the same.
void require_columns(std::size_t wanted, std::size_t given, const std::string& file);
void require_rows(std::size_t wanted, std::size_t given, const std::string& file);

}  // namespace sieve
