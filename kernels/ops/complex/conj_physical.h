// SPDX-License-Identifier: Apache-2.0
// aten::conj_physical: the complex conjugate of each element; real ones are copied.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct ConjPhysical {
  TENON_FUNCTOR T operator()(T x) const { return maths::conj(x); }
};

inline constexpr Facts kConjPhysical{
    .family = &kPointwise,
    .name = "conj_physical",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad.conj_physical()",
    .tangent = "self_t.conj_physical()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes}},
};

}  // namespace tenon::kernels::ops
