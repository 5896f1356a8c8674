#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <matio.h>

#include <cstdlib>
#include <limits>

#include "base/random.h"
#include "data/label_columns.h"
#include "data/mat_support.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

// Sizes that leave odd ends in every tile and block of the reader and writer.
Dataset odd_set(std::size_t rows, std::size_t features, std::size_t labels) {
  Random random(7, Purpose::Test);
  Dataset data;
  Matrix x(rows, features);
  for (std::size_t i = 0; i < rows; ++i)
    for (float& value : x.row(i)) value = static_cast<float>(random.normal());
  x(0, 0) = -0.0F;
  x(rows - 1, features - 1) = std::numeric_limits<float>::denorm_min();
  data.features = std::move(x);
  data.candidates = LabelMatrix(rows, labels);
  data.truth = LabelMatrix(rows, labels);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < labels; ++k) {
      data.candidates.set(i, k, random.chance(0.5));
      data.truth->set(i, k, random.chance(0.2));
    }
  data.label_names = numbered_names("Gerät № ", labels);
  data.feature_names = numbered_names("f", features);
  return data;
}

Dataset sparse_set() {
  return test::thinned(odd_set(41, 9, 3));
}

class MatRoundTrip : public testing::TestWithParam<bool> {
 protected:
  void expect_kept(const Dataset& data) const {
    WriteOptions options;
    options.mat73 = GetParam();
    const Dataset back = load_mat(saved_mat(data, options));
    EXPECT_TRUE(same_content(data, back));
    EXPECT_EQ(data.features.is_sparse(), back.features.is_sparse());
  }
};
INSTANTIATE_TEST_SUITE_P(Versions, MatRoundTrip, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "version73" : "version5"; });

TEST_P(MatRoundTrip, keeps_dense_sets_bit_for_bit) {
  expect_kept(odd_set(1, 1, 1));
  expect_kept(odd_set(37, 83, 5));
  expect_kept(odd_set(501, 17, 70));
}

TEST_P(MatRoundTrip, keeps_sparse_sets) {
  expect_kept(sparse_set());
}

TEST_P(MatRoundTrip, keeps_sets_without_truth_or_with_clean_labels) {
  Dataset data = odd_set(5, 3, 2);
  data.feature_names.clear();
  data.truth = data.candidates.clone();
  expect_kept(data);
  data.truth.reset();
  expect_kept(data);
}

TEST(Mat, writes_only_the_labels_that_are_asked_for) {
  const Dataset data = odd_set(5, 3, 2);
  WriteOptions options;
  options.labels = WriteOptions::Labels::Truth;
  EXPECT_EQ(load_mat(saved_mat(data, options)).candidates, *data.truth);
  options.labels = WriteOptions::Labels::Candidates;
  EXPECT_FALSE(load_mat(saved_mat(data, options)).truth);
}

TEST(Mat, keeps_a_set_without_features) {
  Dataset data = odd_set(5, 3, 2);
  data.features = Matrix(5, 0);
  data.feature_names.clear();
  EXPECT_TRUE(same_content(load_mat(saved_mat(data)), data));
}

TEST_P(MatRoundTrip, keeps_names_beyond_16_bits) {
  Dataset data = odd_set(5, 3, 2);
  data.label_names[0] = "\xF0\x9F\x8C\x8A";
  expect_kept(data);
}

TEST(Mat, refuses_to_write_names_that_are_not_utf8) {
  Dataset data = odd_set(2, 2, 1);
  data.label_names = {"caf\xE9"};
  EXPECT_THAT(refusal([&] { (void)saved_mat(data); }), HasSubstr("not valid UTF-8"));
}

TEST(Mat, reads_the_same_with_any_number_of_threads) {
  const std::string bytes = saved_mat(odd_set(3000, 150, 3));
  const Dataset alone = load_mat(bytes);
  for (const std::size_t threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    ReadOptions options;
    options.threads = &pool;
    EXPECT_TRUE(same_content(load_mat(bytes, options), alone)) << threads;
  }
}

