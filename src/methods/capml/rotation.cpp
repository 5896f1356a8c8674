#include "methods/capml/rotation.h"

#include <vector>

#include "labelsieve/error.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

namespace sieve {

MatrixD best_rotation(const MatrixD& a, const MatrixD& b, ThreadPool& pool) {
  MatrixD product = transposed_times(a, b, pool);
  const int n = static_cast<int>(product.rows()), stride = static_cast<int>(product.stride());
  // LAPACK reads by columns and so sees B'A = V S U'. What it writes as V and U' by columns is V'
  // and U by rows.
  MatrixD v_transposed(product.rows(), product.rows()), u(product.rows(), product.rows());
  std::vector<double> singular(product.rows());
  int info = 0;
  const auto call = [&](double* work, int size) {
    const BlasScope blas;
    blas->dgesvd("A", "A", &n, &n, product.data(), &stride, singular.data(), v_transposed.data(),
                 &stride, u.data(), &stride, work, &size, &info);
  };
  double size = 0;
  call(&size, -1);
  std::vector<double> work(static_cast<std::size_t>(size));
  call(work.data(), static_cast<int>(work.size()));
  if (info != 0)
    throw Error(Failure::Training, "the singular values of a matrix could not be found", {},
                "check the features for very large values, or scale them");
  return times(u, v_transposed, pool);
}

}  // namespace sieve
