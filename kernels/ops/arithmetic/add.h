// SPDX-License-Identifier: Apache-2.0
// aten::add: self + alpha * other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"
#include "kernels/common/maths/maths.h"
#include "kernels/ops/arithmetic/alpha.h"

namespace tenon::kernels::ops {

template <class T>
struct Add {
  static constexpr bool kSingles = true;

  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>) {
      return x || y;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));  // wraps
    } else {
      return x + y;
    }
  }
};

template <class T>
struct AddScaled {
  T alpha;
  static AddScaled make(const Args& args) { return {args.number<T>(2, "alpha")}; }
  TENON_FUNCTOR T operator()(T x, T y) const { return Add<T>()(x, maths::multiply(alpha, y)); }
};

inline constexpr Facts kAddTensor{
    .family = &kPointwise,
    .name = "add.Tensor",
    .params = "Tensor self, Tensor other, *, Scalar alpha=1",
    .forms = kAllForms,
    .tags = kPointwiseWithNumbers,
    .gradient = "self: grad; other: (grad.conj() * alpha).conj()",
    .tangent = "self_t + other_t * alpha",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kBool | kHalfComplex},
                  .check = &check_alpha,
                  .variant = &alpha_variant},
};
inline constexpr Facts kAddScalar{
    .family = &kNumberForm,
    .name = "add.Scalar",
    .params = "Tensor self, Scalar other, Scalar alpha=1",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .pointwise = {.exact_outs = true},
    .tensor_form = &kAddTensor,
};

}  // namespace tenon::kernels::ops
