#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "data/formats.h"
#include "data/numpy/npy.h"
#include "data/recipe/recipe.h"
#include "labelsieve/data_io.h"
#include "linalg/paging.h"
#include "support/memory_limit.h"
#include "support/memory_streams.h"
#include "support/python_check.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string text = dictionary + "\n";
  std::string header = "\x93NUMPY";
  header += version;
  header += '\0';
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  if (version > 1) header += std::string(2, '\0');
  return header + text + data;
}

std::string dictionary(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(std::initializer_list<T> values, bool swapped = false) {
  std::string bytes;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (swapped) one.assign(one.rbegin(), one.rend());
    bytes += one;
  }
  return bytes;
}

ReadOptions without_labels() {
  ReadOptions options;
  options.labels.count = 0;
  return options;
}

Dataset read(const std::string& bytes, const ReadOptions& options = without_labels()) {
  test::MemoryFiles none;
  ReadOptions given = options;
  given.files = &none;
  test::MemoryInput in(bytes, 7);
  return with_features(read_numpy_raw(in, "x.npy", given), given);
}

std::vector<float> values_of(const Dataset& data) {
  std::vector<float> all, row(data.features.cols());
  for (std::size_t i = 0; i < data.features.rows(); ++i) {
    data.features.copy_row(i, row);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

std::string refusal_of(const std::string& bytes, const ReadOptions& options = without_labels()) {
  int code = 0;
  std::string message = test::refusal([&] { read(bytes, options); }, &code);
  EXPECT_EQ(code, 3) << message;
  return message;
}

TEST(Npy, reads_every_type_of_number_in_both_byte_orders) {
  const auto check = [](const std::string& type, auto one, auto two, auto three, auto four) {
    using T = decltype(one);
    for (const bool swapped : {false, true}) {
      const std::string order = sizeof(T) == 1 ? "|" : swapped ? ">" : "<";
      const Dataset data = read(
          npy(dictionary(order + type, "(2, 2)"), bytes_of<T>({one, two, three, four}, swapped)));
      EXPECT_THAT(values_of(data), ElementsAre(1, 2, 3, 4)) << order << type;
    }
  };
  check("f4", 1.F, 2.F, 3.F, 4.F);
  check("f8", 1., 2., 3., 4.);
  check("i1", std::int8_t{1}, std::int8_t{2}, std::int8_t{3}, std::int8_t{4});
  check("i2", std::int16_t{1}, std::int16_t{2}, std::int16_t{3}, std::int16_t{4});
  check("i4", std::int32_t{1}, std::int32_t{2}, std::int32_t{3}, std::int32_t{4});
  check("i8", std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4});
  check("u1", std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4});
  check("u2", std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}, std::uint16_t{4});
  check("u4", std::uint32_t{1}, std::uint32_t{2}, std::uint32_t{3}, std::uint32_t{4});
  check("u8", std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4});
  const std::string halves = bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7bff});
  EXPECT_THAT(values_of(read(npy(dictionary("<f2", "(2, 2)"), halves))),
              ElementsAre(1, -2, 0x1p-24F, 65504));
  EXPECT_THAT(values_of(read(npy(dictionary("|b1", "(1, 3)"), std::string("\1\0\1", 3)))),
              ElementsAre(1, 0, 1));
}

