// SPDX-License-Identifier: Apache-2.0
// aten::permute: a view with the dims in another order.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor permute(const Tensor& self, Sizes dims) {
  constexpr const char* kOp = "aten::permute";
  const View base(kOp, self.info());
  if (static_cast<int64_t>(dims.size()) != base.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": dims must name each of the ", base.ndim(), " dims once, got ", dims});
  }
  View result = base;
  uint64_t seen = 0;
  for (int64_t i = 0; i < base.ndim(); ++i) {
    const int64_t dim = wrap_dim(kOp, dims[static_cast<size_t>(i)], base.ndim());
    if ((seen >> dim & 1) != 0) {
      fail_argument(kOp, "dims", "free of duplicates", dims);
    }
    seen |= uint64_t{1} << dim;
    result.sizes[i] = base.sizes[dim];
    result.strides[i] = base.strides[dim];
  }
  return result.of(self);
}

}  // namespace

void register_permute(Library& aten) {
  aten.def("permute(Tensor(a) self, int[] dims) -> Tensor(a)", {"core"});
  aten.impl("permute", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &permute, quick("permute"));
}

}  // namespace tenon::kernels
