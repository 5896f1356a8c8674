#include <gtest/gtest.h>

#include <algorithm>

#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "support/memory_streams.h"
#include "support/support.h"
#include "support/whole_sets.h"

namespace sieve {
namespace {

struct RealSet {
  const char* name;
  std::vector<std::string> files;
  std::size_t rows, features, labels;
  double labels_a_row;
};

void PrintTo(const RealSet& set, std::ostream* out) {
  *out << set.name;
}

class RealTextSet : public testing::TestWithParam<RealSet> {
 protected:
  static Dataset read(const std::string& folder) {
    ThreadPool pool(2);
    ReadOptions options;
    options.threads = &pool;
    Dataset all;
    for (const std::string& name : GetParam().files) {
      const std::string path = folder + "/" + GetParam().name + "/" + name;
      Dataset one = with_features(
          read_arff_raw(*open_unpacked(FileSystem::real(), path), path, options), options);
      all = all.rows() == 0 ? std::move(one) : stack_rows(std::move(all), one);
    }
    return all;
  }
};

using Reader = Dataset (*)(InputStream&, const std::string&, const ReadOptions&);
using Writer = void (*)(const Dataset&, OutputStream&, const WriteOptions&);

Dataset round_trip(const Dataset& data, Writer write, Reader read,
                   const WriteOptions& options = {}) {
  test::MemoryOutput out;
  write(data, out, options);
  test::MemoryInput in(std::move(out.text));
  return read(in, "again", {});
}

TEST_P(RealTextSet, has_its_shape_and_round_trips) {
  REQUIRE_DATA_FOLDER(folder);
  Dataset data = read(*folder);
  EXPECT_EQ(data.rows(), GetParam().rows);
  EXPECT_EQ(data.features.cols(), GetParam().features);
  EXPECT_EQ(data.labels(), GetParam().labels);
  EXPECT_NEAR(static_cast<double>(data.candidates.count()) / static_cast<double>(data.rows()),
              GetParam().labels_a_row, 0.005);

  WriteOptions sparse;
  sparse.sparse = true;
  EXPECT_TRUE(same_content(data, round_trip(data, write_arff, test::whole<read_arff_raw>, sparse)));
  const Dataset libsvm = round_trip(data, write_libsvm, read_libsvm);
  EXPECT_TRUE(same_values(data.features, libsvm.features));
  EXPECT_EQ(data.candidates, libsvm.candidates);
  data.features = data.features.to_dense(std::size_t{1} << 30);
  EXPECT_TRUE(same_content(data, round_trip(data, write_arff, test::whole<read_arff_raw>)));
}

INSTANTIATE_TEST_SUITE_P(
    Sets, RealTextSet,
    testing::Values(
        RealSet{"yeast", {"yeast.arff.gz"}, 2417, 103, 14, 4.24},
        RealSet{"scene", {"scene-train.arff.gz", "scene-test.arff.gz"}, 2407, 294, 6, 1.07},
        RealSet{"image", {"image-train.arff.gz", "image-test.arff.gz"}, 2000, 294, 5, 1.24},
        RealSet{"enron", {"enron.arff.gz"}, 1702, 1001, 53, 3.38},
        RealSet{"corel5k", {"Corel5k-sparse.arff.gz"}, 5000, 499, 374, 3.52},
        RealSet{"delicious", {"delicious.arff.gz"}, 16105, 500, 983, 19.02},
        RealSet{"tmc2007-500", {"tmc2007-500.arff.gz"}, 28596, 500, 22, 2.16}),
    [](const auto& one) {
      std::string name = one.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace sieve
