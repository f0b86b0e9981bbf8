// SPDX-License-Identifier: Apache-2.0
// Implements aten::celu and aten::selu by calling other operators.
#include "kernels/ops/activation/elu.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"

namespace tenon::kernels::ops {

namespace {

// Calls elu in place, into the call's out, or returns its result, depending on the form.
void call_elu(const Call& call, double alpha, double scale, double input_scale) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&, const Scalar&)>
      elu("aten::elu");
  static constinit const LazyOp<void(const Tensor&, const Scalar&, const Scalar&, const Scalar&)>
      elu_in_place("aten::elu_");
  static constinit const LazyOp<void(const Tensor&, const Scalar&, const Scalar&, const Scalar&,
                                     const Tensor&)>
      elu_out("aten::elu.out");
  const Tensor self = *call.get<Tensor>(0);
  const Scalar a(alpha), s(scale), i(input_scale);
  if (call.form.is_functional()) return call.give(0, elu(self, a, s, i));
  if (call.form.is_out()) return elu_out(self, a, s, i, Tensor::retain(call.written()));
  elu_in_place(self, a, s, i);
}

}  // namespace

void celu(const Call& call) {
  const double alpha = call.get<Scalar>(1).to_double();
  if (alpha == 0) fail_argument(call.op(), "alpha", "nonzero", Scalar(alpha));
  call_elu(call, alpha, 1, 1 / alpha);
}

void selu(const Call& call) {
  call_elu(call, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}

}  // namespace tenon::kernels::ops
