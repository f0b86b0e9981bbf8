// SPDX-License-Identifier: Apache-2.0
// aten::copysign: the magnitude of one element with the sign of another.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct CopySign {
  TENON_FUNCTOR T operator()(T x, T y) const { return maths::copysign(x, y); }
};

inline constexpr Facts kCopysignTensor{
    .family = &kPointwise,
    .name = "copysign.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: copysign_backward(grad, self, result); other: zeros_like(result)",
    .tangent = "copysign_backward(self_t, self, result)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kCopysignScalar{
    .family = &kNumberForm,
    .name = "copysign.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kCopysignTensor,
};

void copysign_backward(const Call& call);

inline constexpr Facts kCopysignBackward{
    .family = &kComposite,
    .name = "copysign_backward",
    .params = "Tensor grad, Tensor self, Tensor result",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&copysign_backward},
};

}  // namespace tenon::kernels::ops
