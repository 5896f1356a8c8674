#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "labelsieve/error.h"
#include "labelsieve/review.h"
#include "pipeline/reviewed_labels.h"
#include "review/cell_probabilities.h"
#include "review/decisions.h"
#include "review/error_left.h"
#include "review/ledger.h"
#include "review/machine_labels.h"
#include "review/neighbours.h"
#include "review/page_audit.h"
#include "review/queue.h"
#include "review/row_search.h"
#include "review/row_texts.h"
#include "review/stop_lane.h"
#include "review/word_effects.h"
#include "review/word_weights.h"

namespace sieve {

// What is reviewed.
struct ReviewMaterial {
  Dataset data;
  ReviewCells cells;
  Trust trust = Trust::Predictor;
  std::optional<GuessFrom> guess_from{};          // what guesses rest on; nothing: none is made
  std::string why_no_guess{};                     // of all labels together; "" for no reason
  std::vector<std::string> why_no_label_guess{};  // of each label; or empty
  std::string judge{};                            // where the confidences come from, in words
  std::vector<AnnotatorQuality> annotators{};     // of the people of data.votes, if there are any
  RowTexts texts{};
  std::shared_ptr<const Model> model{};     // one that can be asked why, if there is any
  AnnotationOptions annotations{};          // where they were read from
  std::shared_ptr<const Judged> machine{};  // for labels that nobody decided; its data are labels
};

// A rule about all cells that nobody has decided.
struct BulkRule {
  enum class Action {
    Remove,  // ticks of at most this confidence are wrong
    Keep,    // ticks of at least this confidence are right
    Add,     // labels that nobody ticked, of at least this confidence, are right
  };
  Action action = Action::Remove;
  std::optional<std::uint32_t> label{};  // not set: every label
  double threshold = 0;
};

// Who asks, and what they want to see next.
struct Asking {
  std::string reviewer{};
  QueueView view{};
  std::size_t from = 0;
  bool audit = false;                    // in a workspace: the next question of its audit
  std::optional<std::uint64_t> check{};  // the seed of the check of a sweep that is answered
};

// A file that the page writes, in the folder of the workspace.
struct ExportRequest {
  std::string name{};  // its ending is the format
  Undecided undecided = Undecided::Keep;
  std::vector<std::string> with{};  // of names_beside()
};

// What was asked for does not fit what has happened meanwhile.
class Conflict : public Error {
 public:
  explicit Conflict(std::string message) : Error(Failure::Usage, std::move(message)) {}
};

// A review in progress: what the page asks for, as JSON (docs/review.md lists it). Every change is
// on the disk before the answer is there. Safe to use from several threads.
class Review {
 public:
  // Throws what DecisionLog does.
  Review(ReviewMaterial material, ReviewOptions options);
  ~Review();
  Review(const Review&) = delete;
  Review& operator=(const Review&) = delete;

  const ReviewMaterial& material() const { return material_; }
  const ReviewOptions& options() const { return options_; }

  RowSearch::Rows find_rows(const std::string& text) { return search_.find(text); }

  Json start(const std::string& reviewer);
  Json next(const Asking& asking);
  Json at(const Asking& asking, std::size_t index);
  Json item(const Asking& asking, Cell cell);
  // What the item says again, for words that were not marked yet.
  Json texts(Cell cell);
  Json list(const QueueView& view, std::size_t from, std::size_t most);
  Json progress();

  // The screens of a workspace.
  Json overview();
  // Those first whose ticks do most harm; `name` is a part of their names.
  Json annotators(std::size_t from, std::size_t most, const std::string& name = {});
  Json annotator(std::size_t who);  // feedback: their worst ticks
  Json export_choices();
  // Writes the labels to a new file. Error(Usage) for anything but a plain name.
  Json export_labels(const ExportRequest& request);
  // The same of the annotations as they came, with the decisions beside them.
  Json export_annotations(const ExportRequest& request);
  // The same of a certificate and its page, for the audited labels. Conflict without answers.
  Json export_certificate(const std::string& name);

  // The audit of a workspace is from now on about the labels that Export writes at this moment, or
  // (nothing) about those that came. Conflict for Drop: people decided all of these.
  Json begin_audit(std::optional<Undecided> of);

  // `nonce` names the request: one that comes again changes nothing and is answered alike; Conflict
  // if it has become another request. MisplacedDecisions if nothing can be kept any more.
  // `skip` passes over the first choice. Error(Usage) for cells that are not there.
  Json decide(const Asking& asking, const std::string& nonce, std::vector<Choice> choices,
              bool skip, const std::string& note);
  Json undo(const Asking& asking, const std::string& nonce);
  Json preview(const BulkRule& rule);
  // Cells of a rule drawn at random, shown blind: to be decided before the rule is.
  Json check(const BulkRule& rule, std::uint64_t seed);
  // What these checks prove of all cells that they were drawn from, if this many were mistakes of
  // the rule. Conflict for checks that are not known any more.
  Json checked(std::uint64_t seed, std::size_t mistakes);
  // Conflict if the rule is not about `expected` cells any more. `checked` is the seed of a check:
  // the rule is then about what was drawn from, less what was decided since.
  Json bulk(const Asking& asking, const std::string& nonce, const BulkRule& rule,
            std::size_t expected, std::optional<std::uint64_t> checked = {});

  std::size_t decisions();  // of people, that count
  std::size_t audited();
  std::size_t questions() const { return audit_ ? audit_->audit().questions().size() : 0; }
  // On the decisions that were there before.
  std::vector<std::string> notes() const;
  // Learns from all decisions so far and puts the cells in order. An estimate that cannot be
  // written is left out, with a warning.
  void learn_now();

