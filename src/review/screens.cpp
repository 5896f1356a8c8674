// The screens beside the cards: what to do first, who adds wrong ticks, what is written.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "base/streams.h"
#include "claims/claim_json.h"
#include "data/annotations/annotations_back.h"
#include "data/table_source.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "pipeline/columns_beside.h"
#include "report/rendered.h"
#include "review/review.h"

namespace sieve {
namespace {

constexpr std::size_t kWorst = 10;           // ticks in a feedback ...
constexpr std::size_t kWorstLabels = 3;      // ... and labels
constexpr std::size_t kNamedAnnotators = 3;  // in a sentence
constexpr std::size_t kPreviewed = 5;        // rows of an export
constexpr std::size_t kLine = 140;           // bytes of a row in a list

struct LabelState {
  PartlyDecided ticks{};
  std::size_t doubtful = 0;
};

struct AnnotatorHarm {
  std::size_t annotations = 0;
  PartlyDecided ticks{};
};

// Of each label: ticks, and wrong ones.
using TicksOfLabels = std::vector<std::pair<std::size_t, double>>;

double wrong_of(const PartlyDecided& ticks) {
  return ticks.found + ticks.estimated;
}

void add_ticks(const PartlyDecided& some, PartlyDecided& sum) {
  sum.cells += some.cells, sum.open += some.open;
  sum.found += some.found, sum.estimated += some.estimated;
}

// Calls visit(annotator, cell) for every tick of every annotator.
template <class Visit>
void for_each_tick(const Votes& votes, std::size_t rows, Visit&& visit) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation))
        visit(votes.annotator(annotation), Cell{static_cast<std::uint32_t>(row), label});
}

template <class Tick>
std::vector<AnnotatorHarm> harms_of(const Dataset& data, Tick&& tick) {
  if (!data.votes) return {};
  const Votes& votes = *data.votes;
  std::vector<AnnotatorHarm> harms(votes.annotators().size());
  for (std::size_t k = 0; k < votes.first_annotation(data.rows()); ++k)
    ++harms[votes.annotator(k)].annotations;
  for_each_tick(votes, data.rows(), [&](std::size_t annotator, Cell at) {
    add_ticks(tick(at), harms[annotator].ticks);
  });
  return harms;
}

// The ticks of these annotators by label: all of them would take annotators x labels.
template <class Wrong>
std::vector<TicksOfLabels> ticks_of(const Dataset& data, const std::vector<std::size_t>& some,
                                    Wrong&& wrong) {
  std::vector<TicksOfLabels> all(some.size(), TicksOfLabels(data.labels()));
  std::unordered_map<std::size_t, std::size_t> places;
  for (const std::size_t annotator : some) places.emplace(annotator, places.size());
  if (some.empty()) return all;
  for_each_tick(*data.votes, data.rows(), [&](std::size_t annotator, Cell at) {
    const auto place = places.find(annotator);
    if (place == places.end()) return;
    auto& [ticks, bad] = all[place->second][at.label];
    ++ticks, bad += wrong(at);
  });
  return all;
}

std::vector<std::size_t> most_harm_first(const std::vector<AnnotatorHarm>& harms) {
  std::vector<std::size_t> order(harms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t k) { return wrong_of(harms[k].ticks); });
  return order;
}

// The ticks of the first few in this order who seem to add any wrong ones.
PartlyDecided ticks_of_worst(const std::vector<AnnotatorHarm>& harms,
                             const std::vector<std::size_t>& order) {
  PartlyDecided sum;
  for (std::size_t k = 0; k < std::min(order.size(), kNamedAnnotators); ++k) {
    const PartlyDecided& one = harms[order[k]].ticks;
    if (wrong_of(one) < 1) break;
    add_ticks(one, sum);
  }
  return sum;
}

Json claim_or_null(const std::optional<Claim>& claim) {
  return claim ? json_of(*claim) : Json();
}

struct Changes {
  std::size_t kept = 0, removed = 0, added = 0;
  bool any() const { return removed + added > 0; }
};