// ---- version 7.3 --------------------------------------------------------------------------------

TEST(Mat73, reads_odd_shapes_and_classes_made_by_matio) {
  const TempFolder folder;
  const std::string path = folder / "odd.mat";
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT73);
  ASSERT_NE(file, nullptr);
  const auto add = [&](const char* name, matio_classes kind, matio_types type, std::size_t rows,
                       std::size_t cols, void* values, int flags) {
    std::size_t shape[2] = {rows, cols};
    matvar_t* variable = Mat_VarCreate(name, kind, type, 2, shape, values, flags);
    EXPECT_EQ(Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(variable);
  };
  std::int16_t data[] = {1, -2, 3, 4, -5, 6};
  std::uint8_t labels[] = {1, 0, 1};
  add("X", MAT_C_INT16, MAT_T_INT16, 3, 2, data, 0);
  add("target", MAT_C_UINT8, MAT_T_UINT8, 3, 1, labels, MAT_F_LOGICAL);
  add("other", MAT_C_INT16, MAT_T_INT16, 3, 2, data, 0);
  Mat_Close(file);

  const Dataset set = load_mat(read_file(path));
  EXPECT_EQ(set.features.dense()(1, 1), -5);
  EXPECT_EQ(*set.truth, labels_of({"1", "0", "1"}));
}

TEST(Mat73, lists_the_variables_where_none_fits) {
  const TempFolder folder;
  const std::string path = folder / "other.mat";
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT73);
  ASSERT_NE(file, nullptr);
  std::size_t shape[2] = {1, 1};
  double value = 1;
  matvar_t* variable = Mat_VarCreate("foo", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape, &value, 0);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  Mat_Close(file);
  EXPECT_THAT(refusal([&] { (void)load_mat(read_file(path)); }), HasSubstr("foo"));
}

TEST(Mat73, refuses_damaged_files_in_silence) {
  WriteOptions options;
  options.mat73 = true;
  const std::string good = saved_mat(odd_set(20, 3, 2), options);
  testing::internal::CaptureStderr();
  for (const std::size_t size : {std::size_t{128}, std::size_t{600}, good.size() / 2})
    EXPECT_THAT(refusal([&] { (void)load_mat(good.substr(0, size)); }),
                HasSubstr("the MAT 7.3 file is damaged"));
  for (std::size_t i = 512; i < good.size(); i += good.size() / 100) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ 0xff);
    (void)refusal([&] { (void)load_mat(bytes); });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// ---- scipy --------------------------------------------------------------------------------------

// Runs a script with "folder" as its argument; false if there is no Python with scipy.
bool run_python(const TempFolder& folder, const std::string& script) {
  if (std::system("/usr/bin/python3 -c 'import scipy.io' 2>/dev/null") != 0) return false;
  write_file(folder / "script.py", script);
  const std::string command = "/usr/bin/python3 " + (folder / "script.py") + " " + folder.path();
  EXPECT_EQ(std::system(command.c_str()), 0);
  return true;
}

TEST(Mat, scipy_reads_what_is_written_here) {
  const TempFolder folder;
  write_file(folder / "dense.mat", saved_mat(odd_set(37, 83, 5)));
  write_file(folder / "sparse.mat", saved_mat(sparse_set()));
  const bool ran = run_python(folder, R"(
import sys, scipy.io, scipy.sparse
dense = scipy.io.loadmat(sys.argv[1] + '/dense.mat')
assert dense['data'].shape == (37, 83) and dense['data'].dtype == 'float32'
assert dense['partial_labels'].shape == (5, 37) and dense['target'].dtype == 'uint8'
assert dense['label_names'][1, 0][0] == 'Gerät № 2'
sparse = scipy.io.loadmat(sys.argv[1] + '/sparse.mat')
assert scipy.sparse.issparse(sparse['data']) and sparse['data'].shape == (41, 9)
for name, m in ('a', dense), ('b', sparse):
    scipy.io.savemat(sys.argv[1] + '/' + name + '.mat', {k: v for k, v in m.items() if k[0] != '_'})
)");
  if (!ran) GTEST_SKIP() << "needs /usr/bin/python3 with scipy";
  EXPECT_TRUE(same_content(load_mat(read_file(folder / "a.mat")), odd_set(37, 83, 5)));
  EXPECT_TRUE(same_content(load_mat(read_file(folder / "b.mat")), sparse_set()));
}