 private:
  void add(DecisionLine line);
  void add_once(DecisionLine line);
  // Whether the request was answered before; Conflict if that was another one.
  bool is_repeated(const DecisionLine& line) const;
  void require_in_place();
  void add_estimate(const EstimateLine& estimate);
  void warn(const std::string& text) const;
  void learn_in_turn();
  std::vector<std::size_t> cells_of(const BulkRule& rule) const;
  std::string words_of(const BulkRule& rule) const;
  // The check of a rule: cells that it is about, the first of them drawn at random.
  struct Sweep {
    std::uint64_t seed = 0;
    std::string rule{};
    std::vector<std::size_t> cells{};
    std::size_t drawn = 0;
  };
  const Sweep& sweep(std::uint64_t seed) const;  // Conflict if it is not known any more
  std::vector<std::size_t> cells_left(const Sweep& sweep) const;
  DecisionLine::Audited mark(const Sweep& sweep, Cell checked) const;
  double probability_of_cell(Cell at) const;

  Json::Members next_members(const Asking& asking);
  Json render_item(Cell at, std::optional<std::size_t> index);
  Json render_short(std::size_t cell) const;
  Json picture_of(std::size_t row) const;
  Json render_cells_of_row(std::size_t row) const;
  Json render_annotators(Cell at) const;
  Json::Members render_texts(Cell at, bool blind);
  void expect_after(const QueueView& view, std::size_t index);
  Json render_features(Cell at, bool blind);
  Json render_similar(Cell at);
  Json render_verdicts(Cell at) const;
  Json render_counts() const;
  Json render_numbered() const;
  Json render_error() const;
  // The cell that is to be decided blind: of the audit, or of the draws that say when to stop.
  struct Blind {
    Cell at;
    std::size_t number = 0, pass = 1;
    DecisionLine::Audited mark;
  };
  std::optional<Blind> next_blind();
  Json render_blind(const Blind& asked);
  std::size_t labels_on() const;
  // Nothing but an audit, or this question of it.
  bool is_only_blind() const { return audit_ && options_.folder.empty(); }
  bool is_blind(const Asking& asking) const {
    return is_only_blind() || (asking.audit && (audit_ || stop_));
  }
  PartlyDecided tick(Cell at) const;
  std::optional<Claim> guess_of(const PartlyDecided& ticks, GuessAbout about) const;
  std::vector<AuditedLabel> audited_labels() const;
  std::optional<Claim> claim_of_label(std::size_t label, const PartlyDecided& ticks,
                                      const std::vector<AuditedLabel>& audited) const;
  // Of what was decided so far; nothing if the machine is not asked.
  std::optional<MachineLabels> machine_for(Undecided undecided, const Decisions& decisions) const;
  // All rows, with what people decided.
  LabelMatrix labels_to_write(Undecided undecided, const Decisions& decisions) const;
  void audit_labels(std::optional<Undecided> of, LabelMatrix labels);
  void go_on_with_audit();
  // Whether the audit is about labels that these were, but for what people decided since: then the
  // claim of what is wrong among them. Else how many others differ.
  struct SinceAudit {
    std::size_t changed = 0;
    std::optional<Claim> claim{};
  };
  SinceAudit since_audit(const LabelMatrix& labels) const;
  std::string path_of_export(const std::string& name) const;
  std::string free_name(const std::string& stem, const std::string& ending) const;
  std::string back_name(const std::string& layout) const;
  std::optional<Claim> claim_left() const;
  std::optional<GuessFrom> guess_basis() const;  // of all labels together
  std::string why_not_claimed() const;
  void require_review(const char* what) const;
  Json decide_audited(const Asking& asking, const std::string& nonce, const Choice& choice,
                      bool skip, const std::string& note);
  std::optional<AuditClaimLine> proved() const;  // by the audit, so far
  void add_claim();

  const ReviewMaterial material_;
  const ReviewOptions options_;
  std::vector<float> annotator_rank_;

  std::mutex mutex_;
  DecisionLog log_;
  Ledger ledger_;
  Queue queue_;
  CellProbabilities probabilities_;
  ErrorLeft left_;
  std::unique_ptr<PageAudit> audit_;           // null in a review
  std::optional<Undecided> audit_of_;          // nothing: the labels as they came
  std::unique_ptr<StopLane> stop_;             // null without a goal to stop at
  bool misplaced_ = false, dropping_ = false;  // what there was a warning about
  // Labels that decisions took away: all so far, and those that left_ knows of.
  std::size_t removals_ = 0, removals_counted_ = 0;
  std::size_t unlearnt_ = 0;  // decisions since the beliefs were learnt; a rule counts as a batch
  WordWeights words_;
  std::unique_ptr<WordMarker> marker_;  // null: words are marked by words_
  FeatureLook features_;
  RowSearch search_;
  std::vector<Sweep> sweeps_;            // the last ones
  std::vector<std::string> guidelines_;  // of each label; "" for none

  std::condition_variable wake_;
  bool ending_ = false;
  std::thread learner_;
};

// What judged data give a review; `annotations` say where those of the data came from.
ReviewMaterial material_of(Judged judged, const AnnotationOptions& annotations = {});

// On earlier decisions, and on pictures and sounds that rows name and the folder does not have.
std::vector<std::string> notes_on(const Review& review);

}  // namespace sieve
