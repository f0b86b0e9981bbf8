// SPDX-License-Identifier: Apache-2.0
// Implements aten::rsub by calling other operators.
#include "kernels/ops/arithmetic/rsub.h"

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels::ops {
namespace {

void call_sub(const Call& call, const Tensor& from) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> sub(
      "aten::sub.Tensor");
  call.give(0, sub(from, call.get<Tensor>(0), call.get<Scalar>(2)));
}

}  // namespace

void rsub_tensor(const Call& call) { call_sub(call, call.get<Tensor>(1)); }

void rsub_scalar(const Call& call) { call_sub(call, number_tensor(call.get<Scalar>(1))); }

}  // namespace tenon::kernels::ops
