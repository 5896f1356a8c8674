#include "review/review.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "labelsieve/error.h"
#include "review/guidelines.h"
#include "review/word_effects.h"

namespace sieve {
namespace {

// Cells by the least reliable person who ticked them; those that nobody ticked come last.
std::vector<float> rank_by_annotators(const ReviewMaterial& material) {
  std::vector<float> rank(material.cells.size(), 2);
  const Votes* votes = material.data.votes.get();
  if (votes == nullptr || material.annotators.empty()) return rank;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const Cell at = material.cells[i].at;
    for (std::size_t annotation = votes->first_annotation(at.row);
         annotation < votes->first_annotation(at.row + 1); ++annotation)
      if (std::ranges::binary_search(votes->ticked(annotation), at.label))
        rank[i] = std::min(
            rank[i],
            static_cast<float>(material.annotators[votes->annotator(annotation)].agreement));
  }
  return rank;
}

// Choices without what seemed likely, in an order of their own.
std::vector<std::tuple<Cell, bool>> asked_for(const DecisionLine& line) {
  std::vector<std::tuple<Cell, bool>> all;
  for (const Choice& choice : line.choices) all.emplace_back(choice.at, choice.on);
  std::ranges::sort(all);
  return all;
}

// Whether the same request led to both. A rule says all; what it is about may change meanwhile.
bool same_request(const DecisionLine& a, const DecisionLine& b) {
  return a.kind == b.kind && a.reviewer == b.reviewer && a.note == b.note && a.rule == b.rule &&
         (a.kind == DecisionLine::Kind::Bulk || asked_for(a) == asked_for(b));
}

}  // namespace

Review::Review(ReviewMaterial material, ReviewOptions options)
    : material_(std::move(material)),
      options_(std::move(options)),
      annotator_rank_(rank_by_annotators(material_)),
      log_(options_.decisions, material_.data),
      ledger_(ledger_of(log_.content())),
      queue_(material_.cells, material_.data.votes.get(), ledger_, options_.overlap),
      words_(material_.texts, material_.cells),
      features_(material_.data.features, material_.cells, material_.data.labels()),
      search_(material_.data, material_.texts),
      guidelines_(guidelines_of(options_.guidelines, material_.data.label_names)) {
  if (options_.audited) {
    options_.audited->data = &material_.data;
    audit_ =
        std::make_unique<PageAudit>(std::move(*options_.audited), options_.audit, options_.level);
    audit_->read(log_.content(), ledger_);
    if (!options_.folder.empty()) go_on_with_audit();
  }
  if (options_.stop_at && !audit_) {
    stop_ = std::make_unique<StopLane>(material_.cells, material_.data.labels(), *options_.stop_at,
                                       options_.level);
    stop_->read(log_.content(), ledger_);
  }
  if (!is_only_blind() && WordOcclusion::is_possible(material_.model.get(), material_.texts))
    marker_ = std::make_unique<WordMarker>(*material_.model, material_.data, material_.texts,
                                           options_.background_learning);
  learn_now();
  if (options_.background_learning) learner_ = std::thread([this] { learn_in_turn(); });
}

Review::~Review() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (learner_.joinable()) learner_.join();
}

std::vector<std::string> Review::notes() const {
  std::vector<std::string> notes = log_.content().notes;
  if (material_.texts.empty())
    notes.push_back("the rows have no texts to show: the page shows the features that speak most");
  return notes;
}

void Review::learn_in_turn() {
  lower_thread_priority();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] {
        return ending_ || unlearnt_ >= learnt_anew_after(ledger_.looks(), options_.batch);
      });
      if (ending_) return;
    }
    try {
      learn_now();
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      warn(std::string("the order could not be learnt anew: ") + error.what());
    }
  }
}

