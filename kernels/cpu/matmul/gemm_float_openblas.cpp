// SPDX-License-Identifier: Apache-2.0
// Products of float matrices from OpenBLAS.
#include <cblas.h>

#include "kernels/cpu/lazy_library.h"
#include "kernels/cpu/matmul/blas.h"
#include "kernels/cpu/matmul/gemm_plain.h"

namespace tenon::kernels::cpu {

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result) {
  static constinit const LazyFunction<decltype(cblas_sgemm)> sgemm(TENON_OPENBLAS, "cblas_sgemm");
  sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
        transpose_b ? CblasTrans : CblasNoTrans, m, n, k, 1.0F, a, lda, b, ldb, 0.0F, result,
        ld_result);
}

bool has_bfloat16_gemm() { return false; }

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const BFloat16* a, int lda,
               const BFloat16* b, int ldb, float* result, int ld_result) {
  plain_product<float>(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, result, ld_result);
}

}  // namespace tenon::kernels::cpu
