// SPDX-License-Identifier: Apache-2.0
// Products of double and complex matrices from plain loops.
#include "kernels/cpu/matmul/blas.h"
#include "kernels/cpu/matmul/gemm_plain.h"

namespace tenon::kernels::cpu {

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
               const double* b, int ldb, double* result) {
  plain_product<double>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, result, n);
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex64* a, int lda,
               const Complex64* b, int ldb, Complex64* result) {
  plain_product<Complex128>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, result, n);
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex128* a,
               int lda, const Complex128* b, int ldb, Complex128* result) {
  plain_product<Complex128>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, result, n);
}

}  // namespace tenon::kernels::cpu
