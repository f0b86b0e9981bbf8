// SPDX-License-Identifier: Apache-2.0
// The family of operators that fold dims: what a device has to bring.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/families/reduction.h"

namespace tenon::kernels {

// A device's kernel of a fold begins with this.
struct FoldKernel {
  // Computes a plan, whose walks are still to be built, over the elements read as `dtype`.
  void (*run)(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype);
};

}  // namespace tenon::kernels
