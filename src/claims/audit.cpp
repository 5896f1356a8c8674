#include "labelsieve/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "base/hashes.h"
#include "base/random.h"
#include "base/require.h"
#include "claims/played.h"
#include "data/fingerprint.h"

namespace sieve {
namespace {

constexpr std::uint32_t kExportedLane = 0, kOthersLane = 1, kFirstLabelLane = 2, kRowsLane = 255;
constexpr std::size_t kMostLabelLanes = 250;
constexpr std::uint64_t kTurnsStep = 512;  // beyond the steps of keys and draws
constexpr std::size_t kLabelStrata = 2;
// Where no probability is known: what is usual. They only steer how fast an interval narrows.
constexpr double kUsuallyWrong = 0.3, kUsuallyMissing = 0.02;
constexpr std::size_t kShortPrint = 8;

bool has_probabilities(const AuditSubject& subject) {
  return subject.probabilities || subject.of_candidates;
}

void check_probabilities(const AuditSubject& subject) {
  const auto check = [](float each) {
    if (!(each >= 0 && each <= 1))
      throw Error(Failure::Data, fmt::format("a probability of {} is not between 0 and 1", each),
                  {}, "give probabilities, not scores of another kind");
  };
  for (std::size_t i = 0; i < subject.exported.rows(); ++i) {
    if (subject.probabilities) std::ranges::for_each(subject.probabilities->row(i), check);
    if (subject.of_candidates)
      subject.of_candidates->for_each(i, [&](std::size_t, float each) { check(each); });
  }
}

// Of an exported label to be wrong.
double wrong_probability(const AuditSubject& subject, std::size_t row, std::size_t label) {
  if (subject.probabilities) return 1 - (*subject.probabilities)(row, label);
  if (subject.of_candidates && subject.of_candidates->candidates().get(row, label))
    return 1 - (*subject.of_candidates)(row, label);
  return kUsuallyWrong;
}

// Of another cell to be right.
double missing_probability(const AuditSubject& subject, std::size_t row, std::size_t label) {
  return subject.probabilities ? (*subject.probabilities)(row, label) : kUsuallyMissing;
}

std::string print_of_data(const Dataset& data) {
  Sha256 sha;
  sha.add_number(data.rows());
  sha.add_number(data.labels());
  for (const std::string& name : data.label_names) sha.add_text(name);
  sha.add_number(data.ids.size());
  for (const std::string& id : data.ids) sha.add_text(id);
  std::vector<std::size_t> rows(data.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  if (const auto content = row_fingerprints(data, rows))
    for (const std::uint64_t each : *content) sha.add_number(each);
  return sha.hex();
}

std::string print_of_labels(const LabelMatrix& labels) {
  Sha256 sha;
  sha.add_number(labels.labels());
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (const std::uint64_t word : labels.words(i)) sha.add_number(word);
  return sha.hex();
}

std::string print_of_probabilities(const AuditSubject& subject) {
  if (!has_probabilities(subject)) return "none";
  Sha256 sha;
  const auto add = [&](float value) { sha.add_number(std::bit_cast<std::uint32_t>(value)); };
  for (std::size_t i = 0; i < subject.exported.rows(); ++i)
    if (subject.probabilities)
      for (const float each : subject.probabilities->row(i)) add(each);
    else
      subject.of_candidates->for_each(i, [&](std::size_t, float each) { add(each); });
  return sha.hex();
}

std::string shortened_print(const std::string& print) {
  return print.substr(0, kShortPrint);
}

// As evenly as the sizes of the lanes allow: a turn each, as long as decisions last.
std::vector<std::size_t> take_turns(std::size_t decisions, const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> parts(sizes.size());
  for (bool any = true; decisions > 0 && any;) {
    any = false;
    std::size_t open = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) open += parts[i] < sizes[i];
    const std::size_t each = open == 0 ? 0 : std::max<std::size_t>(decisions / open, 1);
    for (std::size_t i = 0; i < sizes.size() && decisions > 0; ++i) {
      const std::size_t more = std::min({each, sizes[i] - parts[i], decisions});
      parts[i] += more;
      decisions -= more;
      any |= more > 0;
    }
  }
  return parts;
}

}  // namespace

std::vector<AuditCell> exported_audit_cells(const AuditSubject& subject) {
  std::vector<AuditCell> cells;
  const std::size_t labels = subject.exported.labels();
  for (std::size_t i = 0; i < subject.exported.rows(); ++i)
    subject.exported.for_each(i, [&](std::size_t l) {
      cells.push_back(
          {i * labels + l, static_cast<std::uint32_t>(l), wrong_probability(subject, i, l)});
    });
  return cells;
}

std::string to_string(const AuditCode& code) {
  const AuditRequest& request = code.request;
  return fmt::format("v1.s{}.n{}.{}{}.t{}.{}.{}.{}", request.seed, request.budget,
                     request.rows        ? "rows"
                     : request.per_label ? "labels"
                                         : "all",
                     request.others || request.rows ? "" : "-exported", request.twice,
                     code.short_prints.data, code.short_prints.labels,
                     code.short_prints.probabilities);
}

std::optional<AuditCode> parse_audit_code(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() != 8 || parts[0] != "v1") return std::nullopt;
  const auto number = [](const std::string& part, char mark, auto& into) {
    const char* end = part.data() + part.size();
    if (part.size() < 2 || part[0] != mark) return false;
    const auto [at, error] = std::from_chars(part.data() + 1, end, into);
    return error == std::errc() && at == end;
  };
  AuditCode code;
  AuditRequest& request = code.request;
  if (!number(parts[1], 's', request.seed) || !number(parts[2], 'n', request.budget) ||
      !number(parts[4], 't', request.twice))
    return std::nullopt;
  request.others = !parts[3].ends_with("-exported");
  request.per_label = parts[3].starts_with("labels");
  request.rows = parts[3] == "rows";
  if (request.rows) request.others = false;
  code.short_prints = {parts[5], parts[6], parts[7]};
  if (request.budget == 0 || to_string(code) != text) return std::nullopt;
  return code;
}