// Calls visit(label, change) for each label that a row had or gets.
template <class Visit>
void for_each_label(const LabelMatrix& before, std::size_t row, const LabelMatrix& after,
                    std::size_t place, Visit&& visit) {
  for (std::size_t label = 0; label < before.labels(); ++label) {
    const bool was = before.get(row, label), is = after.get(place, label);
    if (was || is) visit(label, was && is ? "kept" : was ? "removed" : "added");
  }
}

Changes changes_of(const LabelMatrix& before, std::size_t row, const LabelMatrix& after,
                   std::size_t place) {
  Changes changes;
  for_each_label(before, row, after, place, [&](std::size_t, std::string_view change) {
    changes.kept += change == "kept";
    changes.removed += change == "removed";
    changes.added += change == "added";
  });
  return changes;
}

Json line_of(const Dataset& before, const ReviewedLabels& after, std::size_t place,
             const RowTexts& texts) {
  const std::size_t row = after.rows[place];
  std::vector<Json> labels;
  for_each_label(before.candidates, row, after.data.candidates, place,
                 [&](std::size_t label, const char* change) {
                   labels.push_back(Json::array({Json(label), Json(change)}));
                 });
  return Json::object({{"id", row_name(before, row)},
                       {"text", excerpt(texts, row, kLine)},
                       {"labels", Json::array(labels)}});
}

// How many labels of the written rows are kept, removed and added, in how many rows anything
// changes, and the first of these.
Json export_preview(const Dataset& before, const ReviewedLabels& after, const RowTexts& texts) {
  Changes all;
  std::size_t changed = 0;
  std::vector<Json> first;
  for (std::size_t place = 0; place < after.rows.size(); ++place) {
    const Changes one =
        changes_of(before.candidates, after.rows[place], after.data.candidates, place);
    all.kept += one.kept, all.removed += one.removed, all.added += one.added;
    if (!one.any()) continue;
    ++changed;
    if (first.size() < kPreviewed) first.push_back(line_of(before, after, place, texts));
  }
  return Json::object({{"kept", all.kept},
                       {"removed", all.removed},
                       {"added", all.added},
                       {"changed", changed},
                       {"first", Json::array(first)}});
}

}  // namespace

// As people decided; else, and where only a rule did, as likely as it seems.
PartlyDecided Review::tick(Cell at) const {
  const Outcome outcome = ledger_.outcome(at);
  if (outcome.looked > 0) return {.cells = 1, .found = outcome.on ? 0.0 : 1.0};
  const std::size_t cell = material_.cells.find(at);
  const bool known = cell != ReviewCells::npos;
  return {.cells = 1,
          .open = 1,
          .estimated = known ? 1 - static_cast<double>(probabilities_.right[cell]) : 0};
}

std::optional<Claim> Review::guess_of(const PartlyDecided& ticks, GuessAbout about) const {
  if (ticks.open > 0 && !material_.guess_from) return std::nullopt;
  return guess(ticks, {.about = about, .from = material_.guess_from.value_or(GuessFrom::Votes)});
}

// What the audit of these ticks says, within what decisions leave possible; else a guess.
std::optional<Claim> Review::claim_of_label(std::size_t label, const PartlyDecided& ticks,
                                            const std::vector<AuditedLabel>& audited) const {
  const auto found = std::ranges::find(audited, label, &AuditedLabel::label);
  if (ticks.open > 0 && found != audited.end() && found->claim) {
    Claim claim = *found->claim;
    const auto all = static_cast<double>(ticks.cells), open = static_cast<double>(ticks.open);
    claim.low = std::max(claim.low, ticks.found / all);
    claim.high = std::max(claim.low, std::min(claim.high, (ticks.found + open) / all));
    claim.value = std::clamp(claim.value, claim.low, claim.high);
    return claim;
  }
  const auto& why = material_.why_no_label_guess;
  if (ticks.open > 0 && !why.empty() && !why[label].empty()) return std::nullopt;
  return guess_of(ticks, GuessAbout::LabelNoise);
}

std::vector<AuditedLabel> Review::audited_labels() const {
  if (!audit_ || audit_->answers().answered() == 0 || audit_->audit().request().rows ||
      !is_about(audit_->audit().code(), material_.data.candidates))
    return {};
  return audit_result(audit_->audit(), audit_->answers(), options_.level).labels;
}

