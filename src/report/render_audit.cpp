#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "claims/claim_json.h"
#include "report/html_page.h"
#include "report/rendered.h"

namespace sieve {
namespace {

std::string name_of(const std::string& about) {
  static const std::map<std::string, std::string> names = {{"wrong", "wrong among assigned labels"},
                                                           {"precision", "precision"},
                                                           {"recall", "recall"},
                                                           {"f1", "F1"},
                                                           {"hamming", "Hamming loss"},
                                                           {"perfect", "rows without an error"}};
  return names.at(about);
}

std::string level_text(double level) {
  return fmt::format("{:g} %", level * 100);
}

// "guess" and "audited" stand in every claim, so a table needs no column for it.
std::string figures_text(const AuditResult& result) {
  TextTable table({"", "planned decisions", "at any time"});
  for (const AuditedFigure& figure : result.figures) {
    const auto cell = [](const std::optional<Claim>& claim) {
      return claim ? claim_text(*claim) : std::string("-");
    };
    if (figure.best())
      table.add({name_of(figure.about), cell(figure.fixed), cell(figure.any_time)});
    else
      table.add({name_of(figure.about), "none: " + figure.why_none, ""});
  }
  return table.text();
}

std::string labels_text(const AuditResult& result, const Dataset& data) {
  TextTable table({"label", "wrong among assigned", "from"});
  for (const AuditedLabel& label : result.labels)
    table.add({data.label_names[label.label],
               label.claim ? claim_text(*label.claim)
                           : fmt::format("none: {}",
                                         label.decisions < 5 ? "too few decisions" : "too wide"),
               label.claim ? label.basis == LabelBasis::Direct ? "its own decisions"
                                                               : "all labels' decisions"
                           : count_text(label.decisions, "decision")});
  return table.text();
}

std::string agreement_text(const ReviewerAgreement& agreement) {
  if (agreement.pairs == 0) return {};
  std::string text = fmt::format("\n{} of {} cells decided twice got the same answer.\n",
                                 agreement.same, agreement.pairs);
  if (const std::size_t conflicts = agreement.pairs - agreement.same; conflicts > 0)
    text += agreement.settled == 0
                ? "A third person can settle the others: a new list asks for them.\n"
                : fmt::format("A third answer settled {} of {}; the first was right in {}.\n",
                              agreement.settled, conflicts, agreement.first_right);
  if (agreement.corrected)
    text += fmt::format("Wrong, if reviewers err independently: {}.\n",
                        claim_text(*agreement.corrected));
  return text;
}

std::string annotators_text(std::span<const AuditedAnnotator> claims, const Votes& votes) {
  TextTable table({"annotator", "wrong among their ticks", "decisions"},
                  {Align::Left, Align::Left, Align::Right});
  for (const AuditedAnnotator& each : claims)
    table.add({votes.annotators()[each.annotator],
               each.claim ? claim_text(*each.claim) : std::string("none: too few decisions"),
               std::to_string(each.decisions)});
  return "\n" + table.text();
}

std::string goals_text(const std::vector<JudgedGoal>& goals) {
  std::string text;
  for (const JudgedGoal& each : goals)
    text += fmt::format("{}: {}\n", to_string(each.goal), to_string(each.verdict));
  return text.empty() ? text : "\n" + text;
}

Json goals_json(const std::vector<JudgedGoal>& goals) {
  std::vector<Json> all;
  for (const JudgedGoal& each : goals)
    all.push_back(Json::object(
        {{"goal", to_string(each.goal)}, {"verdict", std::string(to_string(each.verdict))}}));
  return Json::array(all);
}

std::string minutes_text(std::size_t decisions, double seconds) {
  const double minutes = static_cast<double>(decisions) * seconds / 60;
  return count_text(std::max<std::size_t>(1, static_cast<std::size_t>(std::round(minutes))),
                    "minute");
}

std::string points_text(double half_width) {
  return fmt::format("plus or minus {:g} points", std::round(half_width * 1000) / 10);
}

}  // namespace

Rendered render_claim(const Claim& claim) {
  return {claim_text(claim), json_of(claim)};
}

Rendered render_audit(const Audit& audit, const AuditResult& result,
                      const std::vector<JudgedGoal>& goals,
                      std::span<const AuditedAnnotator> annotators) {
  Rendered rendered;
  rendered.text = fmt::format("{}: {} {} of {}, seed {}; intervals at {}\n\n", audit.data().name,
                              result.decisions, audit.request().rows ? "rows" : "decisions",
                              result.asked, audit.request().seed, level_text(result.level));
  rendered.text += figures_text(result);
  if (!result.labels.empty()) rendered.text += "\n" + labels_text(result, audit.data());
  if (!annotators.empty()) rendered.text += annotators_text(annotators, *audit.data().votes);
  rendered.text += agreement_text(result.agreement) + goals_text(goals);
  rendered.text += "\nClaims are about labels as this reviewer decides them.\n";
  Json::Members members = {{"data", audit.data().name},
                           {"seed", audit.request().seed},
                           {"level", result.level},
                           {"decisions", result.decisions},
                           {"asked", result.asked},
                           {"unsure", result.unsure},
                           {"complete", result.complete},
                           {"census", result.census},
                           {"claims", figures_json(result)},
                           {"label_claims", labels_json(result, audit.data())},
                           {"reviewers", agreement_json(result.agreement)},
                           {"goals", goals_json(goals)}};
  if (result.agreement.corrected)
    members.emplace_back("wrong_if_reviewers_err", json_of(*result.agreement.corrected));
  if (!annotators.empty())
    members.emplace_back("annotator_claims", annotators_json(annotators, *audit.data().votes));
  rendered.json = Json::object(members);
  return rendered;
}

Rendered render_plan(const Audit& audit, const std::vector<PlannedAudit>& plans, double level,
                     double seconds) {
  Rendered rendered;
  rendered.text = audit.request().rows
                      ? fmt::format("{}: {} rows; share without an error, at {}\n\n",
                                    audit.data().name, audit.data().rows(), level_text(level))
                      : fmt::format("{}: {} assigned labels; share of wrong ones, at {}\n\n",
                                    audit.data().name, audit.exported_cells(), level_text(level));
  TextTable table({"", "planned decisions", "", "at any time", ""},
                  {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
  std::vector<Json> rows;
  for (const PlannedAudit& each : plans) {
    const AuditPlan& plan = each.plan;
    table.add({points_text(each.half_width), std::to_string(plan.fixed),
               minutes_text(plan.fixed, seconds), std::to_string(plan.sequential),
               minutes_text(plan.sequential, seconds)});
    rows.push_back(
        Json::object({{"half_width", each.half_width},
                      {"fixed", plan.fixed},
                      {"any_time", plan.sequential},
                      {"fixed_minutes", static_cast<double>(plan.fixed) * seconds / 60},
                      {"any_time_minutes", static_cast<double>(plan.sequential) * seconds / 60}}));
  }
  rendered.text += table.text();
  rendered.text += fmt::format(
      "\nAt {:g} seconds per decision.{}\n", seconds,
      audit.request().others ? " Recall, F1 and Hamming loss take as many decisions again." : "");
  rendered.json = Json::object({{"data", audit.data().name},
                                {"level", level},
                                {"assigned", audit.exported_cells()},
                                {"seconds", seconds},
                                {"plans", Json::array(rows)}});
  return rendered;
}

std::string certificate_page(const Audit& audit, const AuditResult& result,
                             const Certificate& certificate) {
  HtmlPage page("Certificate of an audit", audit.data().name,
                fmt::format("{} random decisions, made blind; intervals at {}.", result.decisions,
                            level_text(result.level)));
  page.begin_section("Claims", "About the labels as the reviewer decides them.");
  HtmlTable figures{"Claims", {{"figure"}, {"planned decisions"}, {"at any time"}}, {}};
  for (const AuditedFigure& figure : result.figures) {
    const auto cell = [&](const std::optional<Claim>& claim) {
      return text_cell(claim ? claim_text(*claim) : std::string("-"));
    };
    figures.rows.push_back(
        {text_cell(name_of(figure.about)), cell(figure.fixed), cell(figure.any_time)});
  }
  page.add(draw(figures));
  if (!result.labels.empty()) {
    HtmlTable labels{"Labels", {{"label"}, {"wrong among assigned"}, {"decisions", true}}, {}};
    for (const AuditedLabel& label : result.labels)
      labels.rows.push_back({text_cell(audit.data().label_names[label.label]),
                             text_cell(label.claim ? claim_text(*label.claim) : std::string("-")),
                             count_cell(label.decisions)});
    page.begin_section("Labels");
    page.add(draw(labels));
  }
  const AuditFingerprints& prints = audit.fingerprints();
  page.begin_section("What it rests on", "Anyone with the data can compute all of this again.");
  page.add(fact_list(
      {{"data", prints.data},
       {"labels", prints.labels},
       {"probabilities", prints.probabilities},
       {"rows and labels", fmt::format("{} x {}", audit.data().rows(), audit.data().labels())},
       {"seed", std::to_string(audit.request().seed)},
       {"planned decisions", std::to_string(audit.request().budget)},
       {"decided twice alike",
        fmt::format("{} of {}", result.agreement.same, result.agreement.pairs)},
       {"last hash of the decisions", certificate.chain},
       {"LabelSieve", certificate.version},
       {"made", certificate.made}}));
  HtmlTable decisions{"Decisions", {{"item"}, {"label"}, {"pass", true}, {"answer"}}, {}};
  for (const Certificate::Decision& each : certificate.decisions)
    decisions.rows.push_back({text_cell(each.item), text_cell(each.label), count_cell(each.pass),
                              text_cell(each.answer == "1"   ? "right"
                                        : each.answer == "0" ? "wrong"
                                                             : "cannot tell")});
  page.add_details(count_text(certificate.decisions.size(), "decision"), {draw(decisions)});
  return page.text();
}

}  // namespace sieve
