// SPDX-License-Identifier: Apache-2.0
// The family of pointwise operators: what a device has to bring, and the plan that all devices,
// Meta included, share.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/families/elementwise.h"

namespace tenon::kernels {

// A device's kernel of a pointwise operator begins with this.
struct PointwiseKernel {
  // Computes a finished plan; `variant` is that of PointwiseFacts.
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);
  // The same for the usual call: all operands contiguous and, but for the result's, of this dtype;
  // data[0] is the result's, data[k + 1] that of input k. For the dtypes of `flat` only.
  void (*run_flat)(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
                   char* const* data, int64_t numel);
  DtypeSet flat;
};

}  // namespace tenon::kernels
