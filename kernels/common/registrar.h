// SPDX-License-Identifier: Apache-2.0
// What registrations of all kernels share: operators from their facts, claims on time, and numbers
// as tensors.
#pragma once

#include <cstdint>

#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Defines all forms of an operator and registers what serves them without a device.
void define(Library& library, const Facts& facts);

// Registers a device's kernel for all forms of an operator: `kernel` has the family's type. It is
// quick up to `quick_numel` elements, -1: may wait. `device` is a word for dumps.
void implement(Library& library, tenon_key key, const char* device, const Facts& facts,
               const void* kernel, int64_t quick_numel);

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
