#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/canvas.h"
#include "report/charts.h"
#include "report/training_figures.h"
#include "report/well_formed.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kOddName = "<script>\"&' עברית 日本語 " + std::string(300, 'x');

LinePlot line_plot(std::vector<double> y) {
  std::vector<double> x;
  for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i + 1));
  return {.title = "Loss", .note = "", .x_title = "epoch", .series = {{kOddName, 0, x, y}}};
}

TEST(LinePlot, tells_every_point_and_the_whole_in_words) {
  const pugi::xml_document tree = parsed(draw(line_plot({3, 1, 2})));
  const pugi::xml_node line = tree.select_node("//polyline").node();
  EXPECT_STREQ(line.attribute("data-tips").value(), "epoch 1: 3|epoch 2: 1|epoch 3: 2");
  EXPECT_EQ(line.attribute("data-name").value(), kOddName);
  EXPECT_THAT(label_of(tree), HasSubstr("3 points, from 1 to 3, at last 2"));
}

TEST(LinePlot, has_gaps_where_there_is_no_number_and_dots_for_lonely_points) {
  const Element figure = draw(line_plot({1, 2, NAN, 4, INFINITY, 5, 6}));
  const pugi::xml_document tree = parsed(figure);
  EXPECT_EQ(count(tree, "//polyline"), 2U);
  EXPECT_EQ(count(tree, "//circle"), 1U);
  expect_finite(figure);
}

TEST(LinePlot, survives_no_point_one_point_equal_points_and_nan_alone) {
  for (const std::vector<double>& y :
       {std::vector<double>{}, {1}, {2, 2, 2}, {NAN, NAN}, {0}, {-1e300, 1e300}}) {
    const Element figure = draw(line_plot(y));
    parsed(figure);
    expect_finite(figure);
  }
  EXPECT_THAT(label_of(parsed(draw(line_plot({NAN})))), HasSubstr("no values"));
  EXPECT_THAT(label_of(parsed(draw(LinePlot{}))), HasSubstr("no values"));
}

TEST(LinePlot, names_at_line_ends_do_not_cover_each_other) {
  EXPECT_THAT(spread_labels({50, 50, 51}, 10, 0, 100), ElementsAre(50, 60, 70));
  EXPECT_THAT(spread_labels({95, 99}, 10, 0, 100), ElementsAre(90, 100));
  EXPECT_THAT(spread_labels({}, 10, 0, 100), ElementsAre());
}

TEST(ScatterPlot, leaves_out_points_without_a_place) {
  ScatterPlot plot{.title = "Time",
                   .note = "",
                   .x_title = "seconds",
                   .y_title = "rank",
                   .points = {{kOddName, 0.1, 1, 0},
                              {"b", 10, 2, 1},
                              {"c", 0, 3, 2},
                              {"d", NAN, 4, 3},
                              {"e", 1, NAN, 4}},
                   .log_x = true};
  const Element figure = draw(plot);
  EXPECT_EQ(count(parsed(figure), "//circle"), 2U);
  expect_finite(figure);
  plot.points = {{"alone", 1, 1, 0}};
  EXPECT_EQ(count(parsed(draw(plot)), "//circle"), 1U);
  plot.points.clear();
  EXPECT_THAT(label_of(parsed(draw(plot))), HasSubstr("no values"));
}

TEST(ScatterPlot, draws_what_a_point_may_be_as_well) {
  ScatterPlot plot{.title = "people", .note = "", .x_title = "x", .y_title = "y", .points = {}};
  plot.points.push_back({"ann", 0.2, 0.8, 0, Range{0.1, 0.4}, Range{0.7, 0.9}});
  plot.points.push_back({"bob", 0.3, 0.5, 0});
  const std::string text = draw(plot).text();
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find("class=\"whisker", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 2U);
}

TEST(BoxPlot, quartiles_are_those_of_numpy) {
  // numpy.percentile([1, 2, 3, 4, 100], [25, 50, 75]) -> 2, 3, 4
  const std::vector<double> values = {4, 1, NAN, 100, 3, 2};
  const BoxSummary box = summarise_box(values);
  EXPECT_EQ(box.first, 2);
  EXPECT_EQ(box.median, 3);
  EXPECT_EQ(box.third, 4);
  EXPECT_EQ(box.low, 1);
  EXPECT_EQ(box.high, 4);
  EXPECT_THAT(box.outliers, ElementsAre(100));
  const std::vector<double> two = {1, 2};
  EXPECT_DOUBLE_EQ(summarise_box(two).first, 1.25);
}

