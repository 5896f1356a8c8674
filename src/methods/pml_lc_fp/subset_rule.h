#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sieve {

// The cost of confidences P of the candidates of one row:
//   sum_k cost[k] P_k + sum_kl pair(k, l) max(0, P_k - P_l),  pair >= 0.
// It is the Lovasz extension of f(A) = sum_{k in A} cost[k] + sum_{k in A, l not in A} pair(k, l).
struct SubsetCost {
  std::size_t size = 0;
  std::vector<double> cost;   // one per candidate
  std::vector<double> pairs;  // size x size; the diagonal does not count

  void resize(std::size_t candidates);
  double pair(std::size_t k, std::size_t l) const { return pairs[k * size + l]; }
  double& pair(std::size_t k, std::size_t l) { return pairs[k * size + l]; }
  double of(std::span<const double> confidence) const;
  double scale() const;  // the sum of all magnitudes
};

// Finds confidences of least cost in {0 <= P <= 1, sum P >= 1}, exactly. With f as above they are 1
// on the set that minimises f if that minimum is negative, else 1 / |A| on the set A, not empty,
// that minimises f(A) / |A|. Of several such sets the largest is taken, so the order of the labels
// does not matter. Holds buffers: one per thread.
class SubsetRule {
 public:
  void solve(const SubsetCost& cost, std::span<double> confidence);
  // The two ways solve() chooses from by size: all subsets, O(2^size); or minimum cuts.
  void solve_by_enumeration(const SubsetCost& cost, std::span<double> confidence);
  void solve_by_cuts(const SubsetCost& cost, std::span<double> confidence);

 private:
  std::vector<double> values_, sums_;
};

}  // namespace sieve
