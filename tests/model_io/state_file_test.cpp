#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <functional>
#include <limits>

#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "support/faulty_files.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNever = std::numeric_limits<float>::infinity();

ModelState small_state() {
  ModelState state;
  state.method = "mlp";
  state.options = {{"epochs", "2"}, {"width", "16"}};
  state.choices.seed = 18446744073709551615U;
  state.choices.rows = 3;
  state.choices.storage = RowStorage::Sparse;
  state.choices.decision = DecisionRule::Regressed;
  state.choices.noise_share = 1.0 / 3;
  state.choices.guarantees = {
      {"precision", 0.9, 0.95, 300, {{0.7F, false, 25}, {0.5F, true, 30}, {kNever, false, 0}}}};
  state.choices.counters = {{"epochs", 4}, {"best_loss", 4610872811433438178U}};
  state.part_choices["networks"] = {.seed = 5, .activation = "leaky-relu"};
  state.notes = {{"what", "a \"quoted\" note\nover two lines, ü"}};
  state.feature_names = {"f1", "f2"};
  state.label_names = {"sun", "sea", "snow"};
  state.features = 2;
  state.scaler = {Scaling::MinMax, {0.5F, 2.0F}, {-1.0F, 0.25F}};
  state.tensors = {{"weights", {2, 3}, {1, 2, 3, 4, 5, 6e-30F}}, {"empty", {0, 4}, {}}};
  return state;
}

void expect_equal(const ModelState& a, const ModelState& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.choices, b.choices);
  EXPECT_EQ(a.part_choices, b.part_choices);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.label_names, b.label_names);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.scaler.scaling, b.scaler.scaling);
  EXPECT_EQ(a.scaler.factor, b.scaler.factor);
  EXPECT_EQ(a.scaler.offset, b.scaler.offset);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
    EXPECT_EQ(a.tensors[i].values, b.tensors[i].values);
  }
}

std::string refused(const std::string& bytes, StateKind kind = StateKind::Model) {
  int code = 0;
  const std::string message = refusal([&] { decode_state(bytes, kind, "some.model"); }, &code);
  EXPECT_EQ(code, 4) << message;
  EXPECT_THAT(message, Not(HasSubstr("json.")));  // no words of a library's own
  return message;
}

// A file with a header of the test's own, otherwise well-formed: lengths and checksum are right.
std::string file_with_header(const std::string& header, std::size_t payload = 64) {
  std::string bytes = "SIEVEMDL";
  const auto append = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::size_t tensors = (24 + header.size() + 63) / 64 * 64;
  append(std::uint32_t{1});
  append(static_cast<std::uint32_t>(header.size()));
  append(static_cast<std::uint64_t>(tensors + payload + 4));
  bytes += header;
  bytes.resize(tensors + payload);
  append(static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
  return bytes;
}

// The header of an empty model with one of its members replaced.
std::string header_with(const std::string& key, const std::string& value) {
  std::string text;
  for (const auto& [name, usual] :
       std::vector<std::pair<std::string, std::string>>{{"method", "\"mlp\""},
                                                        {"options", "{}"},
                                                        {"notes", "{}"},
                                                        {"choices", "{}"},
                                                        {"features", "1"},
                                                        {"feature_names", "[]"},
                                                        {"label_names", "[\"a\"]"},
                                                        {"scaling", "\"none\""},
                                                        {"tensors", "[]"}})
    text += (text.empty() ? "{\"" : ",\"") + name + "\":" + (name == key ? value : usual);
  return text + "}";
}

TEST(StateFile, comes_back_as_it_was) {
  for (const StateKind kind : {StateKind::Model, StateKind::Checkpoint}) {
    const ModelState state = small_state();
    const std::string bytes = encode_state(state, kind);
    expect_equal(decode_state(bytes, kind, "x"), state);
    EXPECT_EQ(encode_state(decode_state(bytes, kind, "x"), kind), bytes);
  }
}

TEST(StateFile, without_scaling_names_or_tensors_comes_back_too) {
  ModelState state;
  state.method = "mlp";
  state.features = 7;
  state.label_names = {"only"};
  expect_equal(decode_state(encode_state(state, StateKind::Model), StateKind::Model, "x"), state);
}

TEST(StateFile, tensors_lie_on_64_byte_boundaries) {
  const std::string bytes = encode_state(small_state(), StateKind::Model);
  const float first = 1;
  bool found = false;
  for (std::size_t at = 0; at + 12 < bytes.size(); at += 64)
    found |= std::memcmp(bytes.data() + at, &first, sizeof first) == 0;
  EXPECT_TRUE(found);
}

TEST(StateFile, every_cut_is_refused) {
  const std::string bytes = encode_state(small_state(), StateKind::Model);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(refused(bytes.substr(0, size)), HasSubstr("some.model")) << size;
  refused(bytes + '\0');
}

TEST(StateFile, every_changed_byte_is_refused) {
  const std::string bytes = encode_state(small_state(), StateKind::Model);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      refused(damaged);
    }
}

