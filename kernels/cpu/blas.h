// SPDX-License-Identifier: Apache-2.0
// Row-major matrix products of float, double and their complex types.
#pragma once

#include "kernels/common/element.h"

namespace tenon::kernels::cpu {

// result[m, n] = op(a)[m, k] * op(b)[k, n], with op the transpose where asked. Leading dimensions
// count elements; the result has no gaps. From the maths libraries that the build found
// (CMakeLists.txt), else from plain loops. The one of floats runs on the calling thread alone, and
// may be called by several at once; OpenBLAS has threads of its own, as many as ours.
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
               const double* b, int ldb, double* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex64* a, int lda,
               const Complex64* b, int ldb, Complex64* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex128* a,
               int lda, const Complex128* b, int ldb, Complex128* result);

}  // namespace tenon::kernels::cpu
