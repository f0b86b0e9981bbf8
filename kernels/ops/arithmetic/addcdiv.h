// SPDX-License-Identifier: Apache-2.0
// aten::addcdiv: self + value * tensor1 / tensor2.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Addcdiv {
  T value;
  static Addcdiv make(const Args& args) { return {args.factor<T>(3, "value")}; }
  TENON_FUNCTOR T operator()(T self, T tensor1, T tensor2) const {
    return self + value * tensor1 / tensor2;
  }
};

// Refuses a complex value for real tensors, and the quotient of two integers, whose rounding is not
// specified.
void check_quotient(const Args& args, tenon_dtype dtype);

inline constexpr Facts kAddcdiv{
    .family = &kPointwise,
    .name = "addcdiv",
    .params = "Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient =
        "self: grad; tensor1: grad * (tensor2.reciprocal() * value).conj(); "
        "tensor2: -grad * (tensor1 * value / (tensor2 * tensor2)).conj()",
    .tangent =
        "self_t + tensor1_t / tensor2 * value - "
        "tensor2_t * (tensor1 / tensor2) / tensor2 * value",
    .batching = Batching::Pointwise,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}, .check = &check_quotient},
};

}  // namespace tenon::kernels::ops
