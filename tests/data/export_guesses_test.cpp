#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "annotations_support.h"
#include "labelsieve/error.h"

// Exports and sheets as people hold them, without a word about their columns.
namespace sieve {
namespace {

using test::refusal;
using test::ticks_of;
using test::told;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ExportGuesses, crowdflower_has_one_answer_by_its_content) {
  const std::string head = "_unit_id,_trust,_worker_id,_country,relevant,which_topic,sentence\n";
  const std::string rows =
      "1,.9,w1,USA,yes,sea,waves all day\n1,.8,w2,USA,yes,sea,waves all day\n"
      "2,.9,w1,USA,yes,wood,leaves in the wind\n2,.8,w2,USA,no,sea,leaves in the wind\n";
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(head + rows, {}, &notes)),
            "1 w1: sea; 1 w2: sea; 2 w1: wood; 2 w2: sea; ");
  EXPECT_THAT(notes, Contains(HasSubstr("labels are those in 'which_topic'")));
}

TEST(ExportGuesses, crowdflower_with_two_answers_is_asked_which) {
  const std::string message = refusal([] {
    ticks_of(
        "_unit_id,_worker_id,mood,topic\n1,w1,calm,sea\n1,w2,calm,sea\n2,w1,calm,wood\n"
        "2,w2,wild,sea\n3,w1,wild,sea\n3,w2,wild,wood\n");
  });
  EXPECT_THAT(message, HasSubstr("which column of the annotations has the labels"));
}

TEST(ExportGuesses, small_exports_of_label_studio_need_no_name_of_the_question) {
  const std::string expected = "1 1: sea; 1 2: sea; 2 1: wood; 2 2: sea; ";
  std::string json = "[", csv = "annotation_id,annotator,created_at,id,lead_time,text,topic\n";
  int number = 0;
  for (const auto& [id, who, text, label] : {std::tuple{1, 1, "waves all day", "sea"},
                                             {1, 2, "waves all day", "sea"},
                                             {2, 1, "leaves in the wind", "wood"},
                                             {2, 2, "leaves in the wind", "sea"}}) {
    const std::string i = std::to_string(id), by = std::to_string(who),
                      record = std::to_string(++number);
    csv += record + "," + by + ",2024-01-01T00:00:00Z," + i + ",2.5," + text + "," + label + "\n";
    json += std::string(json == "[" ? "" : ",") + "{\"text\": \"" + text + "\", \"id\": " + i +
            ", \"topic\": \"" + label + "\", \"annotator\": " + by +
            ", \"annotation_id\": " + record +
            ", \"created_at\": \"2024-01-01T00:00:00Z\", \"lead_time\": 2.5}";
  }
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of(csv, {}, &notes)), expected);
  EXPECT_THAT(notes, Contains(HasSubstr("labels are those in 'topic'")));
  EXPECT_EQ(told(ticks_of(json + "]")), expected);
}

TEST(ExportGuesses, a_hash_separates_labels_as_doccano_writes_them) {
  EXPECT_EQ(told(ticks_of("id,annotator,label\n1,a,sea\n1,b,sea#wood\n2,a,wood\n2,b,wood\n")),
            "1 a: sea; 1 b: sea wood; 2 a: wood; 2 b: wood; ");
  EXPECT_EQ(told(ticks_of("id,annotator,label\n1,a,C#\n1,b,C\n2,a,F#\n2,b,C#\n")),
            "1 a: C#; 1 b: C; 2 a: F#; 2 b: C#; ");
}

