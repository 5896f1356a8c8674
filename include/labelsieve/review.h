#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/crowd.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/pipeline.h"

// Review: a page on which reviewers decide about labels that may be wrong or missing, and their
// decisions (docs/review.md). Part of the library LabelSieve::review, which needs SQLite and
// libmicrohttpd.
namespace sieve {

// ---- what is reviewed

// Finds out, before anything is learnt, whether a review can use this file of decisions, which need
// not exist. Error(Io) if another review has it, Error(Data) if it is no such file or of a later
// version.
void check_decisions(const std::string& path);

// The same request for a review: with votes, also lists labels of low probability that nobody
// ticked.
JudgeRequest for_review(JudgeRequest request);

// ---- the page

struct ReviewOptions {
  std::string decisions{};          // the file of the decisions; made if it is not there
  std::size_t overlap = 1;          // reviewers who should decide each label of a row
  std::optional<double> stop_at{};  // stop once at most this share of the labels is wrong
  std::size_t batch = 10;           // the order is learnt anew after so many decisions at most
  std::string reviewer{};           // the name that the page proposes
  std::string media{};              // the folder with pictures and sounds; "" for none
  std::string guidelines{};         // Markdown with a heading for each label; "" for none
  bool background_learning = true;  // on a thread of its own; else never
  // An audit instead of a review: reviewers answer its questions, blind. The labels and
  // probabilities of the subject are taken from it, once; its data are those of the page.
  std::shared_ptr<AuditSubject> audited{};
  AuditRequest audit{};
  double level = 0.9;  // of claims
  // A workspace: review and audit side by side, and labels are written to this folder on request;
  // "" for none.
  std::string folder{};
  // For commands that do the same: the arguments that name the data, and those of the judge.
  std::string sources{}, judging{};
  bool trained = false;  // whether the judge was trained for this review, as for clean()
  // Receives a sentence about each problem, on any thread, one call at a time.
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
  // The texts of a row are those that the data were read with (ReadOptions::keep_cells and
  // keep_left_out); `annotations` say where its annotations came from.
  // Error(Io) if the address cannot be listened on or another review has the decisions; Error(Data)
  // if they are about other data.
  ReviewPage(Judged judged, const AnnotationOptions& annotations, const ReviewOptions& options,
             const ServerOptions& server);
  ~ReviewPage();
  ReviewPage(const ReviewPage&) = delete;
  ReviewPage& operator=(const ReviewPage&) = delete;

  std::string link() const;                        // with the token that every request needs
  std::size_t cells() const;                       // ticks and possibly missing labels to review
  std::size_t decisions() const;                   // made so far
  std::size_t questions() const, audited() const;  // of the audit, and answered; 0 without one
  // Problems with earlier decisions: parts that could not be checked, or rows that have changed.
  const std::vector<std::string>& notes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A file of a workspace, and what it is read as.
struct WorkspaceFile {
  enum class Use { Rows, Annotations, LeftOut };
  std::string path;
  Use use = Use::Rows;
};

// Something that has to be said before a workspace can begin. Without answers, it is a problem that
// files or roles have to be changed for.
struct WorkspaceQuestion {
  std::string text;
  std::vector<std::string> answers{};
};

// What a workspace is made of.
struct WorkspaceFiles {
  std::string folder{};                // where all of it lies
  std::vector<WorkspaceFile> files{};  // in the order of their names
  bool as_folder = false;              // the rows are what the folder has, read as any folder is
  // Questions that the files leave open, each about one use: "which file holds the rows?"
  struct Open {
    WorkspaceFile::Use use = WorkspaceFile::Use::Rows;
    std::vector<std::size_t> files{};  // one of these, or all of them
  };
  std::vector<Open> open{};

  std::vector<std::string> paths(WorkspaceFile::Use use) const;  // as read_dataset() takes them
  void set_use(std::size_t file, WorkspaceFile::Use use);        // answers what was open
  // One of the files of a question, or, behind the last, all of them.
  void answer(std::size_t question, std::size_t answer);
};
// Of a folder, or of files: exports of platforms and tables that say who annotated hold the
// annotations. `uses_known`: all are rows, a flag has said where annotations are. Error(Data) for a
// folder without data.
WorkspaceFiles find_workspace_files(const std::vector<std::string>& words, bool uses_known);

// The first rows of a table as it has them, each a list of columns and what they hold, cut where it
// is long; none of a file that is no table.
std::vector<std::vector<std::pair<std::string, std::string>>> first_rows(const std::string& path,
                                                                         std::size_t most);

// A column as the page shows it, with what it is taken for and why.
struct WorkspaceColumn {
  std::string column, role, reason, example;
  bool of_annotations = false;
};

// The data of a workspace before anything is learnt from them.
struct WorkspaceData {
  std::vector<WorkspaceFile> files{};
  std::size_t rows = 0, labels = 0, annotators = 0, annotations = 0;  // once they are known
  std::vector<WorkspaceColumn> columns{};
  std::vector<std::string> roles{};          // all that a column can have
  std::vector<std::string> roles_of_rows{};  // the same where it is not of the annotations
  std::vector<WorkspaceQuestion> open{};     // what has to be said first; none: it can begin
  // The first rows, each a line of cells by column.
  std::vector<std::vector<std::pair<std::string, std::string>>> first{};
  std::string command{};  // that does the same
};

// What a review is made from.
struct ReviewSetup {
  Judged judged;
  std::vector<std::string> paths;
  ReadOptions read;
  ReviewOptions options;
};

// How a workspace comes to its review, step by step; called on a thread of its own, one at a time.
struct WorkspaceSteps {
  std::function<WorkspaceData()> describe{};
  // What is read otherwise from now on: the role of a column, the use of a file, the answer to a
  // question. Error(Usage) where it cannot be.
  std::function<void(const WorkspaceColumn& column)> correct{};
  std::function<void(std::size_t file, WorkspaceFile::Use use)> use{};
  std::function<void(std::size_t question, std::size_t answer)> answer{};
  // Reads and judges. Error(Interrupted) after a request to stop.
  std::function<ReviewSetup(Progress& progress)> prepare{};
};

// Serves a workspace while it lives: its data first, then, once somebody starts it, the page of
// the review. Whatever takes long runs in the background and can be stopped; the browser may be
// closed meanwhile.
class WorkspacePage {
 public:
  // `begin`: at once, if nothing is unclear. Error(Io) if the address cannot be listened on.
  WorkspacePage(WorkspaceSteps steps, const std::string& title, bool begin,
                const ServerOptions& server);
  ~WorkspacePage();
  WorkspacePage(const WorkspacePage&) = delete;
  WorkspacePage& operator=(const WorkspacePage&) = delete;

