// SPDX-License-Identifier: Apache-2.0
// Products of double and complex matrices from OpenBLAS.
#include <cblas.h>

#include "kernels/cpu/lazy_library.h"
#include "kernels/cpu/matmul/blas.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {
namespace {

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

void adopt_thread_count() { set_openblas_threads(num_threads()); }

}  // namespace

void set_openblas_threads(int count) {
  static constinit const LazyFunction<int()> threads(TENON_OPENBLAS, "openblas_get_num_threads");
  static constinit const LazyFunction<void(int)> set_threads(TENON_OPENBLAS,
                                                             "openblas_set_num_threads");
  if (threads() != count) set_threads(count);
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
               const double* b, int ldb, double* result) {
  adopt_thread_count();
  static constinit const LazyFunction<decltype(cblas_dgemm)> dgemm(TENON_OPENBLAS, "cblas_dgemm");
  dgemm(CblasRowMajor, order(transpose_a), order(transpose_b), m, n, k, 1.0, a, lda, b, ldb, 0.0,
        result, n);
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex64* a, int lda,
               const Complex64* b, int ldb, Complex64* result) {
  const Complex64 one(1), zero(0);
  adopt_thread_count();
  static constinit const LazyFunction<decltype(cblas_cgemm)> cgemm(TENON_OPENBLAS, "cblas_cgemm");
  cgemm(CblasRowMajor, order(transpose_a), order(transpose_b), m, n, k, &one, a, lda, b, ldb, &zero,
        result, n);
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex128* a,
               int lda, const Complex128* b, int ldb, Complex128* result) {
  const Complex128 one(1), zero(0);
  adopt_thread_count();
  static constinit const LazyFunction<decltype(cblas_zgemm)> zgemm(TENON_OPENBLAS, "cblas_zgemm");
  zgemm(CblasRowMajor, order(transpose_a), order(transpose_b), m, n, k, &one, a, lda, b, ldb, &zero,
        result, n);
}

}  // namespace tenon::kernels::cpu
