// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::heaviside.
#include "kernels/ops/arithmetic/heaviside.h"

#include "kernels/common/check.h"

namespace tenon::kernels::ops {

void check_heaviside(const Args& args, tenon_dtype) {
  const auto dtype_at = [&](int k) {
    return static_cast<Dtype>(tenon_tensor_dtype(args[k].as.tensor));
  };
  check_dtype_of(args.op(), "values", dtype_at(1), "self", dtype_at(0));
}

}  // namespace tenon::kernels::ops
