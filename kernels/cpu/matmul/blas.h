// SPDX-License-Identifier: Apache-2.0
// Row-major matrix products of float, double and their complex types.
#pragma once

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// result[m, n] = op(a)[m, k] * op(b)[k, n], with op the transpose where asked. Leading dimensions
// count elements; the result has no gaps. From the maths libraries that the build found
// (CMakeLists.txt), else from plain loops. The one of floats runs on the calling thread alone, and
// may be called by several at once; OpenBLAS has threads of its own, as many as ours.
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result);
// The same of bfloat16, added up as float, and whether the library and the processor have loops for
// it that are faster than those of float.
bool has_bfloat16_gemm();
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const BFloat16* a, int lda,
               const BFloat16* b, int ldb, float* result, int ld_result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
               const double* b, int ldb, double* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex64* a, int lda,
               const Complex64* b, int ldb, Complex64* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex128* a,
               int lda, const Complex128* b, int ldb, Complex128* result);

// OpenBLAS has one number of threads for the whole process; only where the build found it.
void set_openblas_threads(int count);

}  // namespace tenon::kernels::cpu
