// SPDX-License-Identifier: Apache-2.0
// Implements aten::relu6 by calling other operators.
#include "kernels/ops/activation/hardtanh.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void relu6(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> bounded(
      "aten::hardtanh");
  static constinit const LazyOp<void(const Tensor&, const Scalar&, const Scalar&)> bound(
      "aten::hardtanh_");
  const Scalar low(0), high(6);
  if (call.form.is_functional()) return call.give(0, bounded(call.get<Tensor>(0), low, high));
  bound(call.get<Tensor>(0), low, high);
}

}  // namespace tenon::kernels::ops
