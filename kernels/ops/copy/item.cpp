// SPDX-License-Identifier: Apache-2.0
// Implements aten::item by calling other operators.
#include "kernels/ops/copy/item.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

void item(const Call& call) {
  // Returns a Value, because elements of fake tensors are symbols.
  static constinit const LazyOp<Value(const Tensor&)> local_scalar_dense(
      "aten::_local_scalar_dense");
  const auto self = call.get<Tensor>(0);
  if (numel_of(*self) != 1) {
    fail_argument(call.op(), "self", "a tensor of one element", self->sizes());
  }
  call.results[0] = local_scalar_dense(self).release();
}

}  // namespace tenon::kernels::ops
