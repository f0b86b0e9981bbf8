// SPDX-License-Identifier: Apache-2.0
// aten::unsqueeze: a view with a dim of size 1 put in.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  constexpr const char* kOp = "aten::unsqueeze";
  View result(kOp, self.info());
  dim = wrap_dim(kOp, dim, result.ndim() + 1);
  const int64_t stride = dim < result.ndim() ? result.sizes[dim] * result.strides[dim] : int64_t{1};
  result.sizes.insert(dim, 1);
  result.strides.insert(dim, stride);
  return result.of(self);
}

}  // namespace

void register_unsqueeze(Library& aten) {
  aten.def("unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", {"core"});
  aten.impl("unsqueeze", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &unsqueeze, quick("unsqueeze"));
}

}  // namespace tenon::kernels
