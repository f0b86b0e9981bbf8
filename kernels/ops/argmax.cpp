// SPDX-License-Identifier: Apache-2.0
// aten::argmax: the index of the first largest element along a dim, or in row-major order of all.
// NaN counts as the largest.
#include "kernels/ops/argmax.h"

#include "kernels/common/element.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor argmax_meta(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  Reduction plan("aten::argmax");
  plan_argmax(plan, self, dim, keepdim);
  return plan.take_result();
}

}  // namespace

void plan_argmax(Reduction& plan, const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  if (dim) {
    plan.input(self, Sizes(&*dim, 1));
  } else {
    plan.input(self, std::nullopt);
  }
  check_dtype(plan.op(), "self", dtype_of_info(plan.input_info()), RealTypes());
  plan.require_elements();
  plan.finish(Dtype::I64, keepdim);
}

void register_argmax(Library& aten) {
  aten.def("argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
           {"core", "reduction"});
  aten.impl("argmax", TENON_KEY_META, &argmax_meta, quick("argmax_meta"));
}

}  // namespace tenon::kernels
