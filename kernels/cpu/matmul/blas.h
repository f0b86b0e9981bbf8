// SPDX-License-Identifier: Apache-2.0
// Row-major matrix products of float, double and their complex types.
#pragma once

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// Computes result[m, n] = op(a)[m, k] * op(b)[k, n], where op is the transpose if requested.
// Leading dimensions count elements. The product is from the maths libraries that the build found
// (CMakeLists.txt), or from plain loops. The float version runs on the calling thread only and may
// be called concurrently; the versions of OpenBLAS use its own threads, whose number is that of our
// pool.
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result);
// The product of bfloat16 matrices, accumulated in float; and whether library and processor have
// loops for it that are faster than those of float.
bool has_bfloat16_gemm();
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const BFloat16* a, int lda,
               const BFloat16* b, int ldb, float* result, int ld_result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
               const double* b, int ldb, double* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex64* a, int lda,
               const Complex64* b, int ldb, Complex64* result);
void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const Complex128* a,
               int lda, const Complex128* b, int ldb, Complex128* result);

// Sets OpenBLAS's number of threads, which is global to the process. Exists only in builds with
// OpenBLAS.
void set_openblas_threads(int count);

}  // namespace tenon::kernels::cpu
