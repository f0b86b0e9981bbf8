// SPDX-License-Identifier: Apache-2.0
// aten::t: a matrix transposed; fewer dims stay as they are.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor t(const Tensor& self) {
  View result("aten::t", self.info());
  if (result.ndim() > 2) {
    fail_argument("aten::t", "self", "of 2 dims at most", Part(result.ndim()));
  }
  if (result.ndim() == 2) {
    std::swap(result.sizes[0], result.sizes[1]);
    std::swap(result.strides[0], result.strides[1]);
  }
  return result.of(self);
}

}  // namespace

void register_t(Library& aten) {
  aten.def("t(Tensor(a) self) -> Tensor(a)");
  aten.impl("t", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &t, quick("t"));
}

}  // namespace tenon::kernels
