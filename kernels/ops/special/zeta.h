// SPDX-License-Identifier: Apache-2.0
// aten::special_zeta: the Hurwitz zeta function with exponent self and first term other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct SpecialZeta {
  T operator()(T exponent, T first) const {
    const auto x = static_cast<double>(exponent), q = static_cast<double>(first);
    if (x == 1) return T(__builtin_inf());
    if (!(x > 1) || q != q) return T(__builtin_nan(""));
    // Powers of negative numbers are real only for whole exponents.
    if (q <= 0 && q != TENON_MATHS(floor)(q) && x != TENON_MATHS(floor)(x)) {
      return T(__builtin_nan(""));
    }
    return static_cast<T>(maths::zeta(x, q));
  }
};

inline constexpr Facts kSpecialZeta{
    .family = &kPointwise,
    .name = "special_zeta",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: special_zeta_backward_self(grad); other: grad * -self * special_zeta(self + 1, "
        "other)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialZetaOtherScalar{
    .family = &kNumberForm,
    .name = "special_zeta.other_scalar",
    .params = "Tensor self, Scalar other",
    .forms = kFunctional | kOut,
    .out = "other_scalar_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kSpecialZeta,
};

inline constexpr Facts kSpecialZetaSelfScalar{
    .family = &kNumberForm,
    .name = "special_zeta.self_scalar",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "self_scalar_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kSpecialZeta,
};

// Refuses all calls, because there is no formula for the derivative by the exponent, as in PyTorch.
inline constexpr Facts kSpecialZetaBackwardSelf{
    .family = &kComposite,
    .name = "special_zeta_backward_self",
    .params = "Tensor grad",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&refuse_gradient_of_self},
};

}  // namespace tenon::kernels::ops
