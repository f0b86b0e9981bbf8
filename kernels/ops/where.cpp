// SPDX-License-Identifier: Apache-2.0
// aten::where: elements of self where the condition holds, else of other.
#include "kernels/ops/where.h"

#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor where_meta(const Tensor& condition, const Tensor& self, const Tensor& other) {
  Elementwise plan("aten::where.self");
  plan_where(plan, condition, self, other);
  return plan.take_result();
}

}  // namespace

void plan_where(Elementwise& plan, const Tensor& condition, const Tensor& self,
                const Tensor& other) {
  plan.input(condition, "condition");
  plan.input(self, "self");
  plan.input(other, "other");
  const Dtype dtype = dtype_of_info(plan.input_info(0));
  if (dtype != Dtype::Bool && dtype != Dtype::U8) {
    fail_argument(plan.op(), "condition", "a bool tensor", dtype);
  }
  plan.read_as(0, Dtype::Bool);
  plan.promote(Promotion::Common, 1);
  plan.finish(plan.dtype(), Output::allocate());
}

void register_where(Library& aten) {
  aten.def("where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
           {"core", "pointwise"});
  aten.impl("where.self", TENON_KEY_META, &where_meta, quick("where_meta"));
}

}  // namespace tenon::kernels