Json Review::overview() {
  const std::lock_guard lock(mutex_);
  require_review("overview");
  const Dataset& data = material_.data;
  std::vector<LabelState> states(data.labels());
  for (std::size_t i = 0; i < material_.cells.size(); ++i) {
    const ReviewCell& cell = material_.cells[i];
    if (!cell.ticked) continue;
    LabelState& one = states[cell.at.label];
    add_ticks(tick(cell.at), one.ticks);
    one.doubtful += !ledger_.outcome(cell.at).decided() && is_doubtful(probabilities_.right[i]);
  }
  std::vector<Json> labels, people;
  const std::vector<AuditedLabel> audited = audited_labels();
  for (std::size_t label = 0; label < states.size(); ++label) {
    const LabelState& one = states[label];
    if (one.ticks.cells == 0) continue;
    const std::optional<Claim> claim = claim_of_label(label, one.ticks, audited);
    const auto& why = material_.why_no_label_guess;
    labels.push_back(
        Json::object({{"label", label},
                      {"ticks", one.ticks.cells},
                      {"doubtful", one.doubtful},
                      {"claim", claim_or_null(claim)},
                      {"not_claimed", claim || why.empty() ? Json() : Json(why[label])}}));
  }
  const auto harms = harms_of(data, [&](Cell at) { return tick(at); });
  const std::vector<std::size_t> order = most_harm_first(harms);
  for (const std::size_t k : order) {
    if (people.size() == 30) break;
    const PartlyDecided& ticks = harms[k].ticks;
    people.push_back(
        Json::object({{"who", k},
                      {"name", data.votes->annotators()[k]},
                      {"ticks", ticks.cells},
                      {"wrong", wrong_of(ticks)},
                      {"claim", claim_or_null(guess_of(ticks, GuessAbout::AnnotatorNoise))}}));
  }
  const PartlyDecided worst = ticks_of_worst(harms, order);
  return Json::object(
      {{"rows", data.rows()},
       {"ticks", data.candidates.count()},
       {"labels", Json::array(labels)},
       {"annotators", Json::array(people)},
       {"annotators_all", harms.size()},
       {"worst",
        Json::object({{"ticks", worst.cells},
                      {"claim", claim_or_null(guess_of(worst, GuessAbout::AnnotatorNoise))}})},
       {"counts", render_counts()}});
}

Json Review::annotators(std::size_t from, std::size_t most, const std::string& name) {
  const std::lock_guard lock(mutex_);
  require_review("overview");
  const Dataset& data = material_.data;
  const auto harms = harms_of(data, [&](Cell at) { return tick(at); });
  std::vector<std::size_t> order = most_harm_first(harms);
  if (!name.empty())
    std::erase_if(order,
                  [&](std::size_t k) { return !holds_word(data.votes->annotators()[k], name); });
  const std::size_t found = order.size();
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(from, found)));
  order.resize(std::min(order.size(), most));
  const auto by_label = ticks_of(data, order, [&](Cell at) { return wrong_of(tick(at)); });
  std::vector<Json> people;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t k = order[place];
    std::vector<Json> labels;
    for (const auto& [ticks, wrong] : by_label[place])
      labels.push_back(Json::array({ticks, wrong}));
    const bool known = !material_.annotators.empty() && material_.annotators[k].compared;
    people.push_back(Json::object(
        {{"who", k},
         {"name", data.votes->annotators()[k]},
         {"annotations", harms[k].annotations},
         {"ticks", harms[k].ticks.cells},
         {"wrong", wrong_of(harms[k].ticks)},
         {"claim", claim_or_null(guess_of(harms[k].ticks, GuessAbout::AnnotatorNoise))},
         {"agreement", known ? Json(material_.annotators[k].agreement) : Json()},
         {"guesses", known && material_.annotators[k].guesses},
         {"labels", Json::array(labels)}}));
  }
  return Json::object({{"total", harms.size()},
                       {"found", found},
                       {"rows", data.rows()},
                       {"annotations", data.votes ? data.votes->first_annotation(data.rows()) : 0},
                       {"annotators", Json::array(people)}});
}

