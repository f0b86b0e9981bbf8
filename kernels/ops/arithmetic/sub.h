// SPDX-License-Identifier: Apache-2.0
// aten::sub: self - alpha * other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"
#include "kernels/common/maths/maths.h"
#include "kernels/ops/arithmetic/alpha.h"

namespace tenon::kernels::ops {

template <class T>
struct Sub {
  static constexpr bool kSingles = true;

  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));  // wraps
    } else {
      return x - y;
    }
  }
};

template <class T>
struct SubScaled {
  T alpha;
  static SubScaled make(const Args& args) { return {args.number<T>(2, "alpha")}; }
  TENON_FUNCTOR T operator()(T x, T y) const { return Sub<T>()(x, maths::multiply(alpha, y)); }
};

inline constexpr Facts kSubTensor{
    .family = &kPointwise,
    .name = "sub.Tensor",
    .params = "Tensor self, Tensor other, *, Scalar alpha=1",
    .forms = kAllForms,
    .tags = kPointwiseWithNumbers,
    .gradient = "self: grad; other: -(grad.conj() * alpha).conj()",
    .tangent = "self_t - other_t * alpha",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kHalfComplex},
                  .no_bool = "logical xor tells where masks differ",
                  .check = &check_alpha,
                  .variant = &alpha_variant},
};
inline constexpr Facts kSubScalar{
    .family = &kNumberForm,
    .name = "sub.Scalar",
    .params = "Tensor self, Scalar other, Scalar alpha=1",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .pointwise = {.exact_outs = true},
    .tensor_form = &kSubTensor,
};

inline constexpr Facts kSubtractTensor{
    .family = &kSynonym,
    .name = "subtract.Tensor",
    .params = "Tensor self, Tensor other, *, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls sub",
    .tangent = "none: calls sub",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kSubTensor,
};

inline constexpr Facts kSubtractScalar{
    .family = &kSynonym,
    .name = "subtract.Scalar",
    .params = "Tensor self, Scalar other, Scalar alpha=1",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls sub",
    .tangent = "none: calls sub",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kSubScalar,
};

}  // namespace tenon::kernels::ops