TEST(Mat, reads_what_scipy_writes) {
  const TempFolder folder;
  const bool ran = run_python(folder, R"(
import sys, numpy as np, scipy.io, scipy.sparse
x = np.arange(12.).reshape(4, 3) - 5
y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
names = np.array(['é', 'b'], dtype=object)
kinds = {'classical': (x, y.T), 'down': (x, y), 'across': (x.T, y.T), 'logical': (x, y == 1),
         'int8': (x.astype('int8'), y.astype('int8')), 'signs': (x, 2 * y - 1),
         'sparse': (scipy.sparse.csr_matrix(x), scipy.sparse.csr_matrix(y.T)),
         'sparse_logical': (x, scipy.sparse.csc_matrix(y == 1)),
         'big_endian': (x.astype('>f8'), y.astype('>i2'))}
for kind, (data, labels) in kinds.items():
    for packed in False, True:
        scipy.io.savemat(f'{sys.argv[1]}/{kind}{int(packed)}.mat',
                         {'data': data, 'target': labels, 'label_names': names},
                         do_compression=packed)
)");
  if (!ran) GTEST_SKIP() << "needs /usr/bin/python3 with scipy";
  Matrix x(4, 3);
  for (std::size_t i = 0; i < 12; ++i) x(i / 3, i % 3) = static_cast<float>(i) - 5;
  const Features features(std::move(x));
  for (const char* kind : {"classical", "down", "across", "logical", "int8", "signs", "sparse",
                           "sparse_logical", "big_endian"})
    for (const char* packed : {"0", "1"}) {
      const Dataset data = load_mat(read_file(folder / (std::string(kind) + packed + ".mat")));
      EXPECT_TRUE(same_values(data.features, features)) << kind;
      EXPECT_EQ(*data.truth, labels_of({"10", "01", "11", "00"})) << kind;
      EXPECT_THAT(data.label_names, testing::ElementsAre("é", "b"));
    }
}

// ---- real data ----------------------------------------------------------------------------------

double per_row(std::size_t count, const Dataset& data) {
  return static_cast<double>(count) / static_cast<double>(data.rows());
}

TEST(Mat, reads_and_keeps_mirflickr) {
  REQUIRE_DATA_FOLDER(folder);
  const Dataset data = load_mat(read_file(*folder + "/mirflickr/mirflickr_5000.mat"));
  EXPECT_EQ(data.rows(), 5000U);
  EXPECT_EQ(data.features.cols(), 100U);
  EXPECT_EQ(data.labels(), 7U);
  EXPECT_NEAR(per_row(data.candidates.count(), data), 3.35, 0.005);
  EXPECT_NEAR(per_row(data.truth->count(), data), 1.77, 0.005);
  EXPECT_TRUE(same_content(load_mat(saved_mat(data)), data));
}

TEST(Mat, reads_and_keeps_yeast_bp) {
  REQUIRE_DATA_FOLDER(folder);
  const Dataset data = load_mat(read_file(*folder + "/YeastBP/YeastBP.mat"));
  EXPECT_EQ(data.rows(), 6139U);
  EXPECT_EQ(data.features.cols(), 6139U);
  EXPECT_EQ(data.labels(), 217U);
  EXPECT_NEAR(per_row(data.candidates.count(), data), 5.93, 0.005);
  EXPECT_NEAR(per_row(data.truth->count(), data), 5.54, 0.005);
  std::size_t unlabelled = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) unlabelled += data.truth->count(i) == 0;
  EXPECT_EQ(unlabelled, 1882U);
  EXPECT_TRUE(same_content(load_mat(saved_mat(data)), data));
}

}  // namespace
}  // namespace sieve::test
