#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/pipeline.h"
#include "options.h"

namespace sieve {

// --model and --probabilities.
std::vector<Option> judging_options();

// The data of a page: its rows as the files have them.
Dataset read_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  ReadOptions options);
// The same with probabilities: from --model or --probabilities, else by the votes, else from a
// training. Learns from the cells of --decisions if asked to.
Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool, bool by_decisions = false);
// With progress elsewhere than on the terminal.
Judged judge_rows(const Arguments& arguments, const std::vector<std::string>& words,
                  const ReadOptions& read, ThreadPool& pool, Progress& bar,
                  bool by_decisions = false);

}  // namespace sieve
