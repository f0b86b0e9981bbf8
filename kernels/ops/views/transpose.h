// SPDX-License-Identifier: Apache-2.0
// aten::transpose: a view with two dims exchanged.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

inline void transpose_view(View& view, const Call& call) {
  const int64_t dim0 = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim());
  const int64_t dim1 = wrap_dim(call.op(), call.get<int64_t>(2), view.ndim());
  if (dim0 != dim1) view.swap(dim0, dim1);
}

inline constexpr Facts kTranspose{
    .family = &kView,
    .name = "transpose.int",
    .params = "Tensor(a) self, int dim0, int dim1",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .in_place = "",
    .tags = "inverse=aten::transpose.int($part,dim0,dim1)",
    .gradient = "self: grad.transpose(dim0, dim1)",
    .tangent = "self_t.transpose(dim0, dim1)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&transpose_view},
};

inline constexpr Facts kSwapaxes{
    .family = &kSynonym,
    .name = "swapaxes",
    .params = "Tensor(a) self, int axis0, int axis1",
    .returns = "Tensor(a)",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls transpose",
    .tangent = "none: calls transpose",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kTranspose,
};

inline constexpr Facts kSwapdims{
    .family = &kSynonym,
    .name = "swapdims",
    .params = "Tensor(a) self, int dim0, int dim1",
    .returns = "Tensor(a)",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls transpose",
    .tangent = "none: calls transpose",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kTranspose,
};

}  // namespace tenon::kernels::ops
