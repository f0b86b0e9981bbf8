// SPDX-License-Identifier: Apache-2.0
// What registrations of all kernels share: claims on time, and numbers as tensors.
#pragma once

#include <cstdint>

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Options of a kernel that is quick and never waits up to so many elements, and calls no operator.
inline KernelOptions quick(const char* function, int64_t max_numel = INT64_MAX) {
  KernelOptions options;
  options.noblock_max_numel = max_numel;
  options.leaf = true;
  options.name = function;
  return options;
}

// Options of a kernel that says nothing about its time: it calls other operators.
inline KernelOptions composite(const char* function) {
  KernelOptions options;
  options.name = function;
  return options;
}

// A number as a 0-dim tensor that is weakest in type promotion.
inline Tensor number_tensor(const Scalar& number) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_number(&number.value(), &handle));
  return Tensor(handle);
}

}  // namespace tenon::kernels
