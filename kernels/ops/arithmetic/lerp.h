// SPDX-License-Identifier: Apache-2.0
// aten::lerp: linear interpolation from self (weight 0) to end (weight 1).
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

// Computed from the nearer end, so that both ends are exact.
template <class T>
struct LerpTensor {
  TENON_FUNCTOR T operator()(T self, T end, T weight) const {
    return is_near(weight) ? self + weight * (end - self) : end - (end - self) * (T(1) - weight);
  }

 private:
  TENON_FUNCTOR static bool is_near(T weight) {
    if constexpr (is_complex_element<T>) {
      return weight.re * weight.re + weight.im * weight.im < Real<T>(0.25);
    } else {
      return weight < T(0.5) && weight > T(-0.5);
    }
  }
};

template <class T>
struct LerpScalar {
  T weight;
  static LerpScalar make(const Args& args) { return {args.factor<T>(2, "weight")}; }
  TENON_FUNCTOR T operator()(T self, T end) const { return LerpTensor<T>()(self, end, weight); }
};

// Refuse an end of another dtype than self, a weight tensor with dims of another dtype, and a
// complex weight for real tensors.
void check_ends(const Args& args, tenon_dtype dtype);
void check_ends_and_weight(const Args& args, tenon_dtype dtype);

inline constexpr Facts kLerpScalar{
    .family = &kPointwise,
    .name = "lerp.Scalar",
    .params = "Tensor self, Tensor end, Scalar weight",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "pointwise",
    .gradient = "self: grad - (grad.conj() * weight).conj(); end: (grad.conj() * weight).conj()",
    .tangent = "self_t + (end_t - self_t) * weight",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}, .check = &check_ends},
};
inline constexpr Facts kLerpTensor{
    .family = &kPointwise,
    .name = "lerp.Tensor",
    .params = "Tensor self, Tensor end, Tensor weight",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "pointwise",
    .gradient =
        "self: grad * (1 - weight).conj(); end: grad * weight.conj(); "
        "weight: grad * (end - self).conj()",
    .tangent = "self_t + (end_t - self_t) * weight + (end - self) * weight_t",
    .batching = Batching::Pointwise,
    .node_number = 1,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex},
                  .exact_outs = true,
                  .check = &check_ends_and_weight},
};

}  // namespace tenon::kernels::ops
