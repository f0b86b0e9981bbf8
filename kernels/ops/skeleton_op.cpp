// SPDX-License-Identifier: Apache-2.0
// tenon::skeleton_op: self * self + offset. Copy this file, its CPU part and its test for a new
// operator; docs stand in README.md, "Add an operator".
#include "kernels/ops/skeleton_op.h"

#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

// Meta kernel: dtype and shape without data.
Tensor skeleton_op_meta(const Tensor& self, const Scalar&) {
  Elementwise plan("tenon::skeleton_op");
  plan_skeleton_op(plan, self);
  return plan.take_result();
}

}  // namespace

// Dtype and shape: bool and integers give floats, as in aten::exp.
void plan_skeleton_op(Elementwise& plan, const Tensor& self) {
  plan.input(self, "self");
  plan.promote(Promotion::CommonFloat);
  plan.finish(plan.dtype(), Output::allocate());
}

// Schema. Gradient: none yet. Batching rule: none yet. Cast policy: none.
void register_skeleton_op(Library& tenon) {
  tenon.def("skeleton_op(Tensor self, Scalar offset=0) -> Tensor", {"pointwise"});
  tenon.impl("skeleton_op", TENON_KEY_META, &skeleton_op_meta, quick("skeleton_op_meta"));
}

}  // namespace tenon::kernels
