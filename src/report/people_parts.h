#pragma once

#include <span>

#include "labelsieve/observation.h"
#include "report/html_table.h"
#include "report/line_plot.h"
#include "report/scatter_plot.h"

// People in reports: how far to trust each of them, and how we know.
namespace sieve {

// Everyone, those who looked at most rows first; columns sort.
HtmlTable people_table(const Votes& votes, std::span<const PersonQuality> people);

// What they find of the right labels against what they tick of the wrong ones, with intervals.
ScatterPlot people_plot(const Votes& votes, std::span<const PersonQuality> people);

// Do people who are left out tick as often as the others' votes claim?
LinePlot held_out_plot(const HeldOutCheck& check);

}  // namespace sieve