TEST(ExportGuesses, records_of_argilla_2_are_read) {
  const std::string records = R"([{"id": "r1", "fields": {"text": "waves all day"}, "metadata": {},
      "suggestions": {"topic": {"value": "sea", "score": 0.5, "agent": "m"}},
      "responses": {"topic": [{"value": "sea", "user_id": "u1"},
                              {"value": ["sea", "wood"], "user_id": "u2"}]},
      "vectors": {}, "_server_id": "s1"},
     {"id": "r2", "fields": {"text": "leaves in the wind"}, "metadata": {}, "suggestions": {},
      "responses": {"topic": [{"value": "wood", "user_id": "u1", "status": "submitted"},
                              {"value": "sea", "user_id": "u2", "status": "draft"}]OTHER},
      "vectors": {}, "_server_id": "s2"}])";
  const auto with = [&](const std::string& other) {
    std::string text = records;
    return text.replace(text.find("OTHER"), 5, other);
  };
  EXPECT_EQ(told(ticks_of(with(""))), "r1 u1: sea; r1 u2: sea wood; r2 u1: wood; ");
  const std::string two = with(R"(, "mood": [{"value": "calm", "user_id": "u1"}])");
  EXPECT_THAT(refusal([&] { ticks_of(two); }), HasSubstr("several questions: 'topic' and 'mood'"));
  AnnotationOptions options;
  options.label = "mood";
  EXPECT_EQ(told(ticks_of(two, options)), "r2 u1: calm; ");
  options.label = "nothing";
  EXPECT_THAT(refusal([&] { ticks_of(two, options); }), HasSubstr("they have 'mood', 'topic'"));
}

TEST(ExportGuesses, columns_named_as_annotators_have_the_labels_of_one_each) {
  std::vector<std::string> notes;
  EXPECT_EQ(
      told(ticks_of("item,text,rater_a,Rater B,rater 3\n1,waves all day,sea,sea;wood,sea\n"
                    "2,leaves in the wind,wood,,wood\n3,sand,sea,wood,sea\n",
                    {}, &notes)),
      "1 rater_a: sea; 1 Rater B: sea wood; 1 rater 3: sea; 2 rater_a: wood; 2 rater 3: wood; "
      "3 rater_a: sea; 3 Rater B: wood; 3 rater 3: sea; ");
  EXPECT_THAT(notes, Contains(HasSubstr("each of 3 columns has the labels of one annotator")));
}

TEST(ExportGuesses, annotators_as_columns_of_yes_and_no_speak_of_one_label) {
  std::vector<std::string> notes;
  EXPECT_EQ(told(ticks_of("id,coder1,coder2\n1,1,1\n2,0,1\n3,1,\n4,0,0\n", {}, &notes)),
            "1 coder1: yes; 1 coder2: yes; 2 coder1:; 2 coder2: yes; 3 coder1: yes; 4 coder1:; "
            "4 coder2:; ");
  EXPECT_THAT(notes, Contains(HasSubstr("yes and no to one label, 'yes'")));
}

TEST(ExportGuesses, columns_of_alike_texts_are_asked_about) {
  const std::string table =
      "item,ann,bob,cy\n1,sea,sea,sea\n2,wood,wood,sea\n3,sea,wood,sea\n4,wood,wood,wood\n";
  EXPECT_THAT(refusal([&] { ticks_of(table); }), Not(HasSubstr("ann' says")));
  AnnotationOptions options;
  options.format = "raters";
  options.label = "ann,bob,cy";
  EXPECT_EQ(told(ticks_of(table, options)).substr(0, 34), "1 ann: sea; 1 bob: sea; 1 cy: sea;");
}

TEST(ExportGuesses, a_form_of_google_knows_its_annotators_by_address) {
  AnnotationOptions options;
  options.label = "Which topic? (choose all)";
  options.value = "none";
  EXPECT_EQ(told(ticks_of("Timestamp,Email Address,Item,Which topic? (choose all),Sure?\n"
                          "1/1/2024 10:00:00,a@example.org,i1,sea,Yes\n"
                          "1/1/2024 10:01:00,b@example.org,i1,\"sea, wood\",No\n"
                          "1/1/2024 10:02:00,a@example.org,i2,wood,Yes\n"
                          "1/1/2024 10:03:00,b@example.org,i2,sea,No\n",
                          options)),
            "i1 a@example.org: sea; i1 b@example.org: sea wood; i2 a@example.org: wood; "
            "i2 b@example.org: sea; ");
}

}  // namespace
}  // namespace sieve
