// SPDX-License-Identifier: Apache-2.0
// The family of pointwise operators: the interface of a device's kernel, whose plan all devices
// share with Meta.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/families/elementwise.h"

namespace tenon::kernels {

// The first member of a device's kernel of a pointwise operator.
struct PointwiseKernel {
  // Computes a finished plan; `variant` is the result of PointwiseFacts::variant.
  void (*run)(const PointwiseKernel& kernel, Elementwise& plan, const Call& call, int variant);
  // Like run(), but for the most common calls: all operands contiguous and, except for the result,
  // of `dtype`. data[0] is the result's data and data[k + 1] that of input k. Only for dtypes in
  // `flat`.
  void (*run_flat)(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
                   char* const* data, int64_t numel);
  DtypeSet flat;
};

}  // namespace tenon::kernels
