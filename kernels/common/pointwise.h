// SPDX-License-Identifier: Apache-2.0
// The family of pointwise operators: what a device has to bring, and the plan that all devices,
// Meta included, share.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/elementwise.h"

namespace tenon::kernels {

// A device's kernel of a pointwise operator begins with this.
struct PointwiseKernel {
  // Computes a finished plan; `variant` is that of PointwiseFacts.
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);
};

}  // namespace tenon::kernels
