#include "data/fingerprint.h"

#include <gtest/gtest.h>

#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

Dataset crowd() {
  SynthOptions options;
  options.rows = 40;
  options.features = 5;
  options.labels = 6;
  ThreadPool pool(1);
  return make_synthetic(options, pool);
}

TEST(Fingerprint, is_the_same_for_a_copy) {
  const Dataset data = crowd();
  EXPECT_EQ(fingerprint(data), fingerprint(data.clone()));
}

TEST(Fingerprint, tells_every_part_of_a_set_apart) {
  const std::string before = fingerprint(crowd());
  Dataset data = crowd();
  data.features.dense()(39, 4) = -data.features.dense()(39, 4);
  EXPECT_NE(fingerprint(data), before);
  data = crowd();
  data.candidates.set(7, 2, !data.candidates.get(7, 2));
  EXPECT_NE(fingerprint(data), before);
  data = crowd();
  data.truth->set(7, 2, !data.truth->get(7, 2));
  EXPECT_NE(fingerprint(data), before);
  data = crowd();
  data.truth.reset();
  EXPECT_NE(fingerprint(data), before);
  data = crowd();
  std::swap(data.label_names[0], data.label_names[1]);
  EXPECT_NE(fingerprint(data), before);
}

TEST(Fingerprint, sees_a_value_of_a_sparse_set_in_another_column) {
  Dataset data = thinned(crowd());
  const std::string before = fingerprint(data);
  CsrMatrix& x = data.features.sparse();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (x.row(i).columns.size() != 1 || x.row(i).columns[0] == 4) continue;
    ++x.columns[x.starts[i]];
    EXPECT_NE(fingerprint(data), before);
    return;
  }
  FAIL() << "no row with one value";
}

}  // namespace
}  // namespace sieve::test
