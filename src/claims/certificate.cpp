#include <algorithm>
#include <charconv>
#include <unordered_map>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/hashes.h"
#include "base/json.h"
#include "claims/claim_json.h"
#include "labelsieve/claims.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::string_view kKind = "labelsieve audit";
constexpr int kFormat = 1;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

// The hash of each decision covers all before it, the data and the design.
class Chain {
 public:
  explicit Chain(const Audit& audit) {
    Sha256 sha;
    sha.add_text(to_string(audit.code()));
    const AuditFingerprints& prints = audit.fingerprints();
    for (const std::string* each : {&prints.data, &prints.labels, &prints.probabilities})
      sha.add_text(*each);
    last_ = sha.hex();
  }
  const std::string& add(const Audit& audit, const AuditQuestion& question, int pass,
                         AuditAnswer answer) {
    Sha256 sha;
    sha.add_text(last_);
    sha.add_text(audit.lanes()[question.lane].name);
    sha.add_number(question.draw.number);
    sha.add_text(audit.item(question.row));
    sha.add_text(audit.data().label_names[question.label]);
    sha.add_number(static_cast<std::uint64_t>(pass));
    sha.add_text(to_string(answer));
    return last_ = sha.hex();
  }
  const std::string& last() const { return last_; }

 private:
  std::string last_;
};

Json lane_json(const AuditLaneInfo& info) {
  std::vector<Json> strata;
  const std::vector<StratumCount> counts = info.lane.counts();
  const std::vector<double> models = info.lane.stratum_models();
  for (std::size_t h = 0; h < counts.size(); ++h)
    strata.push_back(
        Json::object({{"cells", counts[h].cells}, {"probability", json_share(models[h])}}));
  return Json::object({{"name", info.name},
                       {"cells", info.lane.cells()},
                       {"asked", info.asked},
                       {"strata", Json::array(strata)}});
}

Json design_json(const Audit& audit, double level) {
  const AuditRequest& request = audit.request();
  std::vector<Json> lanes;
  for (const AuditLaneInfo& info : audit.lanes()) lanes.push_back(lane_json(info));
  Json::Members members = {{"seed", request.seed},     {"level", level},
                           {"budget", request.budget}, {"asked", audit.asked()},
                           {"others", request.others}, {"per_label", request.per_label},
                           {"twice", request.twice},   {"lanes", Json::array(lanes)}};
  if (request.rows) members.emplace_back("rows", true);
  return Json::object(members);
}

Json decisions_json(const Audit& audit, const AuditAnswers& answers, Chain& chain) {
  std::vector<Json> decisions;
  for (const int pass : {1, 2, 3}) {
    const std::vector<AuditAnswer>& given = pass == 1   ? answers.first
                                            : pass == 2 ? answers.second
                                                        : answers.third;
    for (std::size_t q = 0; q < given.size(); ++q) {
      if (given[q] == AuditAnswer::None) continue;
      const AuditQuestion& question = audit.questions()[q];
      decisions.push_back(Json::object({{"lane", audit.lanes()[question.lane].name},
                                        {"draw", question.draw.number},
                                        {"probability", json_share(question.draw.probability)},
                                        {"item", audit.item(question.row)},
                                        {"label", audit.data().label_names[question.label]},
                                        {"pass", pass},
                                        {"answer", std::string(to_string(given[q]))},
                                        {"hash", chain.add(audit, question, pass, given[q])}}));
    }
  }
  return Json::array(decisions);
}

std::string member_text(const JsonValue& whole, std::initializer_list<std::string_view> path) {
  std::optional<JsonValue> at = whole;
  for (const std::string_view key : path)
    if (at) at = at->find(key);
  return at ? at->plain() : std::string();
}

template <class Number>
Number number_at(const JsonValue& whole, std::initializer_list<std::string_view> path,
                 const Place& place) {
  const std::string text = member_text(whole, path);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw Error(Failure::Data,
                fmt::format("this certificate lacks a number: {}", *(path.end() - 1)), place);
  return number;
}

struct Compared {
  std::vector<std::string_view> path;
  const char* difference;
};

