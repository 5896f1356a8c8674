#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "labelsieve/files.h"
#include "labelsieve/learner.h"
#include "labelsieve/predict.h"

namespace sieve {

struct StreamOptions {
  PredictionLayout layout{};  // what is answered; the form is JSON lines whatever it says
  // The key of a row's id, "" for none. Not set: "id", unless a column of the model is called so.
  std::optional<std::string> id_column{};
  std::size_t longest_line = std::size_t{16} << 20;  // bytes
  ThreadPool* threads = nullptr;  // null: the calling thread alone, best for rows
};

struct Streamed {
  std::size_t rows = 0, refused = 0;  // `refused` counts among the rows
};

// Answers rows one by one for as long as `in` is open: every line is a row, and its answer is
// written before the next line is read. A line is a list of values in the order of the model's
// columns, or an object with the values by name; null is a missing value (docs/serve.md). A line
// that cannot be scored is answered by an object with "error" and "hint"; blank lines are skipped.
// Memory: that of a few of the longest lines. Throws what the streams throw.
Streamed predict_stream(const Model& model, InputStream& in, OutputStream& out,
                        const StreamOptions& options = {});

}  // namespace sieve
