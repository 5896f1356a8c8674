#include "methods/capml/assignment.h"

#include <limits>

namespace sieve {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kFar = std::numeric_limits<double>::infinity();

// Rows are added one at a time. Potentials keep every reduced cost cost - row - column >= 0, and 0
// on assigned cells, so the assignment so far is always the cheapest for its rows.
class Assignment {
 public:
  explicit Assignment(const MatrixD& costs)
      : costs_(costs), row_(costs.rows()), column_(costs.cols()), owner_(costs.cols(), kNone) {}

  // Dijkstra over columns from the new row to the nearest free column, along assigned cells; then
  // the assignments along that path change hands.
  void add(std::size_t row) {
    const std::size_t n = costs_.cols();
    std::vector<double> distance(n, kFar);
    std::vector<std::size_t> before(n, kNone);
    std::vector<bool> done(n, false);
    std::size_t last = kNone;
    double travelled = 0;
    for (std::size_t from = row;; from = owner_[last]) {
      std::size_t nearest = kNone;
      for (std::size_t j = 0; j < n; ++j) {
        if (done[j]) continue;
        const double there = travelled + costs_(from, j) - row_[from] - column_[j];
        if (there < distance[j]) distance[j] = there, before[j] = last;
        if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
      }
      travelled = distance[nearest];
      last = nearest;
      if (owner_[last] == kNone) break;
      done[last] = true;
    }
    row_[row] += travelled;
    for (std::size_t j = 0; j < n; ++j)
      if (done[j]) {
        row_[owner_[j]] += travelled - distance[j];
        column_[j] -= travelled - distance[j];
      }
    for (; before[last] != kNone; last = before[last]) owner_[last] = owner_[before[last]];
    owner_[last] = row;
  }

  std::vector<std::size_t> columns_of_rows() const {
    std::vector<std::size_t> columns(owner_.size());
    for (std::size_t j = 0; j < owner_.size(); ++j) columns[owner_[j]] = j;
    return columns;
  }

 private:
  const MatrixD& costs_;
  std::vector<double> row_, column_;  // potentials
  std::vector<std::size_t> owner_;    // the row of a column
};

}  // namespace

std::vector<std::size_t> cheapest_assignment(const MatrixD& costs) {
  Assignment assignment(costs);
  for (std::size_t i = 0; i < costs.rows(); ++i) assignment.add(i);
  return assignment.columns_of_rows();
}

}  // namespace sieve