bool is_about(const AuditCode& code, const LabelMatrix& exported) {
  return code.short_prints.labels == shortened_print(print_of_labels(exported));
}

Audit::Audit(AuditSubject subject, const AuditRequest& request, std::size_t asked)
    : subject_(std::move(subject)), request_(request) {
  const Dataset& data = *subject_.data;
  require(subject_.exported.rows() == data.rows() && subject_.exported.labels() == data.labels(),
          "the labels to audit have other rows or labels than the data");
  require(request.budget > 0, "an audit needs at least one decision");
  check_probabilities(subject_);
  exported_ = subject_.exported.count();
  cells_ = data.rows() * data.labels();
  if (exported_ == 0)
    throw Error(Failure::Data, "no row has a label, so there is nothing to audit");
  if (request.per_label)
    require(data.labels() <= kMostLabelLanes,
            fmt::format("{} labels are too many to audit one by one", data.labels()),
            fmt::format("at most {} are possible; audit all of them together", kMostLabelLanes));
  prints_ = {print_of_data(data), print_of_labels(subject_.exported),
             print_of_probabilities(subject_)};
  require(!(request.rows && request.per_label), "whole rows cannot be asked label by label");
  request_.others &= exported_ < cells_ && !request.rows;
  if (request.rows) {
    add_lane_of_rows();
    ask_rows(std::max(asked, request_.budget));
    return;
  }
  add_lanes();
  ask(std::max(asked, request_.budget));
}

AuditCode Audit::code() const {
  return {request_,
          {shortened_print(prints_.data), shortened_print(prints_.labels),
           shortened_print(prints_.probabilities)}};
}