TEST(Npy, reads_column_by_column_and_all_versions) {
  const std::string numbers = bytes_of<float>({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(values_of(read(npy(dictionary("<f4", "(2, 3)", true), numbers))),
              ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(values_of(read(npy(dictionary("<f4", "(3, 2)"), numbers, 2))),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(values_of(read(npy(dictionary("<f4", "(3, 2)"), numbers, 3))),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, streams_what_it_reads) {
  for (const bool fortran : {false, true}) {
    const std::string bytes =
        npy(dictionary("<f8", "(3, 2)", fortran), bytes_of<double>({1, 2, 3, 4, 5, 6}));
    const Dataset whole = read(bytes);
    const TempFolder folder;
    test::write_file(folder / "x.npy", bytes);
    ReadOptions options;
    options.labels.optional = true;
    read_features({folder / "x.npy"}, options, [&](FeatureBlock& block) {
      EXPECT_TRUE(same_values(block.features, whole.features));
      return [] {};
    });
  }
}

TEST(Npy, a_plain_matrix_stays_in_its_file) {
  const TempFolder folder;
  std::string header = dictionary("<f4", "(2, 4)");
  header.resize(128 - 10 - 1, ' ');
  test::write_file(folder / "x.npy", npy(header, bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8})));
  const Dataset data = read_dataset({folder / "x.npy"}, without_labels());
  EXPECT_TRUE(is_mapped(data.features));
  EXPECT_THAT(values_of(data), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Npy, nan_is_a_gap_and_infinity_a_fault) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Dataset data = read(npy(dictionary("<f4", "(3, 1)"), bytes_of<float>({1, nan, 5})));
  EXPECT_THAT(values_of(data), ElementsAre(1, 0, 3, 1, 5, 0));
  ASSERT_TRUE(data.recipe);
  EXPECT_THAT(refusal_of(npy(dictionary("<f4", "(2, 1)"), bytes_of<float>({1, INFINITY}))),
              StartsWith("x.npy: row 2, column 1 of the array is not a finite 32-bit number"));
  EXPECT_THAT(refusal_of(npy(dictionary("<f8", "(1, 2)"), bytes_of<double>({1, 1e300}))),
              HasSubstr("row 1, column 2"));
}

TEST(Npy, labels_and_ids_come_from_files_of_their_own) {
  const TempFolder folder;
  test::write_file(folder / "x.npy",
                   npy(dictionary("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4})));
  test::write_file(folder / "y.npy",
                   npy(dictionary("|b1", "(2, 3)"), std::string("\1\0\1\0\1\0", 6)));
  test::write_file(folder / "y.csv", "cat,dog\n1,0\n0,1\n");
  test::write_file(folder / "tags.csv", "name,tags\nfirst,cat;dog\nother,dog\n");
  test::write_file(folder / "ids.txt", "first\nother\n");
  ReadOptions options;
  options.label_file = folder / "y.npy";
  options.id_file = folder / "ids.txt";
  Dataset data = read_dataset({folder / "x.npy"}, options);
  EXPECT_TRUE(data.candidates == test::labels_of({"101", "010"}));
  EXPECT_THAT(data.label_names, ElementsAre("label1", "label2", "label3"));
  EXPECT_THAT(data.ids, ElementsAre("first", "other"));
  options.label_file = folder / "y.csv";
  options.role = LabelRole::Truth;
  data = read_dataset({folder / "x.npy"}, options);
  EXPECT_THAT(data.label_names, ElementsAre("cat", "dog"));
  ASSERT_TRUE(data.truth);
  EXPECT_TRUE(*data.truth == test::labels_of({"10", "01"}));
  options.label_file = folder / "tags.csv";
  options.labels.column = "tags";
  data = read_dataset({folder / "x.npy"}, options);
  EXPECT_TRUE(data.candidates == test::labels_of({"11", "01"}));
  test::write_file(folder / "ids.txt", "first\nfirst\n");
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "x.npy"}, options); }),
              HasSubstr("ids.txt:2: the id 'first' for a second time"));
  test::write_file(folder / "ids.txt", "first\n");
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "x.npy"}, options); }),
              HasSubstr("1 ids for 2 rows"));
  test::write_file(folder / "tags.csv", "name,tags\nfirst,cat;dog\n");
  options.id_file.clear();
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "x.npy"}, options); }),
              HasSubstr("do not fit the rest of the set"));
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "x.npy"}); }),
              HasSubstr("give the labels in a file of their own with label_file"));
}

