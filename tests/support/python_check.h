#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve::test {

// Whether Python can import these, e.g. "numpy, torch".
bool python_imports(const std::string& modules);

// Why Python's scientific packages cannot be used here; "" if they can.
std::string python_problem();

// Runs tests/<script> on a folder and returns what it printed, lines of "name value".
// Throws if the script fails.
std::map<std::string, double> run_python(const std::string& script, const std::string& folder);

// Matrices as text that numpy.loadtxt reads back exactly.
void write_matrix(const std::string& path, const MatrixD& values);
void write_matrix(const std::string& path, const LabelMatrix& values);

}  // namespace sieve::test

// Skips the test where scikit-learn and scipy are missing, except in CI, where that is a failure.
#define REQUIRE_PYTHON()                                                           \
  if (const std::string problem = sieve::test::python_problem(); !problem.empty()) \
  GTEST_SKIP() << problem

// Skips the test where PyTorch is missing: `make test` does not install it.
#define REQUIRE_TORCH()                             \
  if (!sieve::test::python_imports("numpy, torch")) \
  GTEST_SKIP() << "install python3-torch to compare gradients with its autograd"
