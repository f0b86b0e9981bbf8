// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: errors as exceptions, and a guard for the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tenon::kernels::cuda {

// Throws tenon::Error (TENON_ERROR_SYSTEM or OUT_OF_MEMORY) that names `what` if a call failed.
void check_cuda(cudaError_t status, const char* what);

// Makes a device current on the calling thread until the end of the scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(int32_t index);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  int previous_ = 0;
  bool changed_ = false;
};

}  // namespace tenon::kernels::cuda
