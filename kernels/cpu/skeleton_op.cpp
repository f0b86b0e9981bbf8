// SPDX-License-Identifier: Apache-2.0
// tenon::skeleton_op on the CPU.
#include "kernels/ops/skeleton_op.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/loops.h"

namespace tenon::kernels::cpu {
namespace {

// Functor: one element, in the type it is computed in (float for float16 and bfloat16).
template <class T>
struct SkeletonOp {
  T offset;
  T operator()(T x) const { return x * x + offset; }
};

Tensor skeleton_op(const Tensor& self, const Scalar& offset) {
  // Output shape and dtype.
  Elementwise plan("tenon::skeleton_op");
  plan_skeleton_op(plan, self);
  // Dtype check and typed loop: a dtype that is not in the list is a clear error.
  visit(plan.op(), "self", plan.dtype(), FloatTypes(), [&]<class T>(Element<T>) {
    run_unary<T, T>(plan, SkeletonOp<Compute<T>>{element_of<Compute<T>>(offset)});
  });
  return plan.take_result();
}

}  // namespace

// Registration.
void register_skeleton_op(Library& tenon) {
  tenon.impl("skeleton_op", TENON_KEY_CPU, &skeleton_op, quick("cpu::skeleton_op", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