TEST(BoxPlot, draws_one_value_equal_values_and_rows_without_any) {
  const BoxPlot plot{
      "Loss", "", "loss", {{kOddName, 0, {1}}, {"b", 1, {2, 2, 2}}, {"c", 2, {NAN}}}};
  const Element figure = draw(plot);
  const pugi::xml_document tree = parsed(figure);
  EXPECT_EQ(count(tree, "//rect"), 2U);
  EXPECT_THAT(label_of(tree), HasSubstr("c: no values"));
  expect_finite(figure);
  EXPECT_THAT(label_of(parsed(draw(BoxPlot{}))), HasSubstr("no values"));
}

TEST(RankDiagram, joins_the_methods_that_do_not_differ) {
  const RankDiagram diagram{.title = "Ranks",
                            .note = "",
                            .names = {"a", kOddName, "c"},
                            .mean_ranks = {2.5, 1, 2.5},
                            .critical_difference = 1,
                            .groups = {{0, 2}}};
  const Element figure = draw(diagram);
  const pugi::xml_document tree = parsed(figure);
  EXPECT_EQ(count(tree, "//line[@class='group']"), 1U);
  EXPECT_EQ(count(tree, "//circle"), 3U);
  EXPECT_THAT(label_of(tree), HasSubstr("No difference between a, c."));
  expect_finite(figure);
  EXPECT_THAT(label_of(parsed(draw(RankDiagram{}))), HasSubstr("no values"));
}

TEST(BarChart, stacks_the_parts_of_a_row) {
  const BarChart chart{
      "Labels", "", "rows", {"right", "noise"}, {{kOddName, {3, 1}}, {"b", {0, NAN}}}};
  const Element figure = draw(chart);
  EXPECT_THAT(label_of(parsed(figure)), HasSubstr("3 right, 1 noise"));
  expect_finite(figure);
  parsed(draw(BarChart{"Labels", "", "rows", {"right"}, {{"none", {0}}}}));
  EXPECT_THAT(label_of(parsed(draw(BarChart{}))), HasSubstr("no values"));
}

TEST(Calibration, a_bin_tells_what_was_claimed_and_what_was_right) {
  Calibration calibration;
  for (const bool right : {true, true, true, false}) calibration.add(0.95, right);
  calibration.add(0.05, false);
  calibration.add(1.0, true);
  calibration.add(NAN, true);
  const std::vector<CalibrationBin> bins = calibration.bins();
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[1].cells, 5U);
  EXPECT_NEAR(bins[1].claimed, 0.96, 1e-12);
  EXPECT_NEAR(bins[1].right, 0.8, 1e-12);
  EXPECT_NEAR(calibration.error(), (5 * 0.16 + 0.05) / 6, 1e-12);
  EXPECT_TRUE(std::isnan(Calibration().error()));
  parsed(draw(calibration_plot(Calibration(), "none")));
}

TEST(HeatMap, shows_every_pair_on_both_sides_and_the_ends_in_words) {
  const HeatMap map{.title = "Pairs",
                    .note = "",
                    .names = {"ann", kOddName, "cyd"},
                    .cells = {{0, 1, 0.25, "25 %"}, {2, 0, 0.75, "75 %"}}};
  const Element figure = draw(map);
  const pugi::xml_document tree = parsed(figure);
  expect_finite(figure);
  EXPECT_EQ(count(tree, "//rect"), 4U);
  EXPECT_EQ(count(tree, "//rect[@data-tip='75 %' and @fill-opacity='1.00']"), 2U);
  EXPECT_EQ(count(tree, "//rect[@data-name='cyd and ann']"), 1U);
  EXPECT_THAT(label_of(tree), HasSubstr("The largest: cyd and ann: 75 %"));
}

TEST(HeatMap, survives_no_pair_one_pair_and_many_names) {
  EXPECT_THAT(label_of(parsed(draw(HeatMap{}))), HasSubstr("no values"));
  HeatMap map{.title = "Pairs", .note = "", .names = {"ann", "bob"}, .cells = {{0, 1, 1, ""}}};
  expect_finite(draw(map));
  for (std::size_t k = 2; k < 40; ++k) {
    map.names.push_back(std::string(30, 'x'));
    map.cells.push_back({k - 1, k, 0.5, ""});
  }
  const Element figure = draw(map);
  parsed(figure);
  expect_finite(figure);
}

}  // namespace
}  // namespace sieve::test
