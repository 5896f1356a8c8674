// Which rows a reviewer sees: whole rows, searches and filters.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "review/api.h"
#include "review/guidelines.h"
#include "review_set.h"

namespace sieve::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

class Viewing : public ::testing::Test {
 protected:
  void begin(ReviewMaterial material, std::string guidelines = "") {
    ReviewOptions options;
    options.decisions = folder_ / ("decisions" + std::to_string(++files_) + ".db");
    options.background_learning = false;
    options.guidelines = std::move(guidelines);
    review_.reset();
    review_ = std::make_unique<Review>(std::move(material), options);
  }
  json call(bool post, const std::string& path, std::map<std::string, std::string> query,
            const json& body = {}, int expected = 200) {
    const ReviewReply reply =
        answer(*review_, {post, path, std::move(query), body.is_null() ? "" : body.dump()});
    EXPECT_EQ(reply.status, expected) << path << ": " << reply.body;
    return json::parse(reply.body);
  }
  json next(std::map<std::string, std::string> view) {
    view.emplace("reviewer", "Ann");
    return call(false, "/api/next", view);
  }
  // The ids of the rows of a view, in its order.
  std::vector<std::string> ids(std::map<std::string, std::string> view) {
    std::vector<std::string> found;
    const json list = call(false, "/api/list", std::move(view));
    for (const json& one : list["items"]) found.push_back(one["id"]);
    return found;
  }
  json decide(const json& item, const json& choices, const std::string& who = "Ann",
              const std::string& note = "") {
    return call(true, "/api/decide", {},
                {{"reviewer", who},
                 {"unit", "row"},
                 {"order", "row"},
                 {"nonce", "nonce-" + std::to_string(1000 + ++nonces_)},
                 {"row", item["row"]},
                 {"choices", choices},
                 {"note", note}});
  }

  TempFolder folder_;
  std::unique_ptr<Review> review_;
  int nonces_ = 0, files_ = 0;
};

const std::map<std::string, std::string> kRows = {{"unit", "row"}, {"order", "row"}};

TEST_F(Viewing, rows_in_doubt_come_first_and_each_once) {
  begin(small_material());
  const json first = next(kRows);
  EXPECT_EQ(first["total"], 6);
  EXPECT_EQ(ids(kRows).size(), 6U);
  // Row d is at even odds; c has two cells, at -1 and -.5.
  EXPECT_EQ(first["item"]["id"], "c");
  EXPECT_EQ(first["item"]["index"], 0);
  EXPECT_EQ(first["item"]["labels"].size(), 2U);
}

TEST_F(Viewing, a_row_that_was_decided_or_skipped_does_not_come_again) {
  begin(small_material());
  json item = next(kRows)["item"];
  std::vector<std::string> seen;
  for (int k = 0; !item.is_null() && k < 10; ++k) {
    seen.push_back(item["id"]);
    json choices = json::array();
    for (const json& one : item["labels"])
      choices.push_back({{"label", one["label"]}, {"answer", "yes"}});
    if (k == 1) choices = {{{"label", item["label"]}, {"answer", "skip"}}};
    item = decide(item, choices)["item"];
  }
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_EQ(next(kRows)["counts"]["rows_decided"], 5);
}

TEST_F(Viewing, a_search_finds_rows_that_hold_every_word) {
  begin(small_material());
  EXPECT_THAT(ids({{"unit", "row"}, {"order", "label"}, {"text", "RAIN grey"}}),
              ElementsAre("b", "d", "f"));
  EXPECT_TRUE(ids({{"text", "rain sunny"}}).empty());
  EXPECT_THAT(ids({{"unit", "row"}, {"text", "rain"}, {"only_label", "1"}}), ElementsAre());
  call(false, "/api/list", {{"text", std::string(401, 'a')}}, {}, 400);
}

TEST_F(Viewing, probabilities_and_states_narrow_a_view) {
  begin(small_material());
  const json between = call(false, "/api/list", {{"low", "0.2"}, {"high", "0.8"}});
  EXPECT_GT(between["total"], 0);
  for (const json& one : between["items"]) {
    EXPECT_GE(one["confidence"], 0.2);
    EXPECT_LE(one["confidence"], 0.8);
  }
  call(false, "/api/list", {{"low", "2"}}, {}, 400);
  const json item = next({{"order", "suspicion"}})["item"];
  decide(item, {{{"label", item["label"]}, {"answer", "no"}}}, "Ann", "odd");
  EXPECT_EQ(call(false, "/api/list", {{"state", "open"}})["total"], 8);
  EXPECT_EQ(call(false, "/api/list", {{"state", "decided"}})["total"], 1);
  EXPECT_EQ(next({{"state", "noted"}, {"unit", "row"}})["item"]["id"], item["id"]);
  EXPECT_EQ(call(false, "/api/list", {{"state", "disputed"}})["total"], 0);
  decide(item, {{{"label", item["label"]}, {"answer", "yes"}}}, "Bob");
  EXPECT_EQ(call(false, "/api/list", {{"state", "disputed"}})["total"], 1);
  EXPECT_TRUE(next({{"state", "disputed"}, {"reviewer", "Bob"}})["item"].is_null());
  EXPECT_EQ(next({{"state", "disputed"}})["item"]["id"], item["id"]);
  decide(item, {{{"label", item["label"]}, {"answer", "yes"}}});
  EXPECT_EQ(call(false, "/api/list", {{"state", "disputed"}})["total"], 0);
}

TEST_F(Viewing, rows_are_alike_as_the_model_sees_them) {
  ReviewMaterial material = small_material();
  Matrix features(6, 2);
  for (std::size_t row = 0; row < 6; ++row) {
    features(row, 0) = row < 3 ? 1.0F : -1.0F;
    features(row, 1) = 0;
    material.texts.rows[row] = {"picture" + std::to_string(row) + ".png"};
  }
  material.data.features = Features(std::move(features));
  begin(std::move(material));
  const json item = call(false, "/api/item", {{"reviewer", "Ann"}, {"row", "0"}, {"label", "0"}});
  std::vector<std::string> near;
  for (const json& one : item["item"]["similar"]) near.push_back(one["id"]);
  ASSERT_GE(near.size(), 2U);
  EXPECT_THAT(std::vector(near.begin(), near.begin() + 2), ElementsAre("b", "c"));
}

TEST_F(Viewing, numbers_belong_to_the_labels_that_are_met_most) {
  begin(small_material(), "# sun\n\nIt shines.\n");
  const json start = call(false, "/api/start", {});
  EXPECT_EQ(start["numbered"], json({0, 1}));
  EXPECT_EQ(start["guidelines"], json({"It shines.", ""}));
  begin(crowd_material(60, 12));
  EXPECT_EQ(call(false, "/api/start", {})["numbered"].size(), 9U);
}

TEST(Guidelines, each_label_has_the_text_below_its_heading) {
  const std::vector<std::string> labels = {"sea", "Mountain", "city"};
  const auto texts = guidelines_of(
      "# All\nnot this\n## SEA\r\n\r\nwater\n### In detail\nsalt\n## Other\nnot this\n"
      "## mountain\nhigh\n#city\nno heading",
      labels);
  EXPECT_EQ(texts[0], "water\n### In detail\nsalt");
  EXPECT_EQ(texts[1], "high\n#city\nno heading");
  EXPECT_EQ(texts[2], "");
  EXPECT_THAT(guidelines_of("", labels), ElementsAre("", "", ""));
}

}  // namespace
}  // namespace sieve::test
