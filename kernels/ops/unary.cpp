// SPDX-License-Identifier: Apache-2.0
// The plan of operators of one tensor.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

void plan_unary(Elementwise& plan, const UnaryFacts& facts, const Tensor& self, Output output) {
  plan.input(self, "self");
  plan.promote(facts.promotion);
  if (facts.check != nullptr) facts.check(plan.op(), plan.dtype());
  plan.finish(facts.complex_to_real ? to_real(plan.dtype()) : plan.dtype(), output);
}

}  // namespace tenon::kernels
