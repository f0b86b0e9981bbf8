// SPDX-License-Identifier: Apache-2.0
// aten::addcmul: self + value * tensor1 * tensor2.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"
#include "kernels/common/maths/maths.h"
#include "kernels/ops/arithmetic/add.h"

namespace tenon::kernels::ops {

template <class T>
struct Addcmul {
  T value;
  static Addcmul make(const Args& args) { return {args.factor<T>(3, "value")}; }
  TENON_FUNCTOR T operator()(T self, T tensor1, T tensor2) const {
    return Add<T>()(self, maths::multiply(maths::multiply(value, tensor1), tensor2));
  }
};

inline void check_value(const Args& args, tenon_dtype dtype) {
  check_factor(args, 3, "value", dtype);
}

inline constexpr Facts kAddcmul{
    .family = &kPointwise,
    .name = "addcmul",
    .params = "Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient =
        "self: grad; tensor1: grad * (tensor2 * value).conj(); "
        "tensor2: grad * (tensor1 * value).conj()",
    .tangent = "self_t + tensor1_t * tensor2 * value + tensor2_t * tensor1 * value",
    .batching = Batching::Pointwise,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kNumbers | kHalfComplex}, .check = &check_value},
};

}  // namespace tenon::kernels::ops
