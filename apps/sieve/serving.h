#pragma once

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/review.h"
#include "options.h"
#include "verbs.h"

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

// Pages in the browser, for review and audit.

// Flags about the page and its server.
std::vector<Option> page_options();
// Of a certificate, a key, or guidelines.
std::string file_content(const std::string& path);
// The arguments that name the data, as a shell reads them.
std::string sources_text(const std::vector<std::string>& rows, const std::string& annotations);

ServerOptions server_options(const Arguments& arguments);
// --decisions, --reviewer and --media.
ReviewOptions served_options(const Arguments& arguments);

// Says what there is, opens the browser of a desktop, and waits for Ctrl-C. A StopRequests has to
// live meanwhile, from before the page was made.
void serve_until_stopped(const ReviewPage& page, const Arguments& arguments,
                         const std::string& welcome);
void serve_until_stopped(const std::string& link, const Arguments& arguments,
                         const std::string& welcome);

}  // namespace sieve
