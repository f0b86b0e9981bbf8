// SPDX-License-Identifier: Apache-2.0
// aten::squeeze: a view without one dim, or all dims, of size 1.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor squeeze(const Tensor& self) {
  View result("aten::squeeze", self.info());
  for (int64_t dim = result.ndim() - 1; dim >= 0; --dim) {
    if (result.sizes[dim] != 1) continue;
    result.sizes.erase(dim);
    result.strides.erase(dim);
  }
  return result.of(self);
}

Tensor squeeze_dim(const Tensor& self, int64_t dim) {
  constexpr const char* kOp = "aten::squeeze.dim";
  View result(kOp, self.info());
  dim = wrap_dim(kOp, dim, result.ndim());
  if (result.ndim() > 0 && result.sizes[dim] == 1) {
    result.sizes.erase(dim);
    result.strides.erase(dim);
  }
  return result.of(self);
}

}  // namespace

void register_squeeze(Library& aten) {
  aten.def("squeeze(Tensor(a) self) -> Tensor(a)");
  aten.impl("squeeze", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &squeeze, quick("squeeze"));
  aten.def("squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", {"core"});
  aten.impl("squeeze.dim", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &squeeze_dim,
            quick("squeeze_dim"));
}

}  // namespace tenon::kernels
