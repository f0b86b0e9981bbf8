// SPDX-License-Identifier: Apache-2.0
// Registration of operators and kernels from facts, and numbers as tensors.
#pragma once

#include <cstdint>

#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Defines all forms of an operator and registers the kernels that serve them without a device.
void define(Library& library, const Facts& facts);

// Registers a device's kernel for all forms of an operator; `kernel` has the family's type. The
// kernel does not block for up to `quick_numel` elements; -1 means that it may always block.
// `device` is a name for dumps. `bind` plans its calls and gets an OperatorForm as ctx.
void implement(Library& library, tenon_key key, const char* device, const Facts& facts,
               const void* kernel, int64_t quick_numel, tenon_bind_fn bind = nullptr);

// Returns a number as a 0-dim tensor that is weakest in type promotion.
inline Tensor number_tensor(const Scalar& number) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_number(&number.value(), &handle));
  return Tensor(handle);
}

}  // namespace tenon::kernels
