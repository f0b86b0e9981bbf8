// SPDX-License-Identifier: Apache-2.0
// aten::igamma and aten::igammac: the regularized incomplete gamma functions with parameter self at
// x = other, also under their newer names.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/maths/incomplete_gamma.h"

namespace tenon::kernels::ops {

template <class T>
struct Igamma {
  T operator()(T a, T x) const {
    return static_cast<T>(maths::igamma(static_cast<double>(a), static_cast<double>(x)));
  }
};

inline constexpr Facts kIgamma{
    .family = &kPointwise,
    .name = "igamma",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient =
        "self: igamma_backward_self(grad); "
        "other: grad * ((self - 1) * other.log() - other - self.lgamma()).exp()",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

template <class T>
struct Igammac {
  T operator()(T a, T x) const {
    return static_cast<T>(maths::igammac(static_cast<double>(a), static_cast<double>(x)));
  }
};

inline constexpr Facts kIgammac{
    .family = &kPointwise,
    .name = "igammac",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient =
        "self: igamma_backward_self(grad); "
        "other: -grad * ((self - 1) * other.log() - other - self.lgamma()).exp()",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

inline constexpr Facts kSpecialGammainc{
    .family = &kSynonym,
    .name = "special_gammainc",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls igamma",
    .tangent = "none: calls igamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kIgamma,
};

inline constexpr Facts kSpecialGammaincc{
    .family = &kSynonym,
    .name = "special_gammaincc",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls igammac",
    .tangent = "none: calls igammac",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kIgammac,
};

// Refuses all calls, because there is no formula for the derivative by self, as in PyTorch.
inline constexpr Facts kIgammaBackwardSelf{
    .family = &kComposite,
    .name = "igamma_backward_self",
    .params = "Tensor grad",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&refuse_gradient_of_self},
};

}  // namespace tenon::kernels::ops