TEST(Npy, refuses_headers_that_lie_or_are_not_plain) {
  const std::string four = bytes_of<float>({1, 2, 3, 4});
  const auto with = [&](const std::string& dict) { return refusal_of(npy(dict, four)); };
  EXPECT_THAT(with(dictionary("<f4", "(2, 3)")), HasSubstr("should have 6 items of 4 bytes"));
  EXPECT_THAT(with(dictionary("<f4", "(1, 3)")), HasSubstr("but 16 bytes follow its header"));
  EXPECT_THAT(with(dictionary("<f4", "(4294967296, 4294967296)")), HasSubstr("should have"));
  EXPECT_THAT(with(dictionary("<f4", "(9223372036854775807, 4)")), HasSubstr("should have"));
  EXPECT_THAT(with(dictionary("<f4", "(99999999999999999999, 4)")), HasSubstr("is damaged"));
  EXPECT_THAT(with(dictionary("<f4", "(-2, 2)")), HasSubstr("is damaged"));
  EXPECT_THAT(with(dictionary("<f4", "(4,)")),
              HasSubstr("has 1 dimensions (4), but two are needed"));
  EXPECT_THAT(with(dictionary("<f4", "()")), HasSubstr("should have 1 items"));
  EXPECT_THAT(with(dictionary("|O", "(2, 2)")), HasSubstr("holds pickled Python objects"));
  EXPECT_THAT(with(dictionary("<c8", "(1, 2)")), HasSubstr("has items of type '<c8'"));
  EXPECT_THAT(with(dictionary("<M8[s]", "(1, 2)")), HasSubstr("is damaged"));
  EXPECT_THAT(with(dictionary("<f16", "(1, 1)")), HasSubstr("has items of type '<f16'"));
  EXPECT_THAT(with(dictionary("<U1", "(2, 2)")), HasSubstr("holds text"));
  EXPECT_THAT(with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }"),
              HasSubstr("an array of records"));
  for (const char* dict :
       {"", "{}", "{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4'",
        "{'descr': '<f4', 'fortran_order': maybe, 'shape': (2, 2)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)} import os"})
    EXPECT_THAT(with(dict), HasSubstr("the header of the array is damaged")) << dict;
  EXPECT_THAT(refusal_of(npy(dictionary("<f4", "(2, 2)"), four, 9)), HasSubstr("version 9.0"));
}

