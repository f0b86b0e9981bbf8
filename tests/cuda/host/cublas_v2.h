// SPDX-License-Identifier: Apache-2.0
// The part of cuBLAS that kernels/cuda uses, as plain loops on the host; alpha is 1 and beta 0.
#pragma once

#include "kernels/common/maths/element_types.h"

// The names are CUDA's.
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
enum cudaDataType_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14,
};
struct cublasContext {};
using cublasHandle_t = cublasContext*;

inline const char* cublasGetStatusString(cublasStatus_t) { return "an error"; }
inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  return *handle = new cublasContext(), CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return delete handle, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t, char*) { return CUBLAS_STATUS_SUCCESS; }

template <class T>
inline cublasStatus_t gemm_on_host(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                                   int k, const void* a, int lda, const void* b, int ldb, void* c,
                                   int ldc) {
  using Wide = tenon::kernels::Compute<T>;
  const auto at = [](const void* matrix, cublasOperation_t op, int leading, int row, int column) {
    const int64_t index =
        op == CUBLAS_OP_N ? int64_t{column} * leading + row : int64_t{row} * leading + column;
    return static_cast<Wide>(static_cast<const T*>(matrix)[index]);
  };
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      Wide sum(0);
      for (int i = 0; i < k; ++i) sum += at(a, op_a, lda, row, i) * at(b, op_b, ldb, i, column);
      static_cast<T*>(c)[int64_t{column} * ldc + row] = static_cast<T>(sum);
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b,
                                   int m, int n, int k, const void*, const void* a,
                                   cudaDataType_t type, int lda, const void* b, cudaDataType_t,
                                   int ldb, const void*, void* c, cudaDataType_t, int ldc,
                                   cublasComputeType_t, cublasGemmAlgo_t) {
  using namespace tenon::kernels;
  switch (type) {
    case CUDA_R_16F:
      return gemm_on_host<Half>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
    case CUDA_R_16BF:
      return gemm_on_host<BFloat16>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
    case CUDA_R_32F:
      return gemm_on_host<float>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
    case CUDA_R_64F:
      return gemm_on_host<double>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
    case CUDA_C_32F:
      return gemm_on_host<Complex64>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
    case CUDA_C_64F:
      return gemm_on_host<Complex128>(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc);
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

inline long long size_on_host(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
  }
  return 0;
}

inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType_t type, int lda, long long step_a, const void* b,
    cudaDataType_t, int ldb, long long step_b, const void* beta, void* c, cudaDataType_t, int ldc,
    long long step_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  const long long size = size_on_host(type);
  for (long long i = 0; i < count; ++i) {
    cublasGemmEx(handle, op_a, op_b, m, n, k, alpha,
                 static_cast<const char*>(a) + i * step_a * size, type, lda,
                 static_cast<const char*>(b) + i * step_b * size, type, ldb, beta,
                 static_cast<char*>(c) + i * step_c * size, type, ldc, compute, algo);
  }
  return CUBLAS_STATUS_SUCCESS;
}