void Audit::add_lanes() {
  const Dataset& data = *subject_.data;
  const std::size_t labels = data.labels();
  std::vector<std::vector<AuditCell>> cells(request_.per_label ? labels : 1);
  for (const AuditCell& cell : exported_audit_cells(subject_))
    cells[request_.per_label ? cell.label : 0].push_back(cell);
  const bool informed = has_probabilities(subject_);
  std::vector<std::size_t> sizes;
  for (const auto& each : cells) sizes.push_back(each.size());
  const std::size_t others = request_.others ? other_cells() : 0;
  // Half of the decisions for each side, unless one of them has fewer cells than that.
  std::size_t for_exported =
      std::min(exported_, others == 0 ? request_.budget : request_.budget - request_.budget / 2);
  const std::size_t for_others = std::min(others, request_.budget - for_exported);
  for_exported = std::min(exported_, request_.budget - for_others);
  const std::vector<std::size_t> planned = take_turns(for_exported, sizes);
  for (std::size_t l = 0; l < cells.size(); ++l) {
    if (cells[l].empty()) continue;
    const std::size_t strata = informed ? usual_strata(cells[l].size()) : 1;
    const LaneDesign design{.seed = request_.seed,
                            .lane = request_.per_label
                                        ? kFirstLabelLane + static_cast<std::uint32_t>(l)
                                        : kExportedLane,
                            .strata = request_.per_label ? std::min(strata, kLabelStrata) : strata,
                            .planned = std::max<std::size_t>(planned[l], 1)};
    lanes_.push_back({request_.per_label ? "label " + data.label_names[l] : "exported", true,
                      AuditLane(cells[l], labels, design), 0});
    cells[l] = {};
  }
  if (others == 0) return;
  const AuditLane::VisitCells visit = [&](const auto& take) {
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t l = 0; l < labels; ++l)
        if (!subject_.exported.get(i, l))
          take(
              {i * labels + l, static_cast<std::uint32_t>(l), missing_probability(subject_, i, l)});
  };
  const LaneDesign design{.seed = request_.seed,
                          .lane = kOthersLane,
                          .strata = 1,
                          .planned = std::max<std::size_t>(for_others, 1)};
  // More than the budget may be asked later; never more than that many times.
  const std::size_t most = std::min(others, std::max<std::size_t>(100'000, 4 * request_.budget));
  lanes_.push_back({"others", false, AuditLane(visit, labels, design, most), 0});
}

// The lanes take turns; which of them comes first in a round is random, so that the place in the
// list does not tell whether a cell has the label.
void Audit::ask(std::size_t decisions) {
  std::vector<std::size_t> sizes;
  for (const AuditLaneInfo& lane : lanes_)
    if (lane.of_exported) sizes.push_back(lane.lane.cells());
  const std::size_t others = request_.others ? other_cells() : 0;
  std::size_t for_exported =
      std::min(exported_, others == 0 ? decisions : decisions - decisions / 2);
  const std::size_t for_others = std::min(others, decisions - for_exported);
  for_exported = std::min(exported_, decisions - for_others);
  std::vector<std::size_t> parts = take_turns(for_exported, sizes);
  if (others > 0) parts.push_back(for_others);
  std::vector<AuditLane> drawing;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].asked = parts[i];
    drawing.push_back(lanes_[i].lane);
  }
  const std::size_t rounds = *std::ranges::max_element(parts);
  const std::size_t labels = data().labels();
  for (std::size_t t = 1; t <= rounds; ++t) {
    std::vector<std::size_t> order(lanes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    Random(request_.seed, Purpose::Audit, kTurnsStep, t).shuffle(std::span(order));
    for (const std::size_t i : order) {
      if (parts[i] < t) continue;
      const std::optional<Draw> draw = drawing[i].next();
      require(draw.has_value(), "this audit cannot be made longer", "begin a new one");
      add_question(i, *draw, draw->cell / labels, draw->cell % labels);
      drawing[i].answer(false);  // the order does not depend on answers
    }
  }
}

void Audit::add_question(std::size_t lane, const Draw& draw, std::size_t row, std::size_t label) {
  places_[{row, label}] = questions_.size();
  questions_.push_back({lane, draw, row, label});
}

// A simple sample of rows: labels of a row depend on each other, so that nothing else is claimed.
void Audit::add_lane_of_rows() {
  std::vector<AuditCell> rows(data().rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {i, 0, 0.5};
  const LaneDesign design{.seed = request_.seed,
                          .lane = kRowsLane,
                          .strata = 1,
                          .planned = std::min(request_.budget, rows.size())};
  lanes_.push_back({"rows", true, AuditLane(rows, 1, design), 0});
}

void Audit::ask_rows(std::size_t rows) {
  AuditLane drawing = lanes_[0].lane;
  lanes_[0].asked = std::min(rows, data().rows());
  for (std::size_t t = 0; t < lanes_[0].asked; ++t) {
    const std::optional<Draw> draw = drawing.next();
    for (std::size_t l = 0; l < data().labels(); ++l) add_question(0, *draw, draw->cell, l);
    drawing.answer(false);
  }
}

std::size_t Audit::asked() const {
  return request_.rows ? lanes_[0].asked : questions_.size();
}

bool Audit::asked_twice(const AuditQuestion& question) const {
  return request_.twice > 0 && question.draw.number % request_.twice == 0;
}

std::string Audit::item(std::size_t row) const {
  return data().ids.empty() ? std::to_string(row) : data().ids[row];
}

const AuditQuestion* Audit::find(std::size_t row, std::size_t label) const {
  const auto found = places_.find({row, label});
  return found == places_.end() ? nullptr : &questions_[found->second];
}

AuditPlan plan_audit(const Audit& audit, double half_width, double level) {
  std::vector<PlannedStratum> strata;
  for (const AuditLaneInfo& info : audit.lanes()) {
    if (!info.of_exported) continue;
    const std::vector<double> models = info.lane.stratum_models();
    const std::vector<StratumCount> counts = info.lane.counts();
    for (std::size_t h = 0; h < counts.size(); ++h) strata.push_back({counts[h].cells, models[h]});
  }
  return plan_audit(strata, half_width, level);
}

}  // namespace sieve
