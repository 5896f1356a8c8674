// What the page shows, as JSON.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "claims/claim_json.h"
#include "crowd/log_odds.h"
#include "labelsieve/error.h"
#include "review/api.h"
#include "review/media.h"
#include "review/review.h"

namespace sieve {
namespace {

constexpr std::size_t kMostText = 20000;  // bytes of a cell that are shown
constexpr std::size_t kExcerpt = 140;     // ... in a list
constexpr std::size_t kMostFeatures = 10;
constexpr std::size_t kSimilar = 3;
constexpr std::size_t kExpected = 4;        // items ahead whose words are marked beforehand
constexpr float kStrong = 0.6F, kMark = 3;  // a word that moves log-odds so far is marked so
constexpr std::size_t kDecidedFirst = 200;  // rows with a decision that similar ones come from
constexpr std::size_t kBins = 14, kSample = 10, kChecked = 20, kSweeps = 16;
constexpr const char* kRuleNotClaimed =
    "Nothing is claimed about mistakes among them: an audit afterwards measures these.";

// Which step of log-odds a probability lies in; the first and the last one have the rest.
std::size_t bin_of(float right) {
  const double middle = static_cast<double>(kBins) / 2;
  const double step = std::floor(log_odds_of(static_cast<double>(right)) + middle);
  return static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(kBins - 1)));
}

Json answer_of(const Outcome& outcome) {
  return outcome.decided() ? Json(outcome.on ? "yes" : "no") : Json();
}

// How many annotators ticked each label of a row; nothing where nobody is named.
std::vector<std::size_t> ticks_of(const Dataset& data, std::size_t row) {
  if (!data.votes) return {};
  std::vector<std::size_t> ticks(data.labels(), 0);
  for (std::size_t annotation = data.votes->first_annotation(row);
       annotation < data.votes->first_annotation(row + 1); ++annotation)
    for (const std::uint32_t label : data.votes->ticked(annotation)) ++ticks[label];
  return ticks;
}

// Whether the model reads texts, so that rows are alike by their words.
bool reads_texts(const Dataset& data) {
  return data.recipe && std::ranges::any_of(data.recipe->columns, [](const RecipeColumn& column) {
           return column.kind == RecipeColumn::Kind::Text;
         });
}

