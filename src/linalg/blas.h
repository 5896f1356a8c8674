#pragma once

#include <cstddef>

namespace sieve {

// What we use of OpenBLAS, which holds LAPACK too. Matrices of LAPACK are column-major.
struct OpenBlas {
  void (*dgemm)(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double* a,
                int lda, const double* b, int ldb, double beta, double* c, int ldc);
  void (*dposv)(const char* uplo, const int* n, const int* rhs, double* a, const int* lda,
                double* b, const int* ldb, int* info);
  void (*dsyevd)(const char* jobz, const char* uplo, const int* n, double* a, const int* lda,
                 double* w, double* work, const int* lwork, int* iwork, const int* liwork,
                 int* info);
  void (*dgelsd)(const int* m, const int* n, const int* rhs, double* a, const int* lda, double* b,
                 const int* ldb, double* s, const double* rcond, int* rank, double* work,
                 const int* lwork, int* iwork, int* info);
  void (*dgesvd)(const char* jobu, const char* jobvt, const int* m, const int* n, double* a,
                 const int* lda, double* s, double* u, const int* ldu, double* vt, const int* ldvt,
                 double* work, const int* lwork, int* info);
  // The QR of a triangle with a block below it.
  void (*dtpqrt)(const int* m, const int* n, const int* l, const int* nb, double* a, const int* lda,
                 double* b, const int* ldb, double* t, const int* ldt, double* work, int* info);
};

// The way to OpenBLAS, which is loaded here and nowhere else, when it is first needed: starting it
// takes longer than all the rest of a small run. While a scope lives, OpenBLAS stays on the thread
// that made it. A scope may wait until another one has ended. Error(Io) if the library is not there
// or the system has no room for it.
class BlasScope {
 public:
  BlasScope();
  ~BlasScope();
  BlasScope(const BlasScope&) = delete;
  BlasScope& operator=(const BlasScope&) = delete;

  const OpenBlas* operator->() const;

 private:
  int threads_before_ = 1;
};

// A block of a row-major matrix for gemm: op(X) with rows `stride` apart.
struct BlasOperand {
  const double* data;
  std::size_t stride;
  bool transposed = false;
};

// C = op(A) op(B), or C += it, where C is m x n and the shared side is k long. On the calling
// thread.
void gemm(std::size_t m, std::size_t n, std::size_t k, BlasOperand a, BlasOperand b, bool add,
          double* c, std::size_t c_stride);

}  // namespace sieve
