#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "linalg/design.h"
#include "methods/linear/linear_model.h"
#include "methods/shared/fit_support.h"

namespace sieve {

// What linear methods have in common among their options.
struct LinearSettings {
  LinearSettings(std::string method, const Options& options);

  std::string method;
  std::map<std::string, std::string> options;  // as given, for the record
  Scaling scaling;
  bool bias;
  std::size_t largest;     // rows of a square matrix that may be formed
  std::size_t iterations;  // at most
};
// Options scaling, bias, largest-matrix and iterations.
std::vector<OptionSpec> linear_options(bool bias, std::size_t iterations);

// A fit of a linear method: checks and scales the data, and makes the model in the end.
class LinearFit {
 public:
  LinearFit(const LinearSettings& settings, const TrainingData& data, const FitOptions& fit);
  LinearFit(const LinearFit&) = delete;
  LinearFit& operator=(const LinearFit&) = delete;

  FitRun& run() { return run_; }
  ThreadPool& pool() { return run_.pool(); }
  const Design& phi() const { return phi_; }
  void note(const std::string& name, std::string text) { state_.notes[name] = std::move(text); }
  std::unique_ptr<Model> finish(const LinearParts& parts);

 private:
  LinearFit(const LinearSettings& settings, const FitOptions& fit, TrainingData data);

  FitRun run_;
  ModelState state_;
  Features x_;
  Design phi_;
};

}  // namespace sieve
