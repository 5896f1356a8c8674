#pragma once

namespace sieve {

// What we use of OpenBLAS: its LAPACK, whose matrices are column-major. Products are our own, see
// gemm.h.
struct OpenBlas {
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

// Loads OpenBLAS if it is not there yet: a fit that will need it finds out before its work whether
// it can.
void load_blas();

}  // namespace sieve
