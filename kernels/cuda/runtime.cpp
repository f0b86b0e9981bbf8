// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: errors as exceptions, and a guard for the current device.
#include "kernels/cuda/runtime.h"

#include <string>

#include "tenon/tenon.hpp"

namespace tenon::kernels::cuda {

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  // A failed call leaves its code as the last error. Clears it, so that the next launch check
  // passes.
  cudaGetLastError();
  throw Error(status == cudaErrorMemoryAllocation ? TENON_ERROR_OUT_OF_MEMORY : TENON_ERROR_SYSTEM,
              std::string("cuda: ") + what + ": " + cudaGetErrorName(status) + ": " +
                  cudaGetErrorString(status));
}

DeviceGuard::DeviceGuard(int32_t index) {
  if (index < 0) return;  // the current device
  check_cuda(cudaGetDevice(&previous_), "cudaGetDevice");
  if (previous_ != index) {
    check_cuda(cudaSetDevice(index), "cudaSetDevice");
    changed_ = true;
  }
}

DeviceGuard::~DeviceGuard() {
  if (changed_) cudaSetDevice(previous_);
}

}  // namespace tenon::kernels::cuda
