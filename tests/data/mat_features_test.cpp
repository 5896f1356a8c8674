#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "mat_builder.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::MatBuilder;

constexpr std::uint32_t kRows = 1500, kCols = 21;

MatBuilder::Full numbers(std::uint32_t rows, std::uint32_t cols, MatClass kind, MatType type) {
  MatBuilder::Full matrix{{rows, cols}, {}, kind, type};
  for (std::size_t k = 0; k < std::size_t{rows} * cols; ++k)
    matrix.values.push_back(static_cast<double>(k * 7 % 113) + 1);
  return matrix;
}

std::string saved(const test::TempFolder& folder, const MatBuilder& file) {
  std::ofstream(folder / "set.mat", std::ios::binary) << file.bytes();
  return folder / "set.mat";
}

ReadOptions on(ThreadPool& pool) {
  ReadOptions options;
  options.threads = &pool;
  options.labels.optional = true;
  return options;
}

// All blocks put together, in the order in which they are finished.
Features streamed(const std::string& path, std::size_t threads) {
  ThreadPool pool(threads);
  std::optional<Features> all;
  read_features({path}, on(pool), [&](FeatureBlock& block) {
    EXPECT_LE(block.features.rows(), 512U);
    auto part = std::make_shared<Features>(block.features);
    return [&all, part] {
      if (all)
        all = stack_rows(std::move(*all), *part);
      else
        all = std::move(*part);
    };
  });
  return std::move(*all);
}

void expect_same_as_whole(const std::string& path) {
  ThreadPool pool(2);
  const Dataset whole = read_dataset({path}, on(pool));
  for (const std::size_t threads : {1U, 2U})
    EXPECT_TRUE(same_values(streamed(path, threads), whole.features));
}

TEST(MatFeatures, rows_of_any_number_type_are_those_of_the_whole_matrix) {
  const test::TempFolder folder;
  for (const auto& [kind, type] : {std::pair(MatClass::Double, MatType::Double),
                                   {MatClass::Single, MatType::Single},
                                   {MatClass::Double, MatType::Uint8},
                                   {MatClass::Int16, MatType::Int16}})
    for (const bool big_endian : {false, true})
      for (const bool packed : {false, true}) {
        MatBuilder file(big_endian, packed);
        file.full("data", numbers(kRows, kCols, kind, type));
        expect_same_as_whole(saved(folder, file));
      }
}

TEST(MatFeatures, samples_may_be_columns_of_the_matrix) {
  const test::TempFolder folder;
  MatBuilder file(false, true);
  file.full("data", numbers(kCols, kRows, MatClass::Double, MatType::Double));
  file.full("target", {{2, kRows}, std::vector<double>(2 * kRows, 1)});
  expect_same_as_whole(saved(folder, file));
}

TEST(MatFeatures, long_columns_come_in_pieces) {
  const test::TempFolder folder;
  MatBuilder file(false, true);
  file.full("data", numbers(200'000, 2, MatClass::Double, MatType::Double));
  expect_same_as_whole(saved(folder, file));
}

TEST(MatFeatures, what_came_out_of_gzip_is_read_alike) {
  const test::TempFolder folder;
  MatBuilder file;
  file.full("data", numbers(kRows, kCols, MatClass::Double, MatType::Double));
  const std::string plain = saved(folder, file);
  AtomicFile out(FileSystem::real(), folder / "packed.mat.gz", IfExists::Refuse);
  const std::unique_ptr<OutputStream> packed = gzip_into(out);
  packed->write(file.bytes());
  packed->close();
  out.commit();
  EXPECT_TRUE(same_values(streamed(folder / "packed.mat.gz", 2), streamed(plain, 2)));
}

TEST(MatFeatures, a_number_that_is_not_finite_is_refused_before_any_row_is_taken) {
  const test::TempFolder folder;
  MatBuilder::Full matrix = numbers(kRows, kCols, MatClass::Double, MatType::Double);
  matrix.values.back() = 1e300;
  ThreadPool pool(2);
  const std::string path = saved(folder, MatBuilder(false, true).full("data", matrix));
  const auto take = [](FeatureBlock&) -> std::function<void()> {
    ADD_FAILURE() << "a block was taken";
    return [] {};
  };
  try {
    read_features({path}, on(pool), take);
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("data(1500, 21) is 1e+300"), std::string::npos)
        << error.what();
  }
}

TEST(MatFeatures, too_little_room_for_the_rows_is_said) {
  const test::TempFolder folder;
  ThreadPool pool(2);
  const std::string path = saved(
      folder, MatBuilder().full("data", numbers(kRows, kCols, MatClass::Double, MatType::Double)));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    read_features({path}, on(pool), [](FeatureBlock&) { return [] {}; });
  } catch (const Error& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("writing a temporary file failed"), std::string::npos) << message;
  EXPECT_NE(message.find("room in /tmp"), std::string::npos) << message;
}

}  // namespace
}  // namespace sieve
