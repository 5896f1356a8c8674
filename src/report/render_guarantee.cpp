#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kShown = 30;

const char* promise_of(const GuaranteedLabel& label) {
  if (!std::isfinite(label.threshold)) return "never on";
  if (label.decisions == 0) return "always on";
  return label.shared ? "together" : "alone";
}

std::string text_of(const Guarantee& guarantee, const std::vector<std::string>& labels) {
  std::string text =
      fmt::format("{}: each promise holds with {:.0f} % probability for rows like the {} decided\n",
                  to_string(goal_of(guarantee)), 100 * guarantee.level, guarantee.rows);
  TextTable table({"label", "promise", "on from", "decisions"},
                  {Align::Left, Align::Left, Align::Right, Align::Right});
  bool together = false;
  for (std::size_t l = 0; l < std::min(labels.size(), kShown); ++l) {
    const GuaranteedLabel& label = guarantee.labels[l];
    const bool shown = label.decisions > 0;
    table.add({labels[l], promise_of(label), shown ? fmt::format("{:.4g}", label.threshold) : "-",
               shown ? std::to_string(label.decisions) : "-"});
  }
  for (const GuaranteedLabel& label : guarantee.labels) together |= label.shared;
  text += table.text();
  if (labels.size() > kShown)
    text += fmt::format("and {} more\n", count_text(labels.size() - kShown, "label"));
  if (together)
    text += fmt::format(
        "\"together\" is one promise about these labels, which had too few decisions alone: the\n"
        "{} within a row, as a mean over the rows where there is one.\n",
        guarantee.about);
  return text;
}

}  // namespace

Rendered render_guarantee(const Guarantee& guarantee, const std::vector<std::string>& labels) {
  std::vector<Json> each;
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const GuaranteedLabel& label = guarantee.labels[l];
    const bool ever = std::isfinite(label.threshold);
    each.push_back(
        Json::object({{"label", labels[l]},
                      {"promise", promise_of(label)},
                      {"threshold", ever ? Json(static_cast<double>(label.threshold)) : Json()},
                      {"decisions", label.decisions}}));
  }
  return {text_of(guarantee, labels), Json::object({{"about", guarantee.about},
                                                    {"share", guarantee.share},
                                                    {"level", guarantee.level},
                                                    {"rows", guarantee.rows},
                                                    {"labels", Json::array(each)}})};
}

Json guarantees_json(const ModelState& state) {
  std::vector<Json> all;
  for (const Guarantee& each : state.choices.guarantees)
    all.push_back(render_guarantee(each, state.label_names).json);
  return Json::array(all);
}

}  // namespace sieve
