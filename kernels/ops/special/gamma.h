// SPDX-License-Identifier: Apache-2.0
// aten::lgamma: the logarithm of the absolute value of the gamma function; aten::digamma: its
// derivative; aten::polygamma: its higher derivatives.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Lgamma {
  TENON_FUNCTOR T operator()(T x) const { return maths::lgamma(x); }
};

inline constexpr Facts kLgamma{
    .family = &kPointwise,
    .name = "lgamma",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * digamma(self)",
    .tangent = "self_t * digamma(self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct Digamma {
  TENON_FUNCTOR T operator()(T x) const { return maths::digamma(x); }
};

inline constexpr Facts kDigamma{
    .family = &kPointwise,
    .name = "digamma",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * polygamma(1, self)",
    .tangent = "self_t * polygamma(1, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

void polygamma(const Call& call);

inline constexpr Facts kPolygamma{
    .family = &kComposite,
    .name = "polygamma",
    .params = "int n, Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&polygamma, /*writes_out=*/true},
};

template <class T>
struct PolygammaOf {
  int64_t order;

  static PolygammaOf make(const Args& args) { return {args[1].as.i}; }
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::polygamma(order, static_cast<double>(x)));
  }
};

inline constexpr Facts kPolygammaOf{
    .family = &kPointwise,
    .name = "polygamma_of",
    .params = "Tensor self, int n",
    .tags = "pointwise",
    .gradient = "self: grad * polygamma(n + 1, self)",
    .tangent = "self_t * polygamma(n + 1, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialGammaln{
    .family = &kSynonym,
    .name = "special_gammaln",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls lgamma",
    .tangent = "none: calls lgamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLgamma,
};

inline constexpr Facts kSpecialDigamma{
    .family = &kSynonym,
    .name = "special_digamma",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls digamma",
    .tangent = "none: calls digamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDigamma,
};

inline constexpr Facts kSpecialPsi{
    .family = &kSynonym,
    .name = "special_psi",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls digamma",
    .tangent = "none: calls digamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDigamma,
};

inline constexpr Facts kSpecialPolygamma{
    .family = &kSynonym,
    .name = "special_polygamma",
    .params = "int n, Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls polygamma",
    .tangent = "none: calls polygamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kPolygamma,
};

}  // namespace tenon::kernels::ops
