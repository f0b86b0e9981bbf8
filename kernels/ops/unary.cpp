// SPDX-License-Identifier: Apache-2.0
// The plan of operators of one tensor.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

void plan_unary(Elementwise& plan, const UnaryFacts& facts, const Tensor& self, Output output) {
  plan.input(self, "self");
  const Dtype own = dtype_of_info(plan.input_info(0));
  const bool to_lengths = facts.complex_to_real && is_complex(own);
  const bool usual = output.tensor() == nullptr && facts.check == nullptr && !to_lengths &&
                     (facts.promotion == Promotion::Common || !is_bool_or_integral(own));
  if (usual && plan.try_alike<1>(own)) return;
  plan.promote(facts.promotion);
  if (facts.check != nullptr) facts.check(plan.op(), plan.dtype());
  if (to_lengths && output.tensor() == nullptr) return plan.finish_preserving(to_real(own));
  plan.finish(to_lengths ? to_real(plan.dtype()) : plan.dtype(), output);
}

}  // namespace tenon::kernels
