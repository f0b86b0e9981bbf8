// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::addcdiv.
#include "kernels/ops/arithmetic/addcdiv.h"

#include "kernels/common/promotion.h"

namespace tenon::kernels::ops {

void check_quotient(const Args& args, tenon_dtype dtype) {
  check_factor(args, 3, "value", dtype);
  const auto tensor1 = static_cast<Dtype>(tenon_tensor_dtype(args[1].as.tensor));
  const auto tensor2 = static_cast<Dtype>(tenon_tensor_dtype(args[2].as.tensor));
  if (is_bool_or_integral(tensor1) && is_bool_or_integral(tensor2)) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {args.op(),
          ": not supported for integers: tensor1 or tensor2 must be floating or complex,"
          " got ",
          tensor1, " and ", tensor2});
  }
}

}  // namespace tenon::kernels::ops
