// CAPML: candidates corrected by how well clusters of rows agree with them, and a kernel
// regression on what is left.
#include <algorithm>
#include <map>

#include "base/option_specs.h"
#include "data/prepare/scaling.h"
#include "linalg/blas.h"
#include "linalg/design.h"
#include "methods/capml/kernel_model.h"
#include "methods/capml/regression.h"
#include "methods/capml/reliability.h"
#include "methods/methods.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr std::size_t kMostAnchors = 1000;
constexpr std::size_t kMostNumbers = std::size_t{1} << 25;  // that anchors may take in the model

class Capml final : public Learner {
 public:
  explicit Capml(const Options& options)
      : options_(options.values()),
        clusters_{options.real("fuzziness"), options.count("rounds")},
        a_(options.real("a")),
        b_(options.real("b")),
        iterations_(options.count("iterations")),
        anchors_(options.is_auto("anchors") ? 0 : options.count("anchors")) {
    decision_.threshold = options.real("threshold");
  }

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& options) const override {
    const TrainingData data = learnable(given);
    FitRun run(options);
    load_blas();
    ModelState state = described_state("capml", options_, data, options);
    state.scaler = fit_input_scaling(data.features, Centring::None).scaler;
    std::ranges::fill(state.scaler.offset, 0.0F);  // distances know no offset
    const Features x = scaled_rows(data.features, state.scaler).x;
    const Design rows{x, false};
    const MatrixD membership = fuzzy_clusters(rows, data.candidates, clusters_, run);
    const MatrixD believed =
        reliability(data.candidates, membership,
                    clusters_of_labels(rows, data.candidates, membership, clusters_, run));
    MatrixD inputs;
    const KernelMap map = fit_kernel_map(x, anchors_for(x), options.seed, run.pool(), inputs);
    const MatrixD candidates = numbers_of(data.candidates);
    const CorrectedLabels found =
        correct_labels({inputs, candidates, believed, a_, b_}, iterations_, run);
    state.notes["anchors"] = std::to_string(map.anchors.cols());
    state.notes["iterations"] = std::to_string(found.objective.size());
    return std::make_unique<KernelModel>(
        kernel_state(std::move(state), map, found.weights, decision_));
  }

 private:
  std::size_t anchors_for(const Features& x) const {
    if (anchors_ != 0) return std::min(anchors_, x.rows());
    const std::size_t most = std::min({x.rows(), 5 * x.cols(), kMostAnchors});
    return std::min(most, std::max<std::size_t>(kMostNumbers / x.cols(), 1));
  }

  std::map<std::string, std::string> options_;
  ClusterSettings clusters_;
  double a_, b_;
  std::size_t iterations_, anchors_;
  Decision decision_;
};

}  // namespace

MethodInfo capml_method() {
  std::vector<OptionSpec> options = {
      real_option("fuzziness", "0.5", "squared distance at which membership in a cluster fades",
                  1e-6, 1e6),
      integer_option("rounds", "20", "maximum rounds of clustering and of matching", 1, 1e6),
      real_option("a", "0.1", "weight of the number of labels changed; from 2 on none is", 0, 1e6),
      real_option("b", "1", "weight of the rows of W", 1e-9, 1e9),
      integer_option("iterations", "50", "maximum rounds of label correction", 1, 1e6),
      real_option("threshold", "0.5", "score from which a label is on", -1e6, 1e6),
      integer_option("anchors", "auto",
                     "rows used as kernel centres; auto: 5 per feature, at most 1000", 1, 5000),
  };
  return {"capml",
          "CAPML",
          "clusters of rows say which candidates to believe, a kernel regression learns the rest",
          false,
          std::move(options),
          [](const Options& chosen) -> std::unique_ptr<Learner> {
            return std::make_unique<Capml>(chosen);
          },
          [](ModelState state) -> std::unique_ptr<Model> {
            return std::make_unique<KernelModel>(std::move(state));
          }};
}

}  // namespace sieve