Json Review::annotator(std::size_t who) {
  const std::lock_guard lock(mutex_);
  require_review("overview");
  const Dataset& data = material_.data;
  if (!data.votes || who >= data.votes->annotators().size())
    throw Error(Failure::Usage, "there is no such annotator");
  std::vector<std::pair<double, Cell>> ticks;
  std::vector<PartlyDecided> states(data.labels());
  std::size_t annotations = 0;
  for (std::size_t k = 0; k < data.votes->first_annotation(data.rows()); ++k)
    annotations += data.votes->annotator(k) == who;
  for_each_tick(*data.votes, data.rows(), [&](std::size_t annotator, Cell at) {
    if (annotator != who) return;
    const PartlyDecided one = tick(at);
    add_ticks(one, states[at.label]);
    ticks.emplace_back(-wrong_of(one), at);
  });
  std::vector<std::size_t> labels(states.size());
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  std::ranges::stable_sort(labels, std::greater{},
                           [&](std::size_t l) { return wrong_of(states[l]); });
  labels.resize(std::min(labels.size(), kWorstLabels));
  std::vector<Json> worst_labels;
  for (const std::size_t label : labels)
    worst_labels.push_back(Json::array({label, states[label].cells, wrong_of(states[label])}));
  std::ranges::stable_sort(ticks);
  std::vector<Json> worst;
  for (const auto& [wrong, at] : ticks) {
    if (worst.size() == kWorst || wrong > -0.5) break;
    const Outcome outcome = ledger_.outcome(at);
    worst.push_back(
        Json::object({{"row", at.row},
                      {"id", row_name(data, at.row)},
                      {"label", at.label},
                      {"ticked", true},
                      {"text", excerpt(material_.texts, at.row, kLine)},
                      {"image", picture_of(at.row)},
                      {"confidence", probability_of_cell(at)},
                      {"answer", outcome.decided() ? Json(outcome.on ? "yes" : "no") : Json()}}));
  }
  return Json::object({{"name", data.votes->annotators()[who]},
                       {"annotations", annotations},
                       {"ticks", ticks.size()},
                       {"labels", Json::array(worst_labels)},
                       {"worst", Json::array(worst)}});
}

// ---- export

std::optional<MachineLabels> Review::machine_for(Undecided undecided,
                                                 const Decisions& decisions) const {
  if (undecided != Undecided::Machine) return std::nullopt;
  if (!material_.machine) throw Conflict("nothing judges these labels");
  return machine_labels(*material_.machine, material_.cells,
                        decided_cells(decisions, material_.data, material_.cells));
}

Json Review::export_choices() {
  const std::lock_guard lock(mutex_);
  require_review("export");
  const Reviewed reviewed = read_reviewed(options_.decisions, material_.data);
  std::vector<Json> choices;
  for (const Undecided one : {Undecided::Keep, Undecided::Machine, Undecided::Drop}) {
    if (one == Undecided::Machine && !material_.machine) continue;
    const std::optional<MachineLabels> machine = machine_for(one, log_.content());
    const ReviewedLabels labels =
        reviewed_labels(material_.data, reviewed, one, machine ? &machine->kept : nullptr);
    // Only what an audit says of these labels is known, and a guess of those that are kept.
    const SinceAudit since = audit_of_ == one ? since_audit(labels.data.candidates) : SinceAudit{};
    const std::optional<Claim> claim =
        since.claim || one != Undecided::Keep ? since.claim : claim_left();
    choices.push_back(
        Json::object({{"undecided", undecided_name(one)},
                      {"rows", labels.rows.size()},
                      {"labels", labels.data.candidates.count()},
                      {"changed", since.changed},
                      {"preview", export_preview(material_.data, labels, material_.texts)},
                      {"wrong", claim_or_null(claim)}}));
  }
  const std::string layout = layout_of_annotations(material_.annotations, FileSystem::real());
  const TableSource* source = source_of(material_.data);
  const bool comes_back = std::ranges::count(layouts_written_back(), layout) != 0;
  return Json::object({{"choices", Json::array(choices)},
                       {"name", free_name("labels", source ? source->ending() : ".csv")},
                       {"layout", comes_back ? Json(layout) : Json()},
                       {"back_name", comes_back ? Json(back_name(layout)) : Json()},
                       {"beside", json_strings(names_beside())},
                       {"rows", material_.data.rows()},
                       {"folder", options_.folder},
                       {"answered", audit_ ? audit_->answers().answered() : 0},
                       {"counts", render_counts()}});
}

