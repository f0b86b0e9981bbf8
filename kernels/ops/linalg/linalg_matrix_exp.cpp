// SPDX-License-Identifier: Apache-2.0
// The result of aten::linalg_matrix_exp, and its differential.
#include "kernels/ops/linalg/linalg_matrix_exp.h"

#include "kernels/common/maths/element.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&)> exponential_of("aten::linalg_matrix_exp");

}  // namespace

Tensor matrix_exp_result(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() < 2) fail_argument(call.op(), "self", "have at least 2 dims", self.sizes());
  if (self.size(-1) != self.size(-2)) {
    fail_argument(call.op(), "self", "square matrices", self.sizes());
  }
  check_dtype(call.op(), "self", self.dtype(), FloatAndComplexTypes());
  return result_for(call, self.sizes(), self.dtype(), self.device());
}

void linalg_matrix_exp_meta(const Call& call) {
  Tensor result = matrix_exp_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void matrix_exp(const Call& call) { call.give(0, exponential_of(*call.get<Tensor>(0))); }

// Computed as the upper right block of the exponential of [A E; 0 A].
void linalg_matrix_exp_differential(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), grad = *call.get<Tensor>(1);
  const Tensor a = call.get<bool>(2) ? call_mH(self) : self;
  const Tensor none = call_mul(a, Scalar(0));
  const Tensor both = call_cat({call_cat({a, grad}, -1), call_cat({none, a}, -1)}, -2);
  const int64_t size = self.size(-1);
  const Tensor upper = call_slice(exponential_of(both), -2, 0, size);
  call.give(0, call_slice(upper, -1, size, 2 * size));
}

}  // namespace tenon::kernels::ops