void Review::learn_now() {
  std::vector<DecidedCell> decided;
  EstimateLine estimate;
  std::size_t removals = 0;
  {
    const std::lock_guard lock(mutex_);
    decided = ledger_.decided(material_.cells);
    unlearnt_ = 0;
    removals = removals_;
    estimate.decisions = ledger_.looks();
    estimate.line = log_.content().lines.empty() ? 0 : log_.content().lines.back().id;
  }
  CellProbabilities probabilities =
      learn(material_.cells, material_.data.labels(), decided, material_.trust, annotator_rank_);
  ErrorLeft left = error_left(material_.cells, probabilities, decided);
  const std::optional<Claim> claim = guess_left(left, guess_basis());
  if (claim) {
    estimate.share = claim->value;
    estimate.low = claim->low;
    estimate.high = claim->high;
  }

  // Swapped, so that the old ones are freed after the lock.
  const std::lock_guard lock(mutex_);
  std::swap(probabilities_, probabilities);
  std::swap(left_, left);
  removals_counted_ = removals;
  const auto& known = log_.content().estimates;
  if (claim && (known.empty() || known.back().line != estimate.line)) add_estimate(estimate);
}

void Review::add_estimate(const EstimateLine& estimate) {
  try {
    log_.add(estimate);
    dropping_ = false;
  } catch (const Error& error) {
    if (!dropping_)
      warn(std::string("an estimate of what is still wrong is not kept; decisions go on: ") +
           error.what());
    dropping_ = true;
  }
}

void Review::warn(const std::string& text) const {
  if (options_.warn) options_.warn(text);
}

void Review::require_in_place() {
  try {
    log_.require_in_place();
    misplaced_ = false;
  } catch (const MisplacedDecisions& error) {
    if (!misplaced_) warn(error.what());
    misplaced_ = true;
    throw;
  }
}

bool Review::is_repeated(const DecisionLine& line) const {
  if (!ledger_.knows(line.nonce)) return false;
  const auto before = std::ranges::lower_bound(log_.content().lines, ledger_.line_of(line.nonce),
                                               {}, &DecisionLine::id);
  if (!same_request(*before, line))
    throw Conflict("this nonce stands for another request, which was answered before");
  return true;
}

void Review::add_once(DecisionLine line) {
  if (!is_repeated(line)) add(std::move(line));
}

void Review::add(DecisionLine line) {
  const DecisionLine* undone =
      line.kind == DecisionLine::Kind::Undo ? ledger_.line(line.undoes) : nullptr;
  const std::vector<Choice> choices = undone != nullptr ? undone->choices : line.choices;
  const auto kind = undone != nullptr ? undone->kind : line.kind;
  const bool undoes = undone != nullptr;
  ledger_.apply(log_.add(std::move(line)));
  if (stop_ && undoes)
    stop_->read(log_.content(), ledger_);
  else if (stop_)
    stop_->take(log_.content().lines.back());
  for (const Choice& choice : choices) {
    queue_.refresh(choice.at);
    removals_ += !choice.on;
  }
  unlearnt_ += kind == DecisionLine::Kind::Bulk   ? options_.batch
               : kind == DecisionLine::Kind::Skip ? 0
                                                  : choices.size();
  wake_.notify_one();
}

std::size_t Review::decisions() {
  const std::lock_guard lock(mutex_);
  return ledger_.looks();
}

std::size_t Review::audited() {
  const std::lock_guard lock(mutex_);
  return audit_ ? audit_->answers().answered() : 0;
}

double Review::probability_of_cell(Cell at) const {
  const std::size_t cell = material_.cells.find(at);
  return cell == ReviewCells::npos ? std::numeric_limits<double>::quiet_NaN()
                                   : static_cast<double>(probabilities_.right[cell]);
}

void Review::require_review(const char* what) const {
  if (is_only_blind()) throw Conflict(std::string("an audit is blind: there is no ") + what);
}

std::optional<AuditClaimLine> Review::proved() const {
  const std::vector<DecisionLine>& lines = log_.content().lines;
  return audit_->claim_line(lines.empty() ? 0 : lines.back().id);
}

// A claim that cannot be kept is made again with the next answer.
void Review::add_claim() {
  try {
    if (const auto line = proved()) log_.add(*line);
  } catch (const Error& error) {
    warn(std::string("a claim is not kept; decisions go on: ") + error.what());
  }
}

