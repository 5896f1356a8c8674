#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/forest/tree.h"

namespace sieve {

// What trees say of rows they did not learn from. The sums are whole numbers (of 2^-16), so trees
// may be added in any order, from any thread.
class OutOfBag {
 public:
  OutOfBag(std::size_t rows, std::size_t labels) : sums_(rows, labels), trees_(rows) {}

  void add(const Tree& tree, std::span<const std::uint32_t> rows,
           std::span<const std::uint32_t> leaf_of);
  // rows x labels, P(candidate). A tree that knows only how frequent each label is counts as one
  // more: no row is without.
  Matrix probabilities(std::span<const float> frequency) const;

 private:
  std::mutex mutex_;
  BasicMatrix<std::uint32_t> sums_;
  std::vector<std::uint32_t> trees_;  // one per row
};

// The mean of -log P over all cells, candidates or not.
double mean_log_loss(const Matrix& probabilities, const Targets& targets);

// How often each label is a candidate where it is not right, by rows that hardly have it: the share
// of candidates among the rows with the lowest probability, as trees that did not see them tell.
// Where features cannot single out such rows, that share is too high: it is shrunk towards what the
// labels that can tell say. Where there is `evidence`, a rate is not below it, as far as the
// label's own share allows, and not far above the other labels without it.
std::vector<float> noise_rates(const Matrix& probabilities, const Targets& targets,
                               std::span<const float> evidence = {});

// The same where one rate is common to all labels, as where rows were filled up. It is not above
// the frequency of any label.
std::vector<float> common_noise_rate(const Matrix& probabilities, const Targets& targets);

}  // namespace sieve
