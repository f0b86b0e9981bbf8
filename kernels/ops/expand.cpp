// SPDX-License-Identifier: Apache-2.0
// aten::expand: a view that repeats dims of size 1, and new leading dims, without copying.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor expand(const Tensor& self, Sizes size, bool) {
  constexpr const char* kOp = "aten::expand";
  View result(kOp, self.info());
  const auto ndim = static_cast<int64_t>(size.size());
  const int64_t added = ndim - result.ndim();
  if (added < 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": size must have at least ", result.ndim(), " numbers, got ", size});
  }
  const Dims sizes = result.sizes;
  const Dims strides = result.strides;
  result.sizes.resize(ndim);
  result.strides.resize(ndim);
  // From the right: the stride of a new leading dim is that of a dim around all that follow, and 0
  // around a 0-dim tensor.
  for (int64_t i = ndim - 1; i >= 0; --i) {
    const int64_t old = i - added;
    int64_t wanted = size[static_cast<size_t>(i)];
    int64_t current = 1;
    int64_t stride = 0;
    if (old >= 0) {
      current = sizes[old];
      stride = strides[old];
    } else if (i + 1 < ndim) {
      stride = result.sizes[i + 1] * result.strides[i + 1];
    }
    if (wanted == -1) {
      if (old < 0) {
        fail_argument(kOp, "size", "without -1 for new leading dims", size);
      }
      wanted = current;
    }
    if (wanted != current) {
      if (current != 1 || wanted < 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {kOp, ": size must match ", sizes, " where that is not 1, got ", size});
      }
      stride = 0;
    }
    result.sizes[i] = wanted;
    result.strides[i] = stride;
  }
  return result.of(self);
}

}  // namespace

void register_expand(Library& aten) {
  aten.def("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", {"core"});
  aten.impl("expand", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &expand, quick("expand"));
}

}  // namespace tenon::kernels