TEST(Npy, any_cut_is_refused) {
  const std::string whole = npy(dictionary("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4}));
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(refusal_of(whole.substr(0, size)), "") << size;
}

TEST(Npy, labels_must_be_on_or_off) {
  ReadOptions options;
  options.labels.all = true;
  const auto labels = [](std::initializer_list<std::int8_t> values) {
    return npy(dictionary("|i1", "(2, 2)"), bytes_of<std::int8_t>(values));
  };
  EXPECT_TRUE(read(labels({1, -1, -1, 1}), options).candidates == test::labels_of({"10", "01"}));
  EXPECT_THAT(refusal_of(labels({1, 0, 2, 1}), options),
              HasSubstr("row 2, column 1 of the array is not a label value"));
  EXPECT_THAT(refusal_of(labels({0, 0, -1, 1}), options), HasSubstr("0 or -1"));
}

// ---- several arrays -----------------------------------------------------------------------------

Dataset small_set(bool sparse) {
  Dataset data;
  Matrix x(3, 2);
  x(0, 0) = 1.5F, x(2, 1) = -2;
  data.features = std::move(x);
  data.candidates = test::labels_of({"11", "01", "10"});
  data.truth = test::labels_of({"10", "01", "10"});
  data.label_names = {"s\u00fc\u00df", "dog"};
  data.feature_names = {"a", "b"};
  data.ids = {"r1", "r2", "r3"};
  if (sparse) data.features = data.features.to_sparse();
  return data;
}

std::string npz_of(const Dataset& data) {
  test::MemoryOutput out;
  write_numpy(data, out, {});
  return out.text;
}

TEST(Npz, gives_back_what_was_written) {
  for (const bool sparse : {false, true}) {
    const Dataset back = read(npz_of(small_set(sparse)), {});
    EXPECT_TRUE(same_content(back, small_set(sparse)));
    EXPECT_EQ(back.features.is_sparse(), sparse);
  }
}

TEST(Npz, gives_back_labels_without_features) {
  Dataset data = small_set(false);
  data.features = Matrix(3, 0);
  data.feature_names.clear();
  EXPECT_TRUE(same_content(read(npz_of(data), {}), data));
}

TEST(Npz, a_sparse_matrix_that_lacks_a_part_is_refused) {
  for (const std::string part : {"indices", "shape", "data"}) {
    std::string bytes = npz_of(small_set(true));
    for (std::size_t at = 0; (at = bytes.find(part + ".npy", at)) != std::string::npos;)
      bytes[at] = '_';
    EXPECT_THAT(test::refusal([&] { read(bytes, {}); }),
                HasSubstr("the ZIP file has no member '" + part + "'"));
  }
}

TEST(Npz, any_cut_or_changed_byte_is_read_or_refused) {
  const std::string whole = npz_of(small_set(false));
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    test::refusal([&] { read(whole.substr(0, i), {}); });
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    test::refusal([&] { read(changed, {}); });
  }
  EXPECT_NE(test::refusal([&] { read(whole.substr(0, whole.size() / 2), {}); }), "");
}

// A file of which the header of an array says less than unpacks from it: refused by that header.
TEST(Npz, an_array_larger_than_its_header_says_is_not_unpacked) {
  const TempFolder folder;
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::string array =
      npy(dictionary("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4})) + std::string(kBytes, '\0');
  zip_t* zip = zip_open((folder / "x.npz").c_str(), ZIP_CREATE, nullptr);
  ASSERT_NE(zip, nullptr);
  zip_source_t* source = zip_source_buffer(zip, array.data(), array.size(), 0);
  ASSERT_GE(zip_file_add(zip, "X.npy", source, 0), 0);
  ASSERT_EQ(zip_close(zip), 0);
  const test::MemoryLimit limit(kBytes / 2);
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "x.npz"}, without_labels()); }),
              HasSubstr("'X' should have 4 items of 4 bytes, but 67108880 bytes follow"));
}

TEST(Npz, is_what_numpy_and_scipy_write_and_read) {
  REQUIRE_PYTHON();
  const TempFolder folder;
  write_dataset(small_set(false), folder / "ours.npz");
  write_dataset(small_set(true), folder / "sparse.npz");
  EXPECT_EQ(test::run_python("data/numpy_check.py", folder.path()).at("good"), 1);
  const Dataset plain = read_dataset({folder / "plain.npz"});
  EXPECT_EQ(plain.features.cols(), 4U);
  EXPECT_TRUE(plain.candidates == test::labels_of({"10", "01", "11"}));
  EXPECT_TRUE(same_content(plain, read_dataset({folder / "packed.npz"})));
  ReadOptions options;
  options.label_file = folder / "y.npy";
  const Dataset sparse = read_dataset({folder / "theirs.npz"}, options);
  EXPECT_TRUE(sparse.features.is_sparse());
  EXPECT_TRUE(same_values(sparse.features, plain.features));
  EXPECT_THAT(test::refusal([&] { read_dataset({folder / "columns.npz"}, options); }),
              HasSubstr("stored as 'csc'"));
}

TEST(Npz, a_npy_file_cannot_be_an_output) {
  const TempFolder folder;
  EXPECT_THAT(test::refusal([&] { write_dataset(small_set(false), folder / "x.npy"); }),
              HasSubstr("a .npy file holds one array"));
}

}  // namespace
}  // namespace sieve
