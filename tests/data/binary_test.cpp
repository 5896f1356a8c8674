#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "data/binary/binary_format.h"
#include "data/formats.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/prepare.h"
#include "linalg/paging.h"
#include "support/binary_seal.h"
#include "support/faulty_files.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using test::TempFolder;
using ::testing::HasSubstr;

Dataset crowd(std::size_t rows = 50, std::size_t features = 20, std::size_t labels = 6) {
  ThreadPool pool(1);
  return make_synthetic({.rows = rows,
                         .features = features,
                         .labels = labels,
                         .cardinality = 1,
                         .noise = labels > 1 ? 0.5 : 0},
                        pool);
}

Dataset sparse_crowd() {
  return test::thinned(crowd());
}

std::string written(const Dataset& data, WriteOptions::Labels labels = WriteOptions::Labels::All) {
  test::MemoryOutput out;
  WriteOptions options;
  options.labels = labels;
  write_binary(data, out, options);
  return out.text;
}

Dataset read(const std::string& bytes) {
  static test::MemoryFiles none;
  ReadOptions options;
  options.files = &none;
  test::MemoryInput in(bytes, 1000);
  return read_binary(in, "s.sieve", options);
}

TEST(BinaryFile, comes_back_bit_for_bit_from_disk_pipe_and_gzip) {
  const TempFolder folder;
  for (const bool sparse : {false, true})
    for (const bool truth : {false, true})
      for (const bool names : {false, true}) {
        Dataset data = sparse ? sparse_crowd() : crowd();
        if (!truth) data.truth.reset();
        if (!names) data.feature_names.clear();
        EXPECT_TRUE(same_content(read(written(data)), data)) << sparse << truth << names;
        for (const char* name : {"set.sieve", "set.sieve.gz"}) {
          WriteOptions options;
          options.if_exists = IfExists::Replace;
          write_dataset(data, folder / name, options);
          const Dataset back = read_dataset({folder / name});
          EXPECT_TRUE(same_content(back, data)) << name << sparse << truth << names;
          EXPECT_EQ(back.features.is_sparse(), sparse);
          EXPECT_EQ(is_mapped(back.features), std::string(name) == "set.sieve");
        }
      }
}

TEST(BinaryFile, holds_sets_of_unusual_shape) {
  for (const auto& [features, labels] : {std::pair{1, 1}, {3, 64}, {16, 65}, {17, 130}}) {
    const Dataset data = crowd(7, static_cast<std::size_t>(features), std::size_t(labels));
    EXPECT_TRUE(same_content(read(written(data)), data)) << features << " " << labels;
  }
  Dataset labels_only = crowd();
  labels_only.features = Matrix(labels_only.rows(), 0);
  labels_only.feature_names.clear();
  EXPECT_TRUE(same_content(read(written(labels_only)), labels_only));
}

TEST(BinaryFile, is_known_by_its_content_whatever_its_name) {
  const TempFolder folder;
  const Dataset data = crowd();
  test::write_file(folder / "set.csv", written(data));
  EXPECT_TRUE(same_content(read_dataset({folder / "set.csv"}), data));
}

TEST(BinaryFile, keeps_one_label_matrix_on_request) {
  Dataset data = crowd();
  const Dataset candidates = read(written(data, WriteOptions::Labels::Candidates));
  EXPECT_FALSE(candidates.truth);
  EXPECT_EQ(candidates.candidates, data.candidates);
  EXPECT_EQ(read(written(data, WriteOptions::Labels::Truth)).candidates, *data.truth);
  data.truth.reset();
  EXPECT_THAT(refusal([&] { written(data, WriteOptions::Labels::Truth); }),
              HasSubstr("has no true labels"));
}

// Nine rows with ids r0, r1, ...; ann ticks label 1 and 4 of row 0, bob sees nothing in it, and
// ticks label 5 of row 8.
Dataset voted_crowd() {
  Dataset data = crowd(9);
  for (std::size_t i = 0; i < data.rows(); ++i) data.ids.push_back("r" + std::to_string(i));
  VoteCollector said;
  said.tick(0, 0, 1), said.tick(0, 0, 4), said.annotate(0, 1), said.tick(8, 1, 5);
  data.votes = std::make_shared<const Votes>(said.finish(9, {"ann", "bob"}));
  return data;
}

