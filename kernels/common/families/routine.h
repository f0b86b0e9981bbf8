// SPDX-License-Identifier: Apache-2.0
// Operators with their own routine: the interface of a device's kernel, and destinations of
// results.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// A device's kernel of an operator of these families.
struct Routine {
  void (*run)(const Call& call);
};

// Returns the tensor for result k: a new one, or the call's `out`, which is resized if its sizes
// differ and keeps its strides otherwise. Refuses an `out` of another dtype or device, one that
// cannot be written, and one whose elements overlap.
Tensor result_for(const Call& call, Sizes sizes, Dtype dtype, const Device& device,
                  const int64_t* strides = nullptr, int k = 0);

// Refuses an `out` that cannot be written.
void check_writable(const Call& call, const tenon_tensor_info& out, int k = 0);

// Like check_writable(), but also refuses an `out` that is on another device or whose elements
// overlap.
void check_out(const Call& call, const tenon_tensor_info& out, const Device& device, int k = 0);

// Refuses each call. Gradient formulas call it for an input `self` that has no formula, if other
// inputs of the operator have one.
void refuse_gradient_of_self(const Call& call);

}  // namespace tenon::kernels
