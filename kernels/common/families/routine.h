// SPDX-License-Identifier: Apache-2.0
// Operators with a routine of their own: what a device's part of one is, and where results go.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// A device's part of an operator of these families.
struct Routine {
  void (*run)(const Call& call);
};

// Where result k goes: a new tensor, or the call's `out`, which gets these sizes where it has
// others and keeps its own strides where not. Refuses an `out` of another dtype or device, one that
// cannot be written, and one with several elements at one place.
Tensor result_for(const Call& call, Sizes sizes, Dtype dtype, const Device& device,
                  const int64_t* strides = nullptr, int k = 0);

// Refuses an `out` that cannot be written.
void check_writable(const Call& call, const tenon_tensor_info& out, int k = 0);

// The same, and one that is on another device or has several elements at one place.
void check_out(const Call& call, const tenon_tensor_info& out, const Device& device, int k = 0);

// Refuses each call: what a gradient formula calls for an input `self` whose derivative nobody has
// a formula of, beside others that have one.
void refuse_gradient_of_self(const Call& call);

}  // namespace tenon::kernels
