#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/pipeline.h"
#include "options.h"

namespace sieve {

// --model and --probabilities.
std::vector<Option> judging_options();
// What judges, as a shell reads it: " --method mlp --set epochs=5"; "" for the usual training.
std::string judging_text(const Arguments& arguments);
// Whether that is a training, as sieve clean does it: without features, votes judge alone.
bool trains_judge(const Arguments& arguments, const Dataset& data);

// The data of a page: its rows as the files have them.
Dataset read_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  ReadOptions options);
// The same with probabilities: from --model or --probabilities, else from a training as in sieve
// clean.
Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool);
// With progress elsewhere than on the terminal.
Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool, Progress& bar);

}  // namespace sieve