TEST(StateFile, model_and_checkpoint_are_not_mixed_up) {
  EXPECT_THAT(refused(encode_state(small_state(), StateKind::Checkpoint)),
              HasSubstr("this is not a model"));
  EXPECT_THAT(refused(encode_state(small_state(), StateKind::Model), StateKind::Checkpoint),
              HasSubstr("this is not a checkpoint"));
}

std::shared_ptr<const FeatureRecipe> some_recipe() {
  FeatureRecipe recipe;
  recipe.rows = 12;
  recipe.decimal = ',';
  recipe.thousands = '.';
  recipe.text.char_grams = 3;
  RecipeColumn age, colour, text;
  age.name = "age", age.fill = 0.1F, age.marks_missing = true, age.missing = 3;
  colour.kind = RecipeColumn::Kind::Category, colour.name = "colour";
  colour.values = {"red", "\u00fc"};
  text.kind = RecipeColumn::Kind::Text, text.name = "text";
  text.values = {"a b", "~x"}, text.weights = {1.5F, 2};
  recipe.columns = {age, colour, text};
  return std::make_shared<const FeatureRecipe>(recipe);
}

TEST(StateFile, a_recipe_comes_back_and_makes_it_version_2) {
  ModelState state;
  EXPECT_EQ(encode_state(state, StateKind::Model)[8], 1) << "earlier programs read this one";
  state.recipe = some_recipe();
  state.features = state.recipe->width();
  EXPECT_EQ(state.features, 6U);
  const std::string bytes = encode_state(state, StateKind::Model);
  EXPECT_EQ(bytes[8], 2);
  const ModelState back = decode_state(bytes, StateKind::Model, "x");
  ASSERT_TRUE(back.recipe);
  EXPECT_TRUE(*back.recipe == *state.recipe);
  EXPECT_TRUE(back.tensors.empty());
}

TEST(StateFile, categories_that_are_compared_as_they_are_written_make_it_version_3) {
  ModelState state;
  auto recipe = std::make_shared<FeatureRecipe>(*some_recipe());
  recipe->columns[1].fill = 1;
  state.recipe = recipe;
  state.features = recipe->width();
  const std::string bytes = encode_state(state, StateKind::Model);
  EXPECT_EQ(bytes[8], 3);
  EXPECT_TRUE(*decode_state(bytes, StateKind::Model, "m").recipe == *recipe);
}

TEST(StateFile, a_recipe_that_does_not_fit_is_refused) {
  ModelState state;
  state.recipe = some_recipe();
  state.features = 5;
  EXPECT_THAT(refused(encode_state(state, StateKind::Model)),
              HasSubstr("does not fit its features"));
  auto recipe = std::make_shared<FeatureRecipe>(*some_recipe());
  recipe->columns[2].weights.pop_back();
  state.features = 6;
  state.recipe = recipe;
  EXPECT_THAT(refused(encode_state(state, StateKind::Model)), HasSubstr("number of weights"));
  for (const char* json : {"null", "[]", "{}", "{\"rows\":-1}", "7"})
    refused(file_with_header(header_with("tensors", std::string("[],\"recipe\":") + json)));
}

TEST(StateFile, a_newer_version_is_named) {
  std::string bytes = encode_state(small_state(), StateKind::Model);
  bytes[8] = 9;
  EXPECT_THAT(refused(bytes), HasSubstr("newer version (format 9)"));
}

TEST(StateFile, the_headers_made_here_are_fine_until_changed) {
  EXPECT_EQ(decode_state(file_with_header(header_with("", "")), StateKind::Model, "x").features,
            1U);
}

TEST(StateFile, hostile_tensors_are_refused) {
  const auto tensor = [](const std::string& shape, const std::string& offset) {
    return header_with("tensors",
                       R"([{"name":"t","shape":)" + shape + R"(,"offset":)" + offset + "}]");
  };
  const std::string huge = "18446744073709551615";
  for (const auto& [shape, offset] :
       std::vector<std::pair<std::string, std::string>>{{"[1000000]", "64"},
                                                        {"[" + huge + "]", "64"},
                                                        {"[4294967296,4294967296]", "64"},
                                                        {"[" + huge + "," + huge + ",2]", "64"},
                                                        {"[1]", huge},
                                                        {"[1]", "1048576"},
                                                        {"[1]", "63"},
                                                        {"[-1]", "64"},
                                                        {"[1]", "-64"},
                                                        {"[0.5]", "64"},
                                                        {"\"many\"", "64"},
                                                        {"[1]", "\"64\""},
                                                        {"[[1]]", "64"},
                                                        {"null", "64"},
                                                        {"[1]", "null"}})
    refused(file_with_header(tensor(shape, offset)));
}