// The same with two grades.
Dataset graded_crowd() {
  Dataset data = voted_crowd();
  VoteCollector said;
  said.add(*data.votes, 0, std::vector<std::uint32_t>{0, 1});
  said.tick(0, 0, 4, 2), said.tick(8, 1, 5, 1);
  data.votes = std::make_shared<const Votes>(said.finish(9, {"ann", "bob"}));
  return data;
}

// The same where ann is unsure of label 2 in row 0, and bob is a program.
Dataset unsure_crowd() {
  Dataset data = voted_crowd();
  VoteCollector said;
  said.add(*data.votes, 0, std::vector<std::uint32_t>{0, 1});
  said.unsure(0, 0, 2), said.unsure(8, 1, 0);
  Votes votes = said.finish(9, {"ann", "bob"});
  votes.declare({}, {0, 1});
  data.votes = std::make_shared<const Votes>(std::move(votes));
  return data;
}

TEST(BinaryFile, is_refused_wherever_it_is_cut_off) {
  for (const Dataset& data :
       {crowd(9), sparse_crowd(), voted_crowd(), unsure_crowd(), graded_crowd()}) {
    const std::string bytes = written(data);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_NE(refusal([&] { read(bytes.substr(0, size)); }), "") << size;
    EXPECT_NE(refusal([&] { read(bytes + '\0'); }), "");
  }
}

TEST(BinaryFile, is_refused_whichever_byte_is_changed) {
  for (const Dataset& data : {crowd(9), sparse_crowd(), voted_crowd(), graded_crowd()}) {
    std::string bytes = written(data);
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const int flip : {1, 0x80}) {
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        ASSERT_NE(refusal([&] { read(bytes); }), "") << at;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
      }
  }
}

TEST(BinaryFile, a_refusal_names_the_file_and_the_damaged_bytes) {
  const TempFolder folder;
  std::string bytes = written(crowd(20000));
  bytes[binary::kBlock + 5] ^= 1;
  test::write_file(folder / "set.sieve", bytes);
  int code = 0;
  const std::string message = refusal([&] { read_dataset({folder / "set.sieve"}); }, &code);
  EXPECT_THAT(message, HasSubstr(folder / "set.sieve"));
  EXPECT_THAT(message, HasSubstr("the checksum of its bytes 1048576 to"));
  EXPECT_EQ(code, static_cast<int>(Failure::Data));
}

// What a program could write with right checksums.
template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  test::seal_binary(bytes);
  return bytes;
}

TEST(BinaryFile, content_without_sense_is_refused_although_its_checksums_are_right) {
  const std::string dense = written(crowd(9)), sparse = written(sparse_crowd());
  const binary::Layout of_dense({9, 20, 6, 0, binary::kTruth});
  const binary::Layout of_sparse({50, 20, 6, sparse_crowd().features.nonzeros(), 3});
  EXPECT_EQ(refusal([&] { read(with(dense, 64, 1.0F)); }), "");
  const auto refused = [](const std::string& bytes) { return refusal([&] { read(bytes); }); };
  EXPECT_THAT(refused(with(dense, 64, std::nanf(""))), HasSubstr("row 0"));
  EXPECT_THAT(refused(with(dense, 64 + 32 * 4, std::numeric_limits<float>::infinity())),
              HasSubstr("row 1"));
  EXPECT_THAT(refused(with(dense, 64 + 21 * 4, 1.0F)), HasSubstr("row 0"));  // padding
  EXPECT_THAT(refused(with(dense, of_dense.candidates.offset, std::uint64_t{64})),
              HasSubstr("labels beyond the last"));
  EXPECT_THAT(refused(with(dense, 8, std::uint64_t{2})), HasSubstr("newer version"));
  for (std::size_t field = 0; field < 5; ++field)
    for (const std::uint64_t value : {std::uint64_t{1} << 40, ~std::uint64_t{0}})
      EXPECT_THAT(refused(with(dense, of_dense.end + 8 * field, value)), HasSubstr("damaged"));
  EXPECT_THAT(refused(with(sparse, of_sparse.starts.offset + 8, ~std::uint64_t{0})),
              HasSubstr("rows overlap or leave gaps"));
  EXPECT_THAT(refused(with(sparse, of_sparse.columns.offset, 20U)), HasSubstr("row 0"));
  EXPECT_THAT(refused(with(sparse, of_sparse.columns.offset + 4, 0U)), HasSubstr("row 0"));
  EXPECT_THAT(refused(with(sparse, of_sparse.values.offset, 0.0F)), HasSubstr("row 0"));
}

