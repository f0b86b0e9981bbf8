// SPDX-License-Identifier: Apache-2.0
// aten::transpose: a view with two dims exchanged.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  constexpr const char* kOp = "aten::transpose.int";
  View result(kOp, self.info());
  dim0 = wrap_dim(kOp, dim0, result.ndim());
  dim1 = wrap_dim(kOp, dim1, result.ndim());
  if (dim0 != dim1) {
    std::swap(result.sizes[dim0], result.sizes[dim1]);
    std::swap(result.strides[dim0], result.strides[dim1]);
  }
  return result.of(self);
}

}  // namespace

void register_transpose(Library& aten) {
  aten.def("transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)");
  aten.impl("transpose.int", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &transpose, quick("transpose"));
}

}  // namespace tenon::kernels
