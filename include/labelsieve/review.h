#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/observation.h"
#include "labelsieve/pipeline.h"

// People decide: a page on which reviewers look at labels that may be wrong or missing, and the
// decisions that come of it (docs/review.md). Part of the library LabelSieve::review, which needs
// SQLite and libmicrohttpd.
namespace sieve {

// ---- what is reviewed

// The same request, but for a review by votes: labels that nobody ticked are worth a question long
// before they are likely.
JudgeRequest for_review(JudgeRequest request);

// How sure somebody is of each candidate, from a file: a table of scores (docs/formats/scores.md),
// or a list of cells with their confidence, as write_suspects() makes it. Candidates that a list
// does not name get 0.5. Error(Data) with file and line for a row or label that is not in the data.
struct ConfidenceFile {
  std::optional<Matrix> scores{};  // rows x labels, if it is a table
  CandidateScores candidates{};
};
ConfidenceFile read_confidence(const std::string& path, const Dataset& data);

// ---- the page

struct ReviewOptions {
  std::string decisions{};          // the file of the decisions; made if it is not there
  std::size_t overlap = 1;          // people who should decide each label of a row
  std::optional<double> stop_at{};  // enough, once so small a share of the labels is wrong
  std::size_t batch = 10;           // decisions after which the order is learnt anew
  std::string reviewer{};           // the name that the page proposes
  std::string media{};              // the folder with pictures and sounds; "" for none
  bool learn_beside = true;         // in a thread of its own; else never
  // Gets a sentence on what goes wrong meanwhile, on any thread, one call at a time.
  std::function<void(const std::string&)> warn{};
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;            // 0: one that is free
  std::string certificate{}, key{};  // the content of PEM files, for TLS; "" for none
};

// Serves the page while it lives, on threads of its own. Every decision is on the disk before the
// page says so. One process at a time has a file of decisions.
class ReviewPage {
 public:
  // `paths` and `read` are where the data came from: what people read of a row is taken from there.
  // Error(Io) if the address cannot be listened on or another review has the decisions; Error(Data)
  // if they are about other data.
  ReviewPage(Judged judged, const std::vector<std::string>& paths, const ReadOptions& read,
             const ReviewOptions& options, const ServerOptions& server);
  ~ReviewPage();
  ReviewPage(const ReviewPage&) = delete;
  ReviewPage& operator=(const ReviewPage&) = delete;

  std::string link() const;       // with the token that every request needs
  std::size_t cells() const;      // ticks and likely missing labels to look at
  std::size_t decisions() const;  // made so far
  // What could not be checked of decisions that were there before, or has changed since.
  const std::vector<std::string>& notes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- what came of it

// What holds for a label of a row after all decisions.
struct ReviewedCell {
  std::uint32_t row = 0, label = 0;
  bool on = false;
  std::size_t looked = 0, yes = 0;         // people who decided it; of these, for the label
  double confidence = 0;                   // when it was last decided; NaN: unknown
  std::string reviewer{}, made{}, note{};  // of the last decision
  std::string rule{};                      // if it was decided by one
};

// The last word of one reviewer who looked at a label of a row.
struct ReviewerDecision {
  std::uint32_t row = 0, label = 0;
  bool on = false;
  std::string reviewer{};
};

struct Reviewed {
  std::vector<ReviewedCell> cells;            // by row, then by label
  std::vector<ReviewerDecision> by_reviewer;  // in the same order
  std::size_t looks = 0;                      // decisions of people
  std::size_t by_rule = 0;                    // cells that only a rule decided
  std::size_t disputed = 0;                   // cells that people decided differently
  std::size_t strangers = 0;  // decisions on rows or labels that the data do not have
  std::vector<std::pair<std::string, std::size_t>> reviewers;  // with their decisions
  std::size_t pairs = 0, same = 0;   // of two people who decided the same cell; of these, alike
  std::optional<Estimate> wrong{};   // the last estimate of the share of labels that are wrong
  std::vector<std::string> notes{};  // what could not be checked, or has changed
  // All estimates, with how many decisions there were.
  std::vector<std::pair<std::size_t, Estimate>> past{};
};

// Reads a file of decisions, even while reviewers add to it. Error(Io), or Error(Data) if it is not
// one, or is about other rows: docs/formats/decisions.md says how that is known. The data of a
// table that is not all numbers are compared only if they have its cells (ReadOptions::keep_cells).
Reviewed read_reviewed(const std::string& path, const Dataset& data);

// Makes the candidates what was decided; gives how many cells that changed.
std::size_t apply_decisions(const Reviewed& reviewed, LabelMatrix& candidates);
// What people looked at, for models of a crowd.
std::vector<GoldCell> gold_of(const Reviewed& reviewed);

// A line per decided cell as CSV or JSON lines; the reviewed rows as tasks of Label Studio, each
// with an annotation per reviewer that has the labels which they found right, and as a prediction
// the other labels that are on.
void write_decisions(const Reviewed& reviewed, const Dataset& data, OutputStream& file, bool json);
void write_label_studio(const Reviewed& reviewed, const Dataset& data, OutputStream& file);
// One HTML file that needs nothing else: decisions by label and reviewer, agreement, error left.
// `data` are as they were before the review.
std::string review_report(const Reviewed& reviewed, const Dataset& data);

}  // namespace sieve