TEST(BinaryFile, ids_and_votes_without_sense_are_refused_although_checksums_are_right) {
  const std::string bytes = written(voted_crowd());
  const std::uint64_t flags =
      binary::kTruth | binary::kFeatureNames | binary::kIds | binary::kVotes;
  const binary::Layout at({9, 20, 6, 0, flags}, {18, 2, 3, 3});
  const auto refused = [&](std::size_t place, auto value) {
    return refusal([&] { read(with(bytes, place, value)); });
  };
  EXPECT_TRUE(same_content(read(bytes), voted_crowd()));
  EXPECT_THAT(refused(at.id_ends.offset, std::uint64_t{0}),
              HasSubstr("row 0 (from 0) has no valid"));
  EXPECT_THAT(refused(at.id_ends.offset, std::uint64_t{99}),
              HasSubstr("row 0 (from 0) has no valid"));
  EXPECT_THAT(refused(at.id_ends.offset + 64, std::uint64_t{17}), HasSubstr("ids do not match"));
  EXPECT_THAT(refused(at.ids.offset + 1, '1'), HasSubstr("rows 0 and 1 (from 0) have the same id"));
  EXPECT_THAT(refused(at.first_annotations.offset + 8, std::uint64_t{4}), HasSubstr("overlap"));
  EXPECT_THAT(refused(at.first_ticks.offset, std::uint64_t{1}), HasSubstr("overlap"));
  EXPECT_THAT(refused(at.annotators.offset, 2U), HasSubstr("row 0"));
  EXPECT_THAT(refused(at.annotators.offset, 1U), HasSubstr("row 0"));
  EXPECT_THAT(refused(at.ticked.offset, 5U), HasSubstr("row 0"));
  EXPECT_THAT(refused(at.ticked.offset + 8, 6U), HasSubstr("row 8"));
  const std::size_t extras = at.end + sizeof(binary::Shape) + 8 * binary::block_count(at.end);
  for (std::size_t field = 0; field < 4; ++field)
    for (const std::uint64_t value : {std::uint64_t{1} << 40, ~std::uint64_t{0}})
      EXPECT_THAT(refused(extras + 8 * field, value), HasSubstr("damaged"));
}

TEST(BinaryFile, keeps_grades) {
  const Dataset back = read(written(graded_crowd()));
  EXPECT_TRUE(same_content(back, graded_crowd()));
  EXPECT_EQ(back.votes->grades(0)[1], 2);
  EXPECT_FALSE(same_content(back, voted_crowd()));
}