TEST(StateFile, tensors_can_not_multiply_the_memory_of_the_file) {
  std::string tensors;
  for (int i = 0; i < 1000; ++i)
    tensors += std::string(i == 0 ? "[" : ",") + R"({"name":"t","shape":[10000],"offset":64})";
  EXPECT_THAT(refused(file_with_header(header_with("tensors", tensors + "]"))),
              HasSubstr("its tensors overlap"));
}

TEST(StateFile, a_refusal_names_the_part_of_the_header) {
  EXPECT_THAT(refused(file_with_header("[1,2]")), HasSubstr("missing or invalid 'method'"));
  EXPECT_THAT(refused(file_with_header(header_with("label_names", "7"))),
              HasSubstr("missing or invalid 'label_names'"));
  EXPECT_THAT(refused(file_with_header(header_with("tensors", "[3]"))),
              HasSubstr("missing or invalid 'name'"));
  EXPECT_THAT(refused(file_with_header("{")), HasSubstr("not JSON"));
}

TEST(StateFile, headers_of_the_wrong_types_are_refused) {
  for (const char* key : {"method", "options", "notes", "choices", "features", "feature_names",
                          "label_names", "scaling", "tensors"}) {
    SCOPED_TRACE(key);
    for (const char* value : {"null", "true", "[1]", "{\"a\":1}", "[[]]", "{\"a\":{}}", "-1.5"})
      refusal(
          [&] { decode_state(file_with_header(header_with(key, value)), StateKind::Model, "x"); });
    refused(file_with_header(header_with(key, "null")));
  }
  refused(file_with_header(header_with("features", "-1")));
  refused(file_with_header(header_with("features", "1e30")));
  refused(file_with_header(header_with("scaling", "\"log\"")));
  refused(file_with_header(header_with("scaling", "\"minmax\"")));
  for (const char* header : {"", "{", "[]", "null", "{}", "\"text\"", "{\"method\":\"mlp\"}"})
    refused(file_with_header(header));
}

TEST(StateFile, choices_of_the_wrong_types_are_refused) {
  for (const char* bad :
       {"7",
        "[]",
        R"({"seed":-1})",
        R"({"seed":"1"})",
        R"({"rows":0.5})",
        R"({"storage":"heap"})",
        R"({"storage":1})",
        R"({"decision":"sometimes"})",
        R"({"activation":null})",
        R"({"noise_share":"0.5"})",
        R"({"depth":[1]})",
        R"({"counters":[1]})",
        R"({"counters":null})",
        R"({"counters":{"epoch":-1}})",
        R"({"counters":{"epoch":1.5}})",
        R"({"guarantees":{}})",
        R"({"guarantees":[{}]})",
        R"({"guarantees":[{"about":"luck","share":0.9,"level":0.9,"rows":1,"thresholds":[],
            "shared":[],"decisions":[]}]})",
        R"({"guarantees":[{"about":"recall","share":0.9,"level":0.9,"rows":1,"thresholds":[true],
            "shared":[false],"decisions":[1]}]})",
        R"({"parts":[]})",
        R"({"parts":{"a":1}})",
        R"({"parts":{"a":{"depth":"1"}}})"})
    EXPECT_THAT(refused(file_with_header(header_with("choices", bad))),
                HasSubstr("missing or invalid 'choices'"))
        << bad;
  const ModelState state = decode_state(
      file_with_header(header_with("choices", R"({"rows":2,"new":{}})")), StateKind::Model, "x");
  EXPECT_EQ(state.choices.rows, 2U) << "what a later version adds is left out";
}

// Of a file with these notes, as versions wrote it that did not write choices.
ModelState state_of_earlier_notes(const std::string& notes) {
  const std::string none = ",\"choices\":{}";
  std::string header = header_with("notes", notes);
  header.erase(header.find(none), none.size());
  return decode_state(file_with_header(header), StateKind::Model, "x");
}

