#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labelsieve/data_io.h"
#include "options.h"

namespace sieve {

// The flags of every verb that reads a data set. `labels_are` is what a label matrix stands for
// unless the file or the user says otherwise.
std::vector<Option> reading_options(const std::string& labels_are);
// --annotations and what goes with it, for verbs that read candidates.
std::vector<Option> annotation_options();
// --truth, the true labels in a file of their own.
Option truth_option();
Option threads_option();

// What reading guesses goes to `notes`.
ReadOptions read_options(const Arguments& arguments, ThreadPool& pool,
                         std::vector<std::string>& notes);

// The data set of the given files, with the labels of --truth as its truth.
Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   ThreadPool& pool, std::vector<std::string>& notes);
Dataset read_input(const Arguments& arguments, const std::vector<std::string>& paths,
                   const ReadOptions& options);
// All settings of reading as they were given, without those of --roles; their keys and values go
// to `given`.
ReadOptions given_options(const Arguments& arguments, ThreadPool& pool,
                          std::vector<std::pair<std::string, std::string>>& given);
// These settings as a shell reads them, " --text-column text", but for files of annotations.
std::string reading_text(const Arguments& arguments);
// The settings of --annotations.
AnnotationOptions annotation_options_of(const Arguments& arguments);
// The same, with the votes of --annotations.
Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ThreadPool& pool, std::vector<std::string>& notes);
Dataset read_ticked(const Arguments& arguments, const std::vector<std::string>& paths,
                    ReadOptions options);
// The same for a verb that is about votes. Error(Usage) where there are none.
Dataset read_votes(const Arguments& arguments, ThreadPool& pool, std::vector<std::string>& notes);
// Their flags.
std::vector<Option> vote_reading_options();
// The same; without data files, the texts in the annotations are the data, where they are plain.
Dataset read_with_texts(const Arguments& arguments, const std::vector<std::string>& paths,
                        ReadOptions options);
// As read_ticked(), with the cells of a table as they came, to write them again.
Dataset read_to_write(const Arguments& arguments, const std::vector<std::string>& paths,
                      ThreadPool& pool, std::vector<std::string>& notes);

}  // namespace sieve
