// SPDX-License-Identifier: Apache-2.0
// tenon::skeleton_op: self * self + offset. To add an operator, copy this file, its test and its
// line in ops.list; see README.md, "Add an operator".
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

// Computes one element in its compute type: float for float16 and bfloat16.
template <class T>
struct SkeletonOp {
  T offset;
  static SkeletonOp make(const Args& args) { return {args.number<T>(1, "offset")}; }
  TENON_FUNCTOR T operator()(T x) const { return x * x + offset; }
};

// Bools and integers have float results, as in aten::exp. Missing features have to be stated as
// well.
inline constexpr Facts kSkeletonOp{
    .family = &kPointwise,
    .name = "skeleton_op",
    .params = "Tensor self, Scalar offset=0",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * 2 * self",
    .tangent = "self_t * 2 * self",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
