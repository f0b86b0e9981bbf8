// SPDX-License-Identifier: Apache-2.0
// aten::mm on CUDA, by cuBLAS.
#include "kernels/ops/mm.h"

#include <cublas_v2.h>

#include <array>
#include <memory>

#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(TENON_ERROR_SYSTEM,
                std::string("cuda: ") + what + ": " + cublasGetStatusString(status));
  }
}

// One handle a thread and device: cuBLAS handles are not for sharing.
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

// One factor as cuBLAS takes it: row-major (seen by cuBLAS as its transpose) or column-major.
struct Factor {
  Tensor tensor;
  bool row_major;
  int leading;
};

Factor factor_of(const Tensor& matrix) {
  const int64_t rows = matrix.size(0);
  const int64_t columns = matrix.size(1);
  const Sizes strides = matrix.strides();
  if (strides[1] == 1 && strides[0] >= std::max<int64_t>(1, columns)) {
    return {matrix, true, static_cast<int>(strides[0])};
  }
  if (strides[0] == 1 && strides[1] >= std::max<int64_t>(1, rows)) {
    return {matrix, false, static_cast<int>(strides[1])};
  }
  const Tensor packed = Tensor::empty(matrix.sizes(), matrix.dtype(), matrix.device());
  copy_on_device("aten::mm", packed.info(), matrix.info());
  return {packed, true, static_cast<int>(std::max<int64_t>(1, columns))};
}

// cuBLAS takes sizes as int.
void check_sizes(const char* op, const Tensor& matrix) {
  for (const int64_t size : matrix.sizes()) {
    if (size > INT32_MAX) fail_argument(op, "sizes", "below 2^31", size);
  }
}

void multiply(const char* op, const Tensor& self, const Tensor& mat2, const Tensor& result) {
  const Device device = self.device();
  check_dtype(op, "self", self.dtype(), FloatAndComplexTypes());
  check_sizes(op, self);
  check_sizes(op, mat2);
  const int64_t rows = self.size(0);
  const int64_t inner = self.size(1);
  const int64_t columns = mat2.size(1);
  if (result.numel() == 0) return;
  if (inner == 0) return fill_on_device(op, result.info(), Scalar(0));
  const Stream stream = current_stream(device);
  const Factor a = factor_of(self);
  const Factor b = factor_of(mat2);
  const cublasHandle_t handle = handle_of(device.index);
  check_cublas(cublasSetStream(handle, static_cast<cudaStream_t>(stream)), "cublasSetStream");
  const GemmTypes types = types_of(self.dtype());
  // cuBLAS is column-major: computing C^T = B^T A^T there writes C row-major here. Both parts of
  // the complex factors are given, and real ones read the first.
  const double one64[2] = {1, 0}, zero64[2] = {0, 0};
  const float one32[2] = {1, 0}, zero32[2] = {0, 0};
  const bool wide = types.compute == CUBLAS_COMPUTE_64F;
  check_cublas(
      cublasGemmEx(handle, b.row_major ? CUBLAS_OP_N : CUBLAS_OP_T,
                   a.row_major ? CUBLAS_OP_N : CUBLAS_OP_T, static_cast<int>(columns),
                   static_cast<int>(rows), static_cast<int>(inner),
                   wide ? static_cast<const void*>(one64) : one32, b.tensor.raw_data(), types.data,
                   b.leading, a.tensor.raw_data(), types.data, a.leading,
                   wide ? static_cast<const void*>(zero64) : zero32, result.raw_data(), types.data,
                   static_cast<int>(columns), types.compute, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

void mm(const Call& call) {
  Product product(call, 0);
  const DeviceGuard guard(product.a.device.index);
  multiply(call.op(), Tensor::retain(call.tensor(0)), Tensor::retain(call.tensor(1)),
           product.result);
  if (product.copy_to) {
    copy_on_device(call.op(), product.copy_to.info(), product.result.info());
  }
  end_product(call, product);
}

}  // namespace

Operator operator_kMm() { return routine_of<ops::kMm, &mm>(); }

}  // namespace tenon::kernels::cuda