std::string_view shortened(std::string_view text) {
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

Json Review::start(const std::string& reviewer) {
  const std::lock_guard lock(mutex_);
  const Dataset& data = material_.data;
  std::vector<std::string> annotators;
  if (data.votes)
    annotators.assign(data.votes->annotators().begin(), data.votes->annotators().end());
  if (is_only_blind()) annotators.clear();  // nobody's votes are shown
  std::size_t ticked = 0;
  for (std::size_t i = 0; i < material_.cells.size(); ++i) ticked += material_.cells[i].ticked;
  return Json::object({{"title", data.name},
                       {"rows", data.rows()},
                       {"cells", material_.cells.size()},
                       {"ticked", ticked},
                       {"labels", json_strings(data.label_names)},
                       {"numbered", render_numbered()},
                       {"guidelines", json_strings(guidelines_)},
                       {"people", json_strings(annotators)},
                       {"readable", !material_.texts.empty()},
                       {"judge", material_.judge},
                       {"audit", is_only_blind()},
                       {"workspace", !options_.folder.empty()},
                       {"folder", options_.folder},
                       {"decisions", options_.decisions},
                       {"sources", options_.sources},
                       {"judging", options_.judging},
                       {"trained", options_.trained},
                       {"reviewer", reviewer.empty() ? reviewer_name(options_.reviewer) : reviewer},
                       {"overlap", options_.overlap},
                       {"stop_at", options_.stop_at ? Json(*options_.stop_at) : Json()},
                       {"counts", render_counts()}});
}

// The labels that have a number key, for the whole review: those that are met most.
Json Review::render_numbered() const {
  constexpr std::size_t kKeys = 9;
  std::vector<std::size_t> met(material_.data.labels(), 0), labels(met.size());
  for (std::size_t i = 0; i < material_.cells.size(); ++i) ++met[material_.cells[i].at.label];
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  if (labels.size() > kKeys) {
    std::ranges::stable_sort(labels, std::greater{}, [&](std::size_t label) { return met[label]; });
    labels.resize(kKeys);
    std::ranges::sort(labels);
  }
  return Json::array(std::vector<Json>(labels.begin(), labels.end()));
}

Json Review::render_counts() const {
  const Queue::RowCounts rows = queue_.count_rows(probabilities_);
  return Json::object({{"decisions", ledger_.looks()},
                       {"decided", queue_.done()},
                       {"cells", material_.cells.size()},
                       {"rows_decided", rows.done},
                       {"rows_doubtful", rows.doubtful},
                       {"disputed", queue_.disputed()},
                       {"error", is_only_blind() ? Json() : render_error()},
                       {"audit_of", audit_of_ ? Json(undecided_name(*audit_of_)) : Json()},
                       {"audit", audit_  ? audit_->render_state()
                                 : stop_ ? stop_->render_state(labels_on())
                                         : Json()}});
}

// At least: some may have been taken away since they were counted.
std::size_t Review::labels_on() const {
  return left_.labels_on - std::min(left_.labels_on, removals_ - removals_counted_);
}

std::optional<Claim> Review::claim_left() const {
  if (stop_)
    if (auto claim = stop_->claim(labels_on())) return claim;
  if (const AuditClaimLine* audited = last_audit(log_.content(), material_.data.candidates))
    return audited_left(left_, *audited);
  return guess_left(left_, guess_basis());
}

std::optional<GuessFrom> Review::guess_basis() const {
  return material_.why_no_guess.empty() ? material_.guess_from : std::nullopt;
}

std::string Review::why_not_claimed() const {
  const std::string& why = material_.why_no_guess;
  return "How many labels are wrong is not known" + (why.empty() ? "" : ": " + why) +
         ". An audit of some 60 cells measures it.";
}

Json Review::render_error() const {
  const std::optional<Claim> claim = claim_left();
  // A guess is too weak to stop by: in simulated reviews it did so too early one time in five. It
  // says when draws are worth while.
  const bool sure = claim && (claim->basis == ClaimBasis::Audit || claim->high == 0);
  const bool enough = options_.stop_at && ((sure && claim->high <= *options_.stop_at) ||
                                           (stop_ && stop_->enough(labels_on())));
  const bool promising =
      stop_ && left_.pending_wrong <= *options_.stop_at * static_cast<double>(left_.labels_on);
  return Json::object({{"on", left_.labels_on},
                       {"claim", claim ? json_of(*claim) : Json()},
                       {"not_claimed", claim ? Json() : Json(why_not_claimed())},
                       {"draw", promising && !enough},
                       {"enough", enough}});
}

// Neither votes nor probabilities nor marks, nor whether the row has the label now.
Json Review::render_blind(const Blind& asked) {
  const Cell at = asked.at;
  Json::Members members = render_texts(at, true);
  members.insert(members.end(), {{"row", at.row},
                                 {"id", row_name(material_.data, at.row)},
                                 {"label", at.label},
                                 {"number", asked.number},
                                 {"pass", asked.pass},
                                 {"features", render_features(at, true)}});
  return Json::object(members);
}

Json::Members Review::next_members(const Asking& asking) {
  if (is_blind(asking)) {
    const std::optional<Blind> asked = next_blind();
    return {{"item", asked ? render_blind(*asked) : Json()}, {"counts", render_counts()}};
  }
  const auto found = queue_.next(probabilities_, asking.view, ledger_.reviewer(asking.reviewer),
                                 asking.from, Queue::Clock::now());
  Json item = found ? render_item(material_.cells[found->cell].at, found->index) : Json();
  if (found) expect_after(asking.view, found->index);
  return {{"item", std::move(item)},
          {"total", queue_.size(probabilities_, asking.view)},
          {"counts", render_counts()}};
}

void Review::expect_after(const QueueView& view, std::size_t index) {
  if (marker_ == nullptr) return;
  std::vector<std::size_t> rows;
  for (const std::size_t cell : queue_.list(probabilities_, view, index + 1, kExpected))
    rows.push_back(material_.cells[cell].at.row);
  marker_->expect(rows);
}

Json Review::next(const Asking& asking) {
  const std::lock_guard lock(mutex_);
  return Json::object(next_members(asking));
}

Json Review::at(const Asking& asking, std::size_t index) {
  const std::lock_guard lock(mutex_);
  require_review("queue");
  const auto found = queue_.list(probabilities_, asking.view, index, 1);
  if (found.empty()) return Json::object({{"item", Json()}, {"counts", render_counts()}});
  const Cell cell = material_.cells[found.front()].at;
  queue_.take(cell.row, ledger_.reviewer(asking.reviewer), Queue::Clock::now());
  return Json::object({{"item", render_item(cell, index)},
                       {"total", queue_.size(probabilities_, asking.view)},
                       {"counts", render_counts()}});
}

Json Review::item(const Asking& asking, Cell cell) {
  const std::lock_guard lock(mutex_);
  require_review("choice of labels");
  if (cell.row >= material_.data.rows() || cell.label >= material_.data.labels())
    throw Error(Failure::Usage, "there is no such row or label");
  queue_.take(cell.row, ledger_.reviewer(asking.reviewer), Queue::Clock::now());
  return Json::object({{"item", render_item(cell, std::nullopt)}, {"counts", render_counts()}});
}

Json Review::texts(Cell cell) {
  const std::lock_guard lock(mutex_);
  return Json::object(render_texts(cell, is_only_blind()));
}

Json Review::list(const QueueView& view, std::size_t from, std::size_t most) {
  const std::lock_guard lock(mutex_);
  require_review("queue");
  std::vector<Json> items;
  for (const std::size_t cell : queue_.list(probabilities_, view, from, most))
    items.push_back(render_short(cell));
  return Json::object({{"total", queue_.size(probabilities_, view)},
                       {"from", from},
                       {"items", Json::array(items)}});
}

Json Review::render_short(std::size_t cell) const {
  const ReviewCell& one = material_.cells[cell];
  return Json::object({{"row", one.at.row},
                       {"id", row_name(material_.data, one.at.row)},
                       {"label", one.at.label},
                       {"ticked", one.ticked},
                       {"confidence", static_cast<double>(probabilities_.right[cell])},
                       {"text", excerpt(material_.texts, one.at.row, kExcerpt)},
                       {"image", picture_of(one.at.row)},
                       {"answer", answer_of(ledger_.outcome(one.at))}});
}

// Where the first picture of a row is, as "row/column"; null if it has none.
Json Review::picture_of(std::size_t row) const {
  if (options_.media.empty() || material_.texts.empty()) return {};
  const std::vector<std::string>& cells = material_.texts.rows[row];
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (media_type(cells[k]).starts_with("image") && media_file(options_.media, cells[k]))
      return std::to_string(row) + "/" + std::to_string(k);
  return {};
}

Json Review::render_item(Cell at, std::optional<std::size_t> index) {
  const bool ticked = material_.data.candidates.get(at.row, at.label);
  Json::Members members = render_texts(at, false);
  members.insert(members.end(), {{"row", at.row},
                                 {"id", row_name(material_.data, at.row)},
                                 {"label", at.label},
                                 {"ticked", ticked},
                                 {"index", index ? Json(*index) : Json()},
                                 {"confidence", probability_of_cell(at)},
                                 {"answer", answer_of(ledger_.outcome(at))},
                                 {"labels", render_cells_of_row(at.row)},
                                 {"people", render_annotators(at)},
                                 {"features", render_features(at, false)},
                                 {"similar", render_similar(at)},
                                 {"verdicts", render_verdicts(at)}});
  return Json::object(members);
}

// All labels that are on, may be missing, or were decided.
Json Review::render_cells_of_row(std::size_t row) const {
  std::vector<Json> labels;
  const std::vector<std::size_t> ticks = ticks_of(material_.data, row);
  for (std::uint32_t label = 0; label < material_.data.labels(); ++label) {
    const Cell at{static_cast<std::uint32_t>(row), label};
    const Outcome outcome = ledger_.outcome(at);
    const bool ticked = material_.data.candidates.get(row, label);
    if (!ticked && !outcome.decided() && material_.cells.find(at) == ReviewCells::npos) continue;
    labels.push_back(Json::object({{"label", label},
                                   {"ticked", ticked},
                                   {"ticks", ticks.empty() ? Json() : Json(ticks[label])},
                                   {"confidence", probability_of_cell(at)},
                                   {"answer", answer_of(outcome)}}));
  }
  return Json::array(labels);
}

Json Review::render_annotators(Cell at) const {
  std::vector<Json> annotators;
  const Votes* votes = material_.data.votes.get();
  if (votes == nullptr) return Json::array(annotators);
  for (std::size_t annotation = votes->first_annotation(at.row);
       annotation < votes->first_annotation(at.row + 1); ++annotation) {
    const std::size_t annotator = votes->annotator(annotation);
    Json::Members members = {
        {"name", votes->annotators()[annotator]},
        {"ticked", std::ranges::binary_search(votes->ticked(annotation), at.label)},
        {"unsure", !votes->speaks_of(annotation, at.label)},
        {"program", votes->is_program(annotator)}};
    if (!material_.annotators.empty() && material_.annotators[annotator].compared) {
      const AnnotatorQuality& quality = material_.annotators[annotator];
      members.insert(members.end(), {{"agreement", quality.agreement},
                                     {"looks", quality.annotations},
                                     {"guesses", quality.guesses}});
    }
    annotators.push_back(Json::object(members));
  }
  return Json::array(annotators);
}

// "marked" is by whom: the model, how often words go with the label ("counts"), or not yet.
Json::Members Review::render_texts(Cell at, bool blind) {
  std::vector<Json> columns;
  if (material_.texts.empty()) return {{"texts", Json::array(columns)}, {"marked", "counts"}};
  const auto effects = marker_ == nullptr || blind ? nullptr : marker_->find(at.row);
  const auto marked = [&](std::string_view text) {
    if (blind) return std::vector<MarkedPiece>{{text, 0}};
    if (marker_ == nullptr) return words_.marked(text, at.row, at.label, probabilities_);
    if (effects == nullptr) return std::vector<MarkedPiece>{{text, 0}};
    const double scale = double{kMark / std::max(kStrong, effects->largest[at.label])};
    return marked_pieces(text,
                         [&](std::uint64_t hash) { return scale * effects->of(hash, at.label); });
  };
  for (std::size_t k = 0; k < material_.texts.columns.size(); ++k) {
    const std::string& text = material_.texts.rows[at.row][k];
    if (text.empty()) continue;
    Json::Members members = {{"name", material_.texts.columns[k]}};
    const std::string type = options_.media.empty() ? "" : media_type(text);
    if (!type.empty() && media_file(options_.media, text)) {
      members.emplace_back(type.starts_with("image") ? "image" : "audio",
                           std::to_string(at.row) + "/" + std::to_string(k));
      members.emplace_back("file", text);
    } else {
      std::vector<Json> pieces;
      for (const MarkedPiece& piece : marked(shortened(text)))
        pieces.push_back(
            Json::array({std::string(piece.text), std::round(piece.weight * 100) / 100}));
      members.emplace_back("pieces", Json::array(pieces));
      members.emplace_back("cut", text.size() > kMostText);
    }
    columns.push_back(Json::object(members));
  }
  const char* by = marker_ == nullptr || blind ? "counts" : effects == nullptr ? "later" : "model";
  return {{"texts", Json::array(columns)}, {"marked", by}};
}

Json Review::render_features(Cell at, bool blind) {
  std::vector<Json> told;
  if (!material_.texts.empty()) return Json::array(told);
  const auto& names = material_.data.feature_names;
  if (blind) {  // those that speak most would tell what a model thinks
    std::vector<float> values(material_.data.features.cols());
    material_.data.features.copy_row(at.row, values);
    for (std::size_t j = 0; j < std::min(values.size(), kMostFeatures); ++j)
      told.push_back(
          Json::object({{"name", names.empty() ? "feature " + std::to_string(j + 1) : names[j]},
                        {"value", static_cast<double>(values[j])}}));
    return Json::array(told);
  }
  for (const TellingFeature& one :
       features_.telling(at.row, at.label, probabilities_, kMostFeatures))
    told.push_back(
        Json::object({{"name", names.empty() ? "feature " + std::to_string(one.feature + 1)
                                             : names[one.feature]},
                      {"value", static_cast<double>(one.value)},
                      {"usual", one.usual},
                      {"weight", one.weight}}));
  return Json::array(told);
}

Json Review::render_similar(Cell at) {
  const std::vector<std::size_t> decided = ledger_.rows_decided(at.label, kDecidedFirst);
  // Alike as the model sees them: by words only where it reads words, or nothing else is there.
  std::vector<std::size_t> rows;
  if (!reads_texts(material_.data)) rows = features_.nearest(at.row, at.label, decided, kSimilar);
  if (rows.empty()) rows = words_.nearest(at.row, at.label, decided, kSimilar);
  std::vector<Json> told;
  for (const std::size_t row : rows) {
    const Cell there{static_cast<std::uint32_t>(row), at.label};
    told.push_back(Json::object({{"row", row},
                                 {"id", row_name(material_.data, row)},
                                 {"text", excerpt(material_.texts, row, kExcerpt)},
                                 {"image", picture_of(row)},
                                 {"ticked", material_.data.candidates.get(row, at.label)},
                                 {"confidence", probability_of_cell(there)},
                                 {"answer", answer_of(ledger_.outcome(there))}}));
  }
  return Json::array(told);
}

Json Review::render_verdicts(Cell at) const {
  std::vector<Json> told;
  for (const CellVerdict& verdict : ledger_.last_words(at)) {
    const DecisionLine* line = ledger_.line(verdict.line);
    const char* answer = verdict.kind == CellVerdict::Kind::Skipped ? "skip"
                         : verdict.on                               ? "yes"
                                                                    : "no";
    told.push_back(Json::object({{"reviewer", ledger_.reviewers()[verdict.reviewer]},
                                 {"answer", answer},
                                 {"rule", line->rule},
                                 {"note", line->note},
                                 {"made", line->made}}));
  }
  return Json::array(told);
}

Json Review::progress() {
  const std::lock_guard lock(mutex_);
  std::vector<Json> past, reviewers;
  for (const EstimateLine& one : log_.content().estimates)
    past.push_back(Json::array({one.decisions, one.share, one.low, one.high}));
  std::vector<std::size_t> looks(ledger_.reviewers().size(), 0);
  for (const DecisionLine& line : log_.content().lines)
    if (ledger_.line(line.id) != nullptr && line.kind != DecisionLine::Kind::Skip &&
        line.kind != DecisionLine::Kind::Bulk)
      looks[ledger_.reviewer(line.reviewer)] += line.choices.size();
  for (std::size_t k = 0; k < looks.size(); ++k)
    reviewers.push_back(Json::object({{"name", ledger_.reviewers()[k]}, {"decisions", looks[k]}}));
  const LedgerAgreement agreement = ledger_.agreement();
  return Json::object(
      {{"counts", render_counts()},
       {"past", Json::array(past)},
       {"audit", audit_ ? audit_->render_result() : Json()},
       {"reviewers", Json::array(reviewers)},
       {"agreement",
        Json::object({{"cells", agreement.cells},
                      {"share", agreement.pairs == 0 ? Json() : Json(agreement.share())}})}});
}

Json Review::preview(const BulkRule& rule) {
  const std::lock_guard lock(mutex_);
  require_review("rule about many labels");
  std::vector<std::size_t> cells = cells_of(rule);
  BulkRule any = rule;
  any.threshold = rule.action == BulkRule::Action::Remove ? 1 : 0;
  std::vector<std::size_t> bins(kBins, 0);
  for (const std::size_t cell : cells_of(any)) ++bins[bin_of(probabilities_.right[cell])];
  // From the surest to the one at the threshold.
  std::ranges::sort(cells, {}, [&](std::size_t cell) { return probabilities_.right[cell]; });
  std::vector<Json> sample;
  const std::size_t some = std::min(kSample, cells.size());
  for (std::size_t k = 0; k < some; ++k)
    sample.push_back(render_short(cells[some == 1 ? 0 : k * (cells.size() - 1) / (some - 1)]));
  std::vector<Json> heights(bins.begin(), bins.end());
  return Json::object({{"count", cells.size()},
                       {"not_claimed", kRuleNotClaimed},
                       {"bins", Json::array(heights)},
                       {"sample", Json::array(sample)}});
}

Json Review::check(const BulkRule& rule, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  require_review("rule about many labels");
  if (sweeps_.size() == kSweeps) sweeps_.erase(sweeps_.begin());
  Sweep& sweep = sweeps_.emplace_back(Sweep{seed, words_of(rule), cells_of(rule), 0});
  std::vector<std::size_t>& cells = sweep.cells;
  sweep.drawn = std::min(kChecked, cells.size());
  Random random(seed, Purpose::Audit);
  std::vector<Json> items;
  for (std::size_t k = 0; k < sweep.drawn; ++k) {
    std::swap(cells[k], cells[k + random.below(cells.size() - k)]);
    const Cell at = material_.cells[cells[k]].at;
    Json::Members members = render_texts(at, true);
    members.insert(members.end(), {{"row", at.row},
                                   {"id", row_name(material_.data, at.row)},
                                   {"label", at.label},
                                   {"features", render_features(at, true)}});
    items.push_back(Json::object(members));
  }
  return Json::object({{"count", cells.size()}, {"items", Json::array(items)}});
}

Json Review::checked(std::uint64_t seed, std::size_t mistakes) {
  const std::lock_guard lock(mutex_);
  const std::size_t batch = sweep(seed).cells.size(), checks = sweep(seed).drawn;
  if (checks == 0 || mistakes > checks)
    throw Error(Failure::Usage, "there are no more mistakes than checks");
  return Json::object(
      {{"claim", json_of(sample_claim({mistakes, checks, batch}, options_.level, "mistakes"))}});
}

}  // namespace sieve