const std::vector<Compared>& compared_parts() {
  static const std::vector<Compared> parts = {
      {{"data", "fingerprint"}, "the data are others"},
      {{"labels", "fingerprint"}, "the labels are others"},
      {{"probabilities", "fingerprint"}, "the probabilities that made the strata are others"},
      {{"design"}, "the design (lanes, strata, level) comes out differently"},
      {{"decisions"}, "the decisions or their hashes come out differently"},
      {{"chain"}, "the last hash of the decisions comes out differently"},
      {{"claims"}, "the claims come out differently"},
      {{"label_claims"}, "the claims of labels come out differently"},
      {{"reviewers"}, "the agreement of reviewers comes out differently"}};
  return parts;
}

std::string part_text(const JsonValue& whole, const Compared& part) {
  std::optional<JsonValue> at = whole;
  for (const std::string_view key : part.path)
    if (at) at = at->find(key);
  return at ? at->plain() : std::string();
}

}  // namespace

Json json_of(const AuditedFigure& figure) {
  Json::Members members = {{"about", figure.about}};
  members.emplace_back("fixed", figure.fixed ? json_of(*figure.fixed) : Json());
  members.emplace_back("any_time", figure.any_time ? json_of(*figure.any_time) : Json());
  if (!figure.best()) members.emplace_back("why_none", figure.why_none);
  return Json::object(members);
}

Json figures_json(const AuditResult& result) {
  std::vector<Json> figures;
  for (const AuditedFigure& figure : result.figures) figures.push_back(json_of(figure));
  return Json::array(figures);
}

Json labels_json(const AuditResult& result, const Dataset& data) {
  std::vector<Json> labels;
  for (const AuditedLabel& label : result.labels)
    labels.push_back(Json::object({{"label", data.label_names[label.label]},
                                   {"decisions", label.decisions},
                                   {"basis", std::string(to_string(label.basis))},
                                   {"claim", label.claim ? json_of(*label.claim) : Json()}}));
  return Json::array(labels);
}

Json annotators_json(std::span<const AuditedAnnotator> claims, const Votes& votes) {
  std::vector<Json> all;
  for (const AuditedAnnotator& each : claims)
    all.push_back(Json::object({{"annotator", votes.annotators()[each.annotator]},
                                {"decisions", each.decisions},
                                {"claim", each.claim ? json_of(*each.claim) : Json()}}));
  return Json::array(all);
}

Json agreement_json(const ReviewerAgreement& agreement) {
  Json::Members members = {{"pairs", agreement.pairs}, {"same", agreement.same}};
  if (agreement.settled > 0)
    members.insert(members.end(),
                   {{"settled", agreement.settled}, {"first_right", agreement.first_right}});
  if (const auto& errors = agreement.errors)
    members.insert(members.end(), {{"error_low", json_share(errors->error.low)},
                                   {"error_high", json_share(errors->error.high)},
                                   {"wrong_low", json_share(errors->corrected.low)},
                                   {"wrong_high", json_share(errors->corrected.high)}});
  return Json::object(members);
}

std::string certificate_json(const Audit& audit, const AuditAnswers& answers, double level,
                             std::string made) {
  if (made.empty()) made = utc_now();
  const AuditResult result = audit_result(audit, answers, level);
  const AuditFingerprints& prints = audit.fingerprints();
  const Dataset& data = audit.data();
  Chain chain(audit);
  const Json decisions = decisions_json(audit, answers, chain);
  const std::string& from = audit.subject().probabilities_from;
  return Json::object({{"certificate", std::string(kKind)},
                       {"format", kFormat},
                       {"version", version()},
                       {"made", made},
                       {"data", Json::object({{"name", data.name},
                                              {"rows", data.rows()},
                                              {"labels", data.labels()},
                                              {"fingerprint", prints.data}})},
                       {"labels", Json::object({{"exported", audit.exported_cells()},
                                                {"others", audit.other_cells()},
                                                {"fingerprint", prints.labels}})},
                       {"probabilities", Json::object({{"from", from.empty() ? "none" : from},
                                                       {"fingerprint", prints.probabilities}})},
                       {"design", design_json(audit, level)},
                       {"claims", figures_json(result)},
                       {"label_claims", labels_json(result, data)},
                       {"reviewers", agreement_json(result.agreement)},
                       {"decisions", decisions},
                       {"chain", chain.last()}})
             .text() +
         "\n";
}

Certificate read_certificate(const std::string& path, FileSystem& files) {
  return parse_certificate(read_all(*open_unpacked(files, path), kLargest, path), path);
}

