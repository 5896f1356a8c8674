// One row at a time through the library, on one thread, as a server would have it.
//
// usage: serve_bench MODEL FEATURES
// prints: microseconds per row, the median of many
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "clock.h"
#include "labelsieve/model_io.h"

int main(int, char** words) {
  using namespace sieve;
  const std::unique_ptr<Model> model = load_model(words[1]);
  const auto features = static_cast<std::size_t>(std::atol(words[2]));
  std::vector<float> row(features);
  ThreadPool pool(1);
  Random random(1, Purpose::Test);
  std::vector<double> times;
  for (int i = 0; i < 3000; ++i) {
    for (float& value : row) value = static_cast<float>(random.uniform());
    const double begin = seconds_now();
    const Matrix scores = model->scores(view_dense(row.data(), 1, features, features), pool);
    const LabelMatrix labels = model->decide(scores);
    times.push_back(seconds_now() - begin);
  }
  std::ranges::nth_element(times, times.begin() + 1500);
  fmt::print("{:.1f}\n", times[1500] * 1e6);
}