// The first one begins the draws that say when to stop.
std::optional<Review::Blind> Review::next_blind() {
  if (audit_) {
    const auto asked = audit_->next();
    if (!asked) return std::nullopt;
    const AuditQuestion& question = audit_->question(*asked);
    return Blind{
        {static_cast<std::uint32_t>(question.row), static_cast<std::uint32_t>(question.label)},
        asked->question + 1,
        asked->pass,
        audit_->mark(*asked)};
  }
  const auto& lines = log_.content().lines;
  stop_->begin(ledger_, lines.empty() ? 0 : lines.back().id);
  const auto drawn = stop_->next();
  if (!drawn) return std::nullopt;
  return Blind{drawn->at, drawn->mark.draw, 1, drawn->mark};
}

Json Review::decide_audited(const Asking& asking, const std::string& nonce, const Choice& choice,
                            bool skip, const std::string& note) {
  DecisionLine line;
  line.kind = skip ? DecisionLine::Kind::Skip : DecisionLine::Kind::Decide;
  line.reviewer = asking.reviewer;
  line.choices = {choice};
  line.note = note;
  line.nonce = nonce;
  if (!is_repeated(line)) {
    const std::optional<Blind> asked = next_blind();
    if (!asked || asked->at != choice.at)
      throw Conflict("this question was answered meanwhile: reload the page");
    line.audited = asked->mark;
    add(std::move(line));
    if (audit_) {
      audit_->take(log_.content().lines.back());
      add_claim();
    }
    require_in_place();
  }
  Json::Members members = next_members(asking);
  members.emplace_back("line", ledger_.line_of(nonce));
  return Json::object(members);
}

Json Review::decide(const Asking& asking, const std::string& nonce, std::vector<Choice> choices,
                    bool skip, const std::string& note) {
  const std::lock_guard lock(mutex_);
  if (choices.empty()) throw Error(Failure::Usage, "there is nothing to decide");
  for (Choice& choice : choices) {
    if (choice.at.row >= material_.data.rows() || choice.at.label >= material_.data.labels() ||
        choice.at.row != choices.front().at.row)
      throw Error(Failure::Usage, "there is no such row or label");
    choice.probability = probability_of_cell(choice.at);
  }
  require_in_place();
  if (is_blind(asking)) {
    if (choices.size() != 1) throw Conflict("an audit asks about one label at a time");
    return decide_audited(asking, nonce, choices.front(), skip, note);
  }
  DecisionLine line;
  line.kind = skip                  ? DecisionLine::Kind::Skip
              : choices.size() == 1 ? DecisionLine::Kind::Decide
                                    : DecisionLine::Kind::Row;
  if (skip) choices.resize(1);
  line.reviewer = asking.reviewer;
  line.choices = std::move(choices);
  line.note = note;
  line.nonce = nonce;
  if (asking.check && !is_repeated(line)) {
    if (line.choices.size() != 1) throw Conflict("a check asks about one label at a time");
    line.audited = mark(sweep(*asking.check), line.choices.front().at);
  }
  add_once(std::move(line));
  require_in_place();
  Json::Members members = next_members(asking);
  members.emplace_back("line", ledger_.line_of(nonce));
  return Json::object(members);
}

Json Review::undo(const Asking& asking, const std::string& nonce) {
  const std::lock_guard lock(mutex_);
  require_in_place();
  DecisionLine undoing;
  undoing.kind = DecisionLine::Kind::Undo;
  undoing.reviewer = asking.reviewer;
  undoing.nonce = nonce;
  undoing.undoes = ledger_.last_line(ledger_.reviewer(asking.reviewer));
  if (is_repeated(undoing) || undoing.undoes == 0) {
    Json::Members members = next_members(asking);
    members.emplace_back("undone", Json());
    return Json::object(members);
  }
  const DecisionLine line = *ledger_.line(undoing.undoes);
  add(std::move(undoing));
  if (audit_ && line.audited) {
    audit_->read(log_.content(), ledger_);
    add_claim();
  }
  require_in_place();
  Json::Members members = {{"undone", Json::object({{"kind", std::string(kind_name(line.kind))},
                                                    {"cells", line.choices.size()},
                                                    {"note", line.note},
                                                    {"rule", line.rule}})},
                           {"counts", render_counts()}};
  Asking again = asking;
  again.audit = line.audited && !line.audited->of_sweep();
  if (is_blind(again) || line.choices.empty() || line.kind == DecisionLine::Kind::Bulk)
    for (auto& member : next_members(again)) {
      if (member.first != "counts") members.push_back(std::move(member));
    }
  else
    members.emplace_back("item", render_item(line.choices.front().at, std::nullopt));
  return Json::object(members);
}