// ---- audits of what is exported

LabelMatrix Review::labels_to_write(Undecided undecided, const Decisions& decisions) const {
  std::optional<MachineLabels> machine = machine_for(undecided, decisions);
  LabelMatrix labels = machine ? std::move(machine->kept) : material_.data.candidates.clone();
  for (const auto& [at, outcome] : ledger_of(decisions).decided())
    labels.set(at.row, at.label, outcome.on);
  return labels;
}

Json Review::begin_audit(std::optional<Undecided> of) {
  const std::lock_guard lock(mutex_);
  require_review("choice of labels");
  if (!audit_) throw Conflict("this page has no audit");
  if (of == Undecided::Drop) throw Conflict("people decided all of these labels");
  require_in_place();
  audit_labels(of, of ? labels_to_write(*of, log_.content()) : material_.data.candidates.share());
  // So that it goes on after a restart: these labels were there when the log had so many lines.
  if (const auto begun = proved()) log_.add(*begun);
  return Json::object({{"counts", render_counts()}});
}

// With the probabilities of the audit before.
void Review::audit_labels(std::optional<Undecided> of, LabelMatrix labels) {
  const AuditSubject& before = audit_->audit().subject();
  AuditSubject subject{.data = &material_.data,
                       .exported = std::move(labels),
                       .probabilities_from = before.probabilities_from};
  if (before.probabilities) subject.probabilities = before.probabilities->clone();
  std::vector<std::size_t> all(material_.data.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (before.of_candidates) subject.of_candidates = before.of_candidates->select_rows(all);
  audit_ = std::make_unique<PageAudit>(std::move(subject), options_.audit, options_.level);
  audit_->read(log_.content(), ledger_);
  audit_of_ = of;
}

// The last audit of the log. Its labels are made again from the decisions that were there then.
void Review::go_on_with_audit() {
  const std::vector<AuditClaimLine>& claims = log_.content().claims;
  const auto last = std::ranges::find_if(claims.rbegin(), claims.rend(), [](const auto& claim) {
    return parse_audit_code(claim.audit).has_value();
  });
  if (last == claims.rend()) return;
  const AuditCode code = *parse_audit_code(last->audit);
  if (is_about(code, material_.data.candidates)) return;
  const std::uint64_t then = std::ranges::find(claims, last->audit, &AuditClaimLine::audit)->line;
  Decisions before = log_.content();
  std::erase_if(before.lines, [&](const DecisionLine& line) { return line.id > then; });
  for (const Undecided of : {Undecided::Machine, Undecided::Keep}) {
    if (of == Undecided::Machine && !material_.machine) continue;
    LabelMatrix labels = labels_to_write(of, before);
    if (is_about(code, labels)) return audit_labels(of, std::move(labels));
  }
  warn(
      "the labels that the last audit was about cannot be made again from these data and "
      "settings: the audit of the page is about the labels as they came");
}

Review::SinceAudit Review::since_audit(const LabelMatrix& labels) const {
  const std::optional<AuditClaimLine> audited = proved();
  const LabelMatrix& then = audit_->audit().subject().exported;
  ErrorLeft left{.labels_on = labels.count()};
  left.pending = left.labels_on;
  for (const auto& [at, outcome] : ledger_.decided()) {
    if (outcome.looked == 0) continue;
    left.pending -= labels.get(at.row, at.label);
    left.removed += then.get(at.row, at.label) && !labels.get(at.row, at.label);
  }
  SinceAudit since;
  for (std::uint32_t row = 0; row < labels.rows(); ++row)
    for (std::uint32_t label = 0; label < labels.labels(); ++label)
      since.changed += labels.get(row, label) != then.get(row, label) &&
                       ledger_.outcome({row, label}).looked == 0;
  if (since.changed == 0 && audited && audited->decisions > 0)
    since.claim = audited_left(left, *audited);
  return since;
}

// "labels.csv", or the first of "labels-2.csv" and so on that is not there yet.
std::string Review::free_name(const std::string& stem, const std::string& ending) const {
  std::string name = stem + ending;
  for (int k = 2; FileSystem::real().exists(std::filesystem::path(options_.folder) / name); ++k)
    name = fmt::format("{}-{}{}", stem, k, ending);
  return name;
}

std::string Review::back_name(const std::string& layout) const {
  const std::string& path = material_.annotations.path;
  const bool table = path.find(".csv") != path.npos || path.find(".tsv") != path.npos;
  const std::string ending = layout == "label-studio" || layout == "argilla" ? ".json"
                             : layout == "cekaplus"                          ? ".resp"
                             : table                                         ? ".csv"
                                                                             : ".jsonl";
  const std::string packed = path.substr(unpacked_name(path).size());
  return free_name("annotations-reviewed", ending + packed);
}

// A name, and nothing that leads elsewhere.
std::string Review::path_of_export(const std::string& name) const {
  if (options_.folder.empty()) throw Conflict("this page writes no files: it has no folder");
  const bool plain = !name.empty() && name.front() != '.' && name.size() < 200 &&
                     std::ranges::none_of(name, [](char c) {
                       return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 32;
                     });
  if (!plain) throw Error(Failure::Usage, "the name of a file is needed, without a folder");
  const std::filesystem::path path = std::filesystem::path(options_.folder) / name;
  if (std::filesystem::exists(path))
    throw Conflict(name + " exists. It was not changed: choose another name.");
  return path.string();
}

Json Review::export_labels(const ExportRequest& request) {
  const std::lock_guard lock(mutex_);
  require_review("export");
  const std::string path = path_of_export(request.name);
  const Dataset& before = material_.data;
  const Reviewed reviewed = read_reviewed(options_.decisions, before);
  const std::optional<MachineLabels> machine = machine_for(request.undecided, log_.content());
  const ReviewedLabels labels =
      reviewed_labels(before, reviewed, request.undecided, machine ? &machine->kept : nullptr);
  if (labels.rows.empty()) throw Conflict("no row is decided yet: there is nothing to write");
  FileSet set;
  write_table(
      labels.data, path, {},
      {.as_read = true,
       .beside = columns_of_rows(
           columns_beside(request.with, {before, before.candidates,
                                         machine ? &machine->probabilities : nullptr, reviewed}),
           labels.rows)},
      set);
  set.commit();
  return Json::object({{"path", path},
                       {"rows", labels.rows.size()},
                       {"labels", labels.data.candidates.count()},
                       {"notes", json_strings(lost_by_writing(labels.data, path, {}))}});
}

Json Review::export_annotations(const ExportRequest& request) {
  const std::lock_guard lock(mutex_);
  require_review("export");
  const std::string path = path_of_export(request.name);
  const Dataset& before = material_.data;
  const Reviewed reviewed = read_reviewed(options_.decisions, before);
  const std::optional<MachineLabels> machine = machine_for(request.undecided, log_.content());
  // All rows come back.
  const ReviewedLabels labels =
      reviewed_labels(before, reviewed, machine ? Undecided::Machine : Undecided::Keep,
                      machine ? &machine->kept : nullptr);
  FileSet set;
  std::vector<std::string> notes;
  write_annotations_back(
      before,
      decisions_written_back(labels.data, reviewed,
                             {.probabilities = machine ? &machine->probabilities : nullptr,
                              .version = machine ? material_.judge : "",
                              .all_rows = machine.has_value()}),
      material_.annotations, FileSystem::real(),
      set.add(FileSystem::real(), path, IfExists::Refuse), notes);
  set.commit();
  return Json::object({{"path", path}, {"notes", json_strings(notes)}});
}

Json Review::export_certificate(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!audit_ || audit_->answers().answered() == 0)
    throw Conflict("a certificate needs an audit: no question is answered yet");
  const std::string path = path_of_export(name + ".json"), page = path_of_export(name + ".html");
  const std::string text = certificate_json(audit_->audit(), audit_->answers(), options_.level);
  const AuditResult result = audit_result(audit_->audit(), audit_->answers(), options_.level);
  FileSet set;
  set.add(FileSystem::real(), path, IfExists::Refuse).write(text);
  set.add(FileSystem::real(), page, IfExists::Refuse)
      .write(certificate_page(audit_->audit(), result, parse_certificate(text, path)));
  set.commit();
  return Json::object({{"path", path}, {"page", page}, {"decisions", result.decisions}});
}

}  // namespace sieve
