// SPDX-License-Identifier: Apache-2.0
// The family of operators that fold dims: the interface of a device's kernel.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/families/reduction.h"

namespace tenon::kernels {

// The first member of a device's kernel of a fold.
struct FoldKernel {
  // Computes a plan whose walks are not built yet, over the elements read as `dtype`.
  void (*run)(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype);
};

}  // namespace tenon::kernels
