#include "report/comparison_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sieve::test {
namespace {

using ::testing::ElementsAre;

Comparison three_methods() {
  Comparison all;
  all.plan.title = "Study";
  all.methods = {"mlp", "oracle", "nlr"};
  all.oracle = {false, true, false};
  all.origins.resize(3);
  all.tables.resize(2);
  all.tables[0].metric.title = "Cleaning AUC";
  all.tables[1].metric.title = "Hamming loss";
  return all;
}

std::vector<std::string> texts(const std::vector<DocumentCell>& row) {
  std::vector<std::string> out;
  for (const DocumentCell& cell : row) out.push_back(cell.text);
  return out;
}

TEST(ComparisonDocument, counts_stand_under_their_method_though_another_lacks_the_measure) {
  Comparison all = three_methods();
  all.tables[0].duels = {{2, {3, 0, 0}, {3, 0, 0}}};
  all.tables[1].duels = {{1, {0, 0, 7}, {0, 0, 7}}, {2, {5, 1, 0}, {5, 1, 0}}};
  const Document document = comparison_document(all);
  for (const std::size_t t : {3U, 4U}) {  // after the means and the summary
    EXPECT_THAT(document.tables[t].header, ElementsAre("measure", "oracle (oracle)", "nlr"));
    EXPECT_THAT(texts(document.tables[t].rows[0]), ElementsAre("Cleaning AUC", "-", "3/0/0"));
    EXPECT_THAT(texts(document.tables[t].rows[1]), ElementsAre("Hamming loss", "0/0/7", "5/1/0"));
  }
}

TEST(ComparisonDocument, duels_of_a_later_measure_are_shown_though_the_first_has_none) {
  Comparison all = three_methods();
  all.control = 2;
  all.tables[1].duels = {{0, {2, 0, 1}, {1, 1, 1}}};
  const Document document = comparison_document(all);
  ASSERT_EQ(document.tables.size(), 6U);  // the last says where columns come from
  EXPECT_THAT(document.tables[3].header, ElementsAre("measure", "mlp", "oracle (oracle)"));
  EXPECT_THAT(texts(document.tables[3].rows[0]), ElementsAre("Cleaning AUC", "-", "-"));
  EXPECT_THAT(texts(document.tables[4].rows[1]), ElementsAre("Hamming loss", "1/1/1", "-"));
}

}  // namespace
}  // namespace sieve::test