TEST(BinaryFile, keeps_unsure_votes_and_kinds_of_annotators) {
  const std::string bytes = written(unsure_crowd());
  const Dataset back = read(bytes);
  EXPECT_TRUE(same_content(back, unsure_crowd()));
  EXPECT_EQ(back.votes->unsure(), 2u);
  EXPECT_TRUE(back.votes->is_program(1));
  const std::uint64_t flags = binary::kTruth | binary::kFeatureNames | binary::kIds |
                              binary::kVotes | binary::kUnsure | binary::kKinds;
  const binary::Layout at({9, 20, 6, 0, flags}, {18, 2, 3, 3}, {2});
  const auto refused = [&](std::size_t place, auto value) {
    return refusal([&] { read(with(bytes, place, value)); });
  };
  EXPECT_THAT(refused(at.first_unsure.offset, std::uint64_t{1}), HasSubstr("overlap"));
  EXPECT_THAT(refused(at.unsure.offset, 6U), HasSubstr("row 0"));
  EXPECT_THAT(refused(at.unsure.offset, 1U), HasSubstr("both ticks and unsure"));
  EXPECT_THAT(refused(at.kinds.offset + 4, 2U), HasSubstr("no known kind"));
  EXPECT_THAT(refused(at.kinds.offset, 77U), HasSubstr("no known kind"));
  const std::size_t more =
      at.end + sizeof(binary::Shape) + 8 * binary::block_count(at.end) + sizeof(binary::Extras);
  for (const std::uint64_t value : {std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_THAT(refused(more, value), HasSubstr("damaged"));
}

TEST(BinaryFile, of_a_table_is_the_same_in_blocks_and_at_once) {
  const TempFolder folder;
  Dataset data = crowd(1500, 1000, 5);  // more than one block of cells
  for (std::size_t i = 0; i < data.rows(); ++i) data.ids.push_back("r" + std::to_string(i));
  write_dataset(data, folder / "set.csv");
  convert_to_binary({folder / "set.csv"}, {}, folder / "blocks.sieve", {});
  write_dataset(read_dataset({folder / "set.csv"}), folder / "once.sieve");
  EXPECT_EQ(test::read_file(folder / "blocks.sieve"), test::read_file(folder / "once.sieve"));
}

TEST(BinaryFile, a_label_column_with_both_signs_is_refused_across_blocks) {
  const TempFolder folder;
  std::string text = "f,label:a\n";
  for (int i = 0; i < 800000; ++i) text += i == 0 ? "1,-1\n" : i == 799999 ? "1,0\n" : "1,1\n";
  test::write_file(folder / "set.csv", text);
  EXPECT_THAT(
      refusal([&] { convert_to_binary({folder / "set.csv"}, {}, folder / "set.sieve", {}); }),
      HasSubstr("holds both 0 and -1"));
  EXPECT_FALSE(std::filesystem::exists(folder / "set.sieve"));
}

TEST(BinaryFile, no_half_file_is_left_whichever_call_fails_while_converting) {
  const TempFolder folder;
  write_dataset(crowd(3000, 200), folder / "set.csv");
  for (const bool torn : {false, true}) {
    for (std::size_t failing = 0;; ++failing) {
      test::FaultyFiles files(failing, torn);
      WriteOptions options;
      options.files = &files;
      const std::string out = folder / "set.sieve";
      const std::string message =
          refusal([&] { convert_to_binary({folder / "set.csv"}, {}, out, options); });
      if (message.empty()) break;  // no call was left to fail
      const bool renamed = files.calls().back() == "sync_folder";
      EXPECT_THAT(message, HasSubstr("injected fault")) << failing;
      EXPECT_EQ(std::filesystem::exists(out), renamed) << failing;
      std::filesystem::remove(out);
    }
    std::filesystem::remove(folder / "set.sieve");
    EXPECT_EQ(FileSystem::real().list(folder.path()).size(), 1U);
  }
}

TEST(MappedFeatures, come_into_memory_when_someone_may_write) {
  const TempFolder folder;
  const Dataset data = crowd();
  write_dataset(data, folder / "set.sieve");
  Dataset mapped = read_dataset({folder / "set.sieve"});
  Features copy = mapped.features;
  EXPECT_TRUE(is_mapped(copy));
  copy.dense()(0, 0) = 7;
  EXPECT_FALSE(is_mapped(copy));
  EXPECT_TRUE(same_content(mapped, data));
  const Dataset both = stack_rows(std::move(mapped), data);
  EXPECT_FALSE(is_mapped(both.features));
  EXPECT_EQ(both.rows(), 2 * data.rows());
}

TEST(MappedFeatures, are_the_same_after_they_were_given_back) {
  const TempFolder folder;
  const Dataset data = crowd(5000);
  write_dataset(data, folder / "set.sieve");
  const Dataset mapped = read_dataset({folder / "set.sieve"});
  will_need(mapped.features, 0, 5000);
  give_back(mapped.features);
  EXPECT_TRUE(same_content(mapped, data));
}

}  // namespace
}  // namespace sieve
