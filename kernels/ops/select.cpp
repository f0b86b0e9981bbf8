// SPDX-License-Identifier: Apache-2.0
// aten::select: a view of one index of a dim, without that dim.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  constexpr const char* kOp = "aten::select.int";
  View result(kOp, self.info());
  if (result.ndim() == 0) {
    fail(TENON_ERROR_INDEX, {kOp, ": self must be of 1 dim at least, got a 0-dim tensor"});
  }
  dim = wrap_dim(kOp, dim, result.ndim());
  const int64_t size = result.sizes[dim];
  if (index < -size || index >= size) {
    fail(TENON_ERROR_INDEX, {kOp, ": index must be in [", -size, ", ", size - 1, "] for sizes ",
                             result.sizes, " at dim ", dim, ", got ", index});
  }
  result.offset += (index < 0 ? index + size : index) * result.strides[dim];
  result.sizes.erase(dim);
  result.strides.erase(dim);
  return result.of(self);
}

}  // namespace

void register_select(Library& aten) {
  aten.def("select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", {"core"});
  aten.impl("select.int", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &select, quick("select"));
}

}  // namespace tenon::kernels