TEST(StateFile, notes_of_0_2_0_become_choices) {
  const ModelState state =
      state_of_earlier_notes(R"({"seed":"18446744073709551615","rows":"40","data":"7",)"
                             R"("features stored as":"sparse rows","decision":"row-min-max",)"
                             R"("activation":"leaky-relu","depth":"2","noise_share":"0.850000",)"
                             R"("beta":"0.100000","share":"0.500000","state/epochs":"4",)"
                             R"("kept":"all","networks/depth":"1","networks/member0":"well"})");
  const Choices wanted{.seed = 18446744073709551615U,
                       .rows = 40,
                       .data_checksum = 7,
                       .storage = RowStorage::Sparse,
                       .decision = DecisionRule::RowMinMax,
                       .activation = "leaky-relu",
                       .depth = 2,
                       .noise_share = 0.85,
                       .beta = 0.1,
                       .share = 0.5,
                       .counters = {{"epochs", 4}}};
  EXPECT_EQ(state.choices, wanted);
  EXPECT_EQ(state.notes,
            (std::map<std::string, std::string>{{"kept", "all"}, {"networks/member0", "well"}}));
  ASSERT_EQ(state.part_choices.size(), 1U);
  EXPECT_EQ(state.part_choices.at("networks").depth, 1U);
  EXPECT_EQ(state.part_choices.at("networks").storage, RowStorage::Sparse);
  EXPECT_EQ(state.display_notes().at("networks/depth"), "1");
  EXPECT_FALSE(state.display_notes().contains("networks/rows")) << "as those of all";
  EXPECT_EQ(state.display_notes().at("noise_share"), "0.850000");
  EXPECT_EQ(state.display_notes().at("features stored as"), "sparse rows");
}

TEST(StateFile, a_note_that_is_no_choice_stays_a_note) {
  const ModelState state =
      state_of_earlier_notes(R"({"rows":"many","decision":"sometimes","state/epochs":"-1"})");
  EXPECT_EQ(state.choices, Choices());
  EXPECT_EQ(state.notes.size(), 3U);
}

TEST(StateFile, says_its_choices_in_notes_for_earlier_programs_and_does_not_read_them_there) {
  std::string bytes = encode_state(small_state(), StateKind::Model);
  EXPECT_THAT(bytes, HasSubstr(R"("features stored as":"sparse rows")"));
  EXPECT_THAT(bytes, HasSubstr(R"("decision":"regressed")"));
  std::string header = header_with("notes", R"({"rows":"9","depth":"2"})");
  header.replace(header.find(R"("choices":{)"), 11, R"("choices":{"rows":8)");
  const ModelState state = decode_state(file_with_header(header), StateKind::Model, "x");
  EXPECT_EQ(state.choices, Choices{.rows = 8});
  EXPECT_EQ(state.display_notes().at("rows"), "8");
  EXPECT_EQ(state.notes.at("depth"), "2") << "a remark";
}

TEST(StateFile, deep_nesting_is_refused) {
  for (const std::size_t depth : {20U, 1000U, 1000000U}) {
    const std::string open(depth, '['), close(depth, ']');
    refused(file_with_header(header_with("notes", open + close)));
    refused(file_with_header(open));
  }
}

TEST(StateFile, numbers_that_are_not_finite_are_refused) {
  ModelState state = small_state();
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    state.tensors[0].values[2] = bad;
    EXPECT_THAT(refused(encode_state(state, StateKind::Model)), HasSubstr("not finite"));
  }
}

TEST(StateFile, a_failing_disk_leaves_the_old_file) {
  const TempFolder folder;
  const std::string path = folder / "model";
  write_file(path, "old");
  FaultyFiles counting;
  save_state(small_state(), StateKind::Model, folder / "other", IfExists::Replace, counting);
  for (std::size_t call = 0; call < counting.calls().size(); ++call) {
    FaultyFiles files(call, true);
    int code = 0;
    refusal([&] { save_state(small_state(), StateKind::Model, path, IfExists::Replace, files); },
            &code);
    const std::string now = read_file(path);
    EXPECT_TRUE(now == "old" || now == encode_state(small_state(), StateKind::Model)) << call;
    EXPECT_TRUE(code == 5 || code == 0) << call;
  }
}

TEST(StateFile, a_method_that_is_not_known_is_named) {
  const TempFolder folder;
  ModelState state = small_state();
  state.method = "alchemy";
  save_state(state, StateKind::Model, folder / "model", IfExists::Refuse);
  int code = 0;
  EXPECT_THAT(refusal([&] { load_model(folder / "model"); }, &code), HasSubstr("alchemy"));
  EXPECT_EQ(code, 4);
}

TEST(StateFile, a_valid_file_that_is_no_network_is_refused_with_its_path) {
  const TempFolder folder;
  save_state(small_state(), StateKind::Model, folder / "model", IfExists::Refuse);
  int code = 0;
  EXPECT_THAT(refusal([&] { load_model(folder / "model"); }, &code), HasSubstr(folder / "model"));
  EXPECT_EQ(code, 4);
}

}  // namespace
}  // namespace sieve::test
