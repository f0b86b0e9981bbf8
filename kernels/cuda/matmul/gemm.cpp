// SPDX-License-Identifier: Apache-2.0
// Matrix products on CUDA, by cuBLAS.
#include "kernels/cuda/matmul/gemm.h"

#include <cublas_v2.h>

#include <array>
#include <memory>

#include "kernels/common/maths/element.h"
#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/matmul/mm.h"

namespace tenon::kernels::cuda {
namespace {

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(TENON_ERROR_SYSTEM,
                std::string("cuda: ") + what + ": " + cublasGetStatusString(status));
  }
}

// Returns the calling thread's cuBLAS handle for a device. Handles must not be shared by threads.
cublasHandle_t handle_of(int32_t index) {
  struct Destroy {
    void operator()(cublasContext* handle) const { cublasDestroy(handle); }
  };
  thread_local std::array<std::unique_ptr<cublasContext, Destroy>, 64> handles;
  auto& slot = handles.at(static_cast<size_t>(index));
  if (slot == nullptr) {
    cublasHandle_t handle = nullptr;
    check_cublas(cublasCreate(&handle), "cublasCreate");
    slot.reset(handle);
  }
  return slot.get();
}

struct GemmTypes {
  cudaDataType_t data;
  cublasComputeType_t compute;
};

GemmTypes types_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case Dtype::BF16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case Dtype::F32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case Dtype::F64:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case Dtype::C64:
      return {CUDA_C_32F, CUBLAS_COMPUTE_32F};
    default:
      return {CUDA_C_64F, CUBLAS_COMPUTE_64F};
  }
}

// A factor in a form that cuBLAS takes: row-major (which cuBLAS reads as the transpose) or
// column-major.
struct Factor {
  Tensor packed;  // a copy, if the tensor has neither layout
  const void* data;
  bool row_major;
  int leading;
  int64_t step;  // number of elements from one matrix of a batch to the next

  cublasOperation_t operation() const { return row_major ? CUBLAS_OP_N : CUBLAS_OP_T; }
};

Factor factor_of(const char* op, const tenon_tensor_info& matrices) {
  const int32_t batch = matrices.ndim - 2;
  const int64_t rows = matrices.sizes[batch];
  const int64_t columns = matrices.sizes[batch + 1];
  const int64_t row_stride = matrices.strides[batch];
  const int64_t column_stride = matrices.strides[batch + 1];
  const int64_t step = batch == 0 ? 0 : matrices.strides[0];
  if (column_stride == 1 && row_stride >= std::max<int64_t>(1, columns) &&
      row_stride <= INT32_MAX) {
    return {{}, matrices.data, true, static_cast<int>(row_stride), step};
  }
  if (row_stride == 1 && column_stride >= std::max<int64_t>(1, rows) &&
      column_stride <= INT32_MAX) {
    return {{}, matrices.data, false, static_cast<int>(column_stride), step};
  }
  const Tensor packed =
      Tensor::empty(sizes_of(matrices), dtype_of_info(matrices), Device(matrices.device));
  copy_on_device(op, packed.info(), matrices);
  return {packed, packed.raw_data(), true, static_cast<int>(std::max<int64_t>(1, columns)),
          rows * columns};
}

// Refuses sizes that do not fit int, which cuBLAS uses.
void check_sizes(const char* op, const tenon_tensor_info& matrices) {
  for (const int64_t size : sizes_of(matrices)) {
    if (size > INT32_MAX) fail_argument(op, "sizes", "below 2^31", size);
  }
}

// One and zero in cuBLAS's format: a real type reads only the first part.
struct Factors {
  alignas(16) char one[16];
  alignas(16) char zero[16];

  explicit Factors(cublasComputeType_t compute) : one{}, zero{} {
    if (compute == CUBLAS_COMPUTE_64F) {
      *reinterpret_cast<double*>(one) = 1;
    } else {
      *reinterpret_cast<float*>(one) = 1;
    }
  }
};

// Computes result = a * b, row-major.
void multiply(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b,
              const tenon_tensor_info& result) {
  const Dtype dtype = dtype_of_info(a);
  check_dtype(op, "self", dtype, FloatAndComplexTypes());
  check_sizes(op, a);
  check_sizes(op, b);
  const int32_t batch = a.ndim - 2;
  const int64_t rows = a.sizes[batch], inner = a.sizes[batch + 1], columns = b.sizes[batch + 1];
  if (result.numel == 0) return;
  if (inner == 0) return fill_on_device(op, result, Scalar(0));
  const Stream stream = current_stream(Device(a.device));
  const Factor left = factor_of(op, a);
  const Factor right = factor_of(op, b);
  const cublasHandle_t handle = handle_of(a.device.index);
  check_cublas(cublasSetStream(handle, static_cast<cudaStream_t>(stream)), "cublasSetStream");
  const GemmTypes types = types_of(dtype);
  const Factors factors(types.compute);
  // cuBLAS is column-major: computing C^T = B^T A^T there writes C row-major here.
  const int m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(inner);
  if (batch == 0) {
    check_cublas(
        cublasGemmEx(handle, right.operation(), left.operation(), m, n, k, factors.one, right.data,
                     types.data, right.leading, left.data, types.data, left.leading, factors.zero,
                     result.data, types.data, m, types.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  } else {
    check_cublas(cublasGemmStridedBatchedEx(
                     handle, right.operation(), left.operation(), m, n, k, factors.one, right.data,
                     types.data, right.leading, right.step, left.data, types.data, left.leading,
                     left.step, factors.zero, result.data, types.data, m, rows * columns,
                     static_cast<int>(a.sizes[0]), types.compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmStridedBatchedEx");
  }
}

}  // namespace

void give_product(const Call& call, int32_t batch) {
  Product product(call, batch);
  const DeviceGuard guard(product.a.device.index);
  const tenon_tensor_info result = product.result.info();
  multiply(call.op(), product.a, product.b, result);
  if (product.copy_to) copy_on_device(call.op(), product.copy_to.info(), result);
  end_product(call, product);
}

}  // namespace tenon::kernels::cuda
