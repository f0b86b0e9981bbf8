// SPDX-License-Identifier: Apache-2.0
// aten::amax: the largest element along dims; NaN where one of them is NaN.
#include "kernels/common/reduction.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor amax_meta(const Tensor& self, Sizes dim, bool keepdim) {
  Reduction plan("aten::amax");
  plan.input(self, dim);
  plan.require_elements();
  plan.finish(self.dtype(), keepdim);
  return plan.take_result();
}

}  // namespace

void register_amax(Library& aten) {
  aten.def("amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", {"core", "reduction"});
  aten.impl("amax", TENON_KEY_META, &amax_meta, quick("amax_meta"));
}

}  // namespace tenon::kernels
