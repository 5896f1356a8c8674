#pragma once

#include <span>

#include "labelsieve/pipeline.h"
#include "report/charts.h"
#include "report/headlines.h"
#include "report/html_page.h"

// Annotators in reports: how far to trust each of them, and how we know.

namespace sieve {

// Everyone, most wrong ticks first; columns sort.
HtmlTable annotators_table(const Votes& votes, const CrowdFindings& crowd,
                           std::span<const TickedWrong> ticked);

// What they find of the right labels against what they tick of the wrong ones, with the ranges of
// guesses.
ScatterPlot annotators_plot(const Votes& votes, const CrowdFindings& crowd,
                            std::span<const TickedWrong> ticked);

// A claim, sorted by its value.
HtmlCell claim_cell(const Claim& claim);

// Do annotators who are left out tick as often as the others' votes claim?
LinePlot held_out_plot(const HeldOutCheck& check);

}  // namespace sieve