std::vector<std::size_t> Review::cells_of(const BulkRule& rule) const {
  std::vector<std::size_t> found;
  const bool ticked = rule.action != BulkRule::Action::Add;
  for (std::size_t i = 0; i < material_.cells.size(); ++i) {
    const ReviewCell& cell = material_.cells[i];
    if (cell.ticked != ticked || (rule.label && *rule.label != cell.at.label)) continue;
    const auto right = static_cast<double>(probabilities_.right[i]);
    const bool meant =
        rule.action == BulkRule::Action::Remove ? right <= rule.threshold : right >= rule.threshold;
    if (meant && !ledger_.outcome(cell.at).decided()) found.push_back(i);
  }
  return found;
}

std::string Review::words_of(const BulkRule& rule) const {
  static constexpr const char* kActions[] = {"remove ticks", "keep ticks", "add labels"};
  return std::string(kActions[static_cast<std::size_t>(rule.action)]) +
         (rule.label ? " of " + material_.data.label_names[*rule.label] : "") +
         (rule.action == BulkRule::Action::Remove ? " with at most " : " with at least ") +
         std::to_string(rule.threshold);
}

const Review::Sweep& Review::sweep(std::uint64_t seed) const {
  const auto found = std::ranges::find(sweeps_, seed, &Sweep::seed);
  if (found == sweeps_.end()) throw Conflict("what was checked is not known any more: check again");
  return *found;
}

std::vector<std::size_t> Review::cells_left(const Sweep& sweep) const {
  std::vector<std::size_t> cells = sweep.cells;
  std::ranges::sort(cells);
  std::erase_if(
      cells, [&](std::size_t cell) { return ledger_.outcome(material_.cells[cell].at).decided(); });
  return cells;
}

// Cells are drawn one after the other, without replacement.
DecisionLine::Audited Review::mark(const Sweep& sweep, Cell checked) const {
  for (std::size_t k = 0; k < sweep.drawn; ++k)
    if (material_.cells[sweep.cells[k]].at == checked)
      return {.audit = sweep.rule + "; seed " + std::to_string(sweep.seed) + "; " +
                       std::to_string(sweep.cells.size()) + " cells",
              .lane = kSweepLane,
              .draw = k + 1,
              .probability = 1 / static_cast<double>(sweep.cells.size() - k),
              .shown = kShownBlind};
  throw Conflict("this label was not drawn to be checked");
}

Json Review::bulk(const Asking& asking, const std::string& nonce, const BulkRule& rule,
                  std::size_t expected, std::optional<std::uint64_t> checked) {
  const std::lock_guard lock(mutex_);
  require_review("rule about many labels");
  require_in_place();
  const bool on = rule.action != BulkRule::Action::Remove;
  DecisionLine line;
  line.kind = DecisionLine::Kind::Bulk;
  line.reviewer = asking.reviewer;
  line.nonce = nonce;
  line.rule = words_of(rule);
  if (!is_repeated(line)) {
    const std::vector<std::size_t> cells = checked ? cells_left(sweep(*checked)) : cells_of(rule);
    if (cells.size() != expected)
      throw Conflict("the order was learnt anew meanwhile: the rule is now about " +
                     std::to_string(cells.size()) + " cells");
    if (cells.empty()) throw Conflict("there is nothing to decide");
    for (const std::size_t cell : cells)
      line.choices.push_back(
          {material_.cells[cell].at, on, static_cast<double>(probabilities_.right[cell])});
    add(std::move(line));
    require_in_place();
  }
  Json::Members members = next_members(asking);
  members.emplace_back("line", ledger_.line_of(nonce));
  return Json::object(members);
}

}  // namespace sieve