  std::string link() const;
  std::size_t decisions() const;  // made so far; 0 before the review

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- what came of it

// The state of a cell after all decisions.
struct ReviewedCell {
  std::uint32_t row = 0, label = 0;
  bool on = false;
  std::size_t looked = 0, yes = 0;         // reviewers who decided it; of these, for the label
  double probability = 0;                  // when it was last decided; NaN: unknown
  std::string reviewer{}, made{}, note{};  // of the last decision
  std::string rule{};                      // if it was decided by one
};

struct Reviewed {
  std::vector<ReviewedCell> cells;            // by row, then by label
  std::vector<ReviewerDecision> by_reviewer;  // in the same order
  std::size_t looks = 0;                      // decisions by reviewers
  std::size_t by_rule = 0;                    // cells that only a rule decided
  std::size_t disputed = 0;                   // cells that reviewers decided differently
  std::size_t unknown_cells = 0;  // decisions on rows or labels that the data do not have
  std::vector<std::pair<std::string, std::size_t>> reviewers;  // with their decisions
  std::size_t pairs = 0, same = 0;  // pairs of reviewers who decided the same cell; of these, alike
  std::optional<Claim> wrong{};  // the share of the current labels that is wrong, as last claimed
  std::vector<std::string> notes{};  // what could not be checked, or has changed
  // All claims, with how many decisions there were.
  std::vector<std::pair<std::size_t, Claim>> past{};

  // Null if the cell was not decided.
  const ReviewedCell* find(std::size_t row, std::size_t label) const {
    const auto place = [](const ReviewedCell& cell) -> std::pair<std::size_t, std::size_t> {
      return {cell.row, cell.label};
    };
    const auto at = std::ranges::lower_bound(cells, std::pair(row, label), {}, place);
    return at != cells.end() && place(*at) == std::pair(row, label) ? &*at : nullptr;
  }
};

// Reads a file of decisions, even while reviewers add to it. Error(Io), or Error(Data) if it is not
// one, or is about other rows: docs/formats/decisions.md says how that is known. The data of a
// table that is not all numbers are compared only if they have its cells (ReadOptions::keep_cells).
Reviewed read_reviewed(const std::string& path, const Dataset& data);

// What reviewers answered to an audit on the page. Error(Data) without one.
struct AuditOnPage {
  AuditCode code{};
  struct Answer {
    std::uint32_t row = 0, label = 0;
    std::size_t pass = 1;
    AuditAnswer answer = AuditAnswer::None;
  };
  std::vector<Answer> answers{};  // the last word on each, in the order of the log
};
AuditOnPage read_audit(const std::string& path, const Dataset& data);
// The same as answers to the questions of an audit; Error(Data) for a cell that it does not ask.
AuditAnswers answers_of(const AuditOnPage& page, const Audit& audit);

// Makes the candidates what was decided; gives how many cells that changed.
inline std::size_t apply_decisions(const Reviewed& reviewed, LabelMatrix& candidates) {
  std::size_t changed = 0;
  for (const ReviewedCell& cell : reviewed.cells) {
    changed += candidates.get(cell.row, cell.label) != cell.on;
    candidates.set(cell.row, cell.label, cell.on);
  }
  return changed;
}
// The cells that somebody looked at as gold, for the model of annotators.
inline std::vector<GoldCell> gold_of(const Reviewed& reviewed) {
  std::vector<GoldCell> gold;
  for (const ReviewedCell& cell : reviewed.cells)
    if (cell.looked > 0) gold.push_back({cell.row, cell.label, cell.on});
  return gold;
}

// A line per decided cell as CSV or JSON lines; the reviewed rows as tasks of Label Studio, each
// with an annotation per reviewer that has the labels which they found right, and as a prediction
// the other current labels.
void write_decisions(const Reviewed& reviewed, const Dataset& data, OutputStream& file, bool json);
void write_label_studio(const Reviewed& reviewed, const Dataset& data, OutputStream& file);
// One HTML file that needs nothing else: decisions by label and reviewer, agreement, error left.
// `data` are as they were before the review.
std::string review_report(const Reviewed& reviewed, const Dataset& data);

}  // namespace sieve
