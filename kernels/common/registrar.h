// SPDX-License-Identifier: Apache-2.0
// What registrations of all kernels share: operators from their facts, and numbers as
// tensors.
#pragma once

#include <cstdint>

#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels {

// Defines all forms of an operator and registers what serves them without a device.
void define(Library& library, const Facts& facts);

// Registers a device's kernel for all forms of an operator: `kernel` has the family's type. It is
// quick up to `quick_numel` elements, -1: may wait. `device` is a word for dumps; `bind` plans its
// calls, and is given an OperatorForm as ctx.
void implement(Library& library, tenon_key key, const char* device, const Facts& facts,
               const void* kernel, int64_t quick_numel, tenon_bind_fn bind = nullptr);

// A number as a 0-dim tensor that is weakest in type promotion.
inline Tensor number_tensor(const Scalar& number) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_number(&number.value(), &handle));
  return Tensor(handle);
}

}  // namespace tenon::kernels