Certificate parse_certificate(std::string text, const std::string& path) {
  const Place place{path, 0, 0};
  Certificate found;
  found.text = std::move(text);
  JsonParser parser;
  const JsonValue whole = parser.parse(found.text, place);
  if (member_text(whole, {"certificate"}) != kKind)
    throw Error(Failure::Data, "this is not a certificate of an audit", place);
  if (number_at<int>(whole, {"format"}, place) != kFormat)
    throw Error(Failure::Data, "this certificate was made by another version", place,
                "verify it with the version it names: " + member_text(whole, {"version"}));
  found.request.seed = number_at<std::uint64_t>(whole, {"design", "seed"}, place);
  found.request.budget = number_at<std::size_t>(whole, {"design", "budget"}, place);
  found.request.twice = number_at<std::size_t>(whole, {"design", "twice"}, place);
  found.request.others = member_text(whole, {"design", "others"}) == "true";
  found.request.per_label = member_text(whole, {"design", "per_label"}) == "true";
  found.request.rows = member_text(whole, {"design", "rows"}) == "true";
  found.asked = number_at<std::size_t>(whole, {"design", "asked"}, place);
  found.level = number_at<double>(whole, {"design", "level"}, place);
  if (!(found.level > 0 && found.level < 1) || found.request.budget == 0)
    throw Error(Failure::Data, "the design in this certificate makes no sense", place);
  found.probabilities_from = member_text(whole, {"probabilities", "from"});
  found.version = member_text(whole, {"version"});
  found.made = member_text(whole, {"made"});
  found.data_name = member_text(whole, {"data", "name"});
  found.chain = member_text(whole, {"chain"});
  if (const auto decisions = whole.find("decisions"))
    decisions->for_each([&](const JsonValue& each) {
      found.decisions.push_back({member_text(each, {"item"}), member_text(each, {"label"}),
                                 member_text(each, {"answer"}),
                                 member_text(each, {"pass"}) == "2"   ? 2U
                                 : member_text(each, {"pass"}) == "3" ? 3U
                                                                      : 1U});
    });
  if (found.decisions.empty())
    throw Error(Failure::Data, "this certificate has no decisions", place);
  return found;
}

AuditAnswers answers_of(const Certificate& certificate, const Audit& audit,
                        std::vector<std::string>& problems) {
  std::unordered_map<std::string, std::size_t> rows, labels;
  for (std::size_t i = 0; i < audit.data().rows(); ++i) rows.emplace(audit.item(i), i);
  for (std::size_t l = 0; l < audit.data().labels(); ++l)
    labels.emplace(audit.data().label_names[l], l);
  AuditAnswers answers = AuditAnswers::none(audit);
  std::size_t strange = 0;
  for (const Certificate::Decision& each : certificate.decisions) {
    const auto row = rows.find(each.item), label = labels.find(each.label);
    const AuditQuestion* question = row == rows.end() || label == labels.end()
                                        ? nullptr
                                        : audit.find(row->second, label->second);
    if (!question) {
      ++strange;
      continue;
    }
    const auto q = static_cast<std::size_t>(question - audit.questions().data());
    answers.of_pass(each.pass)[q] = each.answer == "1"   ? AuditAnswer::Right
                                    : each.answer == "0" ? AuditAnswer::Wrong
                                                         : AuditAnswer::Unsure;
  }
  if (strange > 0)
    problems.push_back(fmt::format("{} of {} decisions are about cells that this seed did not draw",
                                   strange, certificate.decisions.size()));
  return answers;
}

std::vector<std::string> certificate_differences(const Certificate& certificate,
                                                 AuditSubject subject) {
  const Audit audit(std::move(subject), certificate.request, certificate.asked);
  std::vector<std::string> differences;
  const AuditAnswers answers = answers_of(certificate, audit, differences);
  if (answers.answered() == 0) return differences;
  const std::string again = certificate_json(audit, answers, certificate.level, certificate.made);
  JsonParser one, two;
  const JsonValue given = one.parse(certificate.text, {"certificate", 0, 0});
  const JsonValue now = two.parse(again, {"certificate", 0, 0});
  for (const Compared& part : compared_parts())
    if (part_text(given, part) != part_text(now, part)) differences.emplace_back(part.difference);
  return differences;
}

}  // namespace sieve
