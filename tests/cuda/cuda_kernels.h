// SPDX-License-Identifier: Apache-2.0
// A fixture for tests of the CUDA kernels, which skips without a GPU.
#pragma once

#include <gtest/gtest.h>

#include <tenon/tenon.hpp>

namespace tenon::tests {

class CudaKernels : public testing::Test {
 protected:
  void SetUp() override {
    int32_t count = 0;
    check(tenon_device_count(TENON_DEVICE_CUDA, &count));
    if (count == 0) GTEST_SKIP() << "no GPU";
  }
};

inline Tensor one(const char* name, const auto&... arguments) {
  return Op(name)(arguments...)[0].tensor();
}

inline Tensor to(const Tensor& tensor, const char* device) {
  return one("aten::_to_copy", tensor, kw("device", Device(device)));
}

inline Tensor cast(const Tensor& tensor, Dtype dtype) {
  return one("aten::_to_copy", tensor, kw("dtype", dtype));
}

}  // namespace tenon::tests
