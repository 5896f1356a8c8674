#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/table_source.h"
#include "experiment/comparison.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "report/headlines.h"
#include "report/rendered.h"

// Reports to be read in a browser: each is one HTML file that needs nothing else.

namespace sieve {

// A finished training, and what is needed to report how it went. The labels of both sets are in the
// order of the model's.
struct TrainingRun {
  const ModelState& model;
  std::string model_path, data_path;
  Judged trained{};                     // the data it was trained on, judged by the model
  std::vector<EpochHistory> history{};  // what the epochs reported, if there is a log
  std::optional<Dataset> test{};        // rows it has not seen
  Matrix scores{};                      // of the measured rows
  LabelMatrix decisions{};

  const Dataset& measured() const { return test ? *test : trained.data; }
};

// `top` suspects are listed.
std::string training_page(const TrainingRun& run, std::size_t top);

// Where annotators cannot be compared: what each of them did, and why there is no more.
std::string uncompared_annotators_page(const Dataset& data, const std::string& why);
// About the annotators, most wrong ticks first; `details` are of the first ones in that order.
std::string annotators_page(const Dataset& data, const CrowdFindings& found,
                            std::span<const TickedWrong> ticked,
                            std::span<const AnnotatorDetails> details);

// How far annotators agree: figures, labels, and pairs of annotators as a heat map.
std::string agreement_page(const Dataset& data, const Agreement& agreement);

// About the results of a store; `comparison` was made of them.
std::string experiment_page(const StoredResults& stored, const Comparison& comparison);

// A workbook of what cleaning found: the set as it is now ("labels"), as `table` says, all
// candidates that are listed as suspects ("suspects") and, of the JSON of render_cleaning(), the
// annotators
// ("annotators") and what is claimed of each label ("claims"). Sheets with nothing are left out.
void write_cleaning_workbook(const Cleaned& cleaned, const Json& json, const WriteOptions& options,
                             const TableWriting& table, OutputStream& out);

}  // namespace sieve
