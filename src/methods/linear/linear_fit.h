#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
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

// A binary noise matrix N <= Y, as methods that take candidates out keep it.
class NoiseLabels {
 public:
  explicit NoiseLabels(const LabelMatrix& candidates)
      : candidates_(candidates), noise_(candidates.rows(), candidates.labels()) {}

  // Candidates whose evidence is below the threshold are noise, and no others.
  void mark_below(const MatrixD& evidence, double threshold) {
    for (std::size_t i = 0; i < noise_.rows(); ++i)
      candidates_.for_each(i, [&](std::size_t k) { noise_.set(i, k, evidence(i, k) < threshold); });
  }
  std::size_t removed() const { return noise_.count(); }
  const LabelMatrix& noise() const { return noise_; }
  // Y - N
  MatrixD kept() const {
    MatrixD out = numbers_of(candidates_);
    for (std::size_t i = 0; i < out.rows(); ++i)
      noise_.for_each(i, [&](std::size_t k) { out(i, k) = 0; });
    return out;
  }

 private:
  const LabelMatrix& candidates_;
  LabelMatrix noise_;
};

}  // namespace sieve
