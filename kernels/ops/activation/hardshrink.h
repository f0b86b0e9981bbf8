// SPDX-License-Identifier: Apache-2.0
// aten::hardshrink: elements close to 0 become 0; aten::softshrink: all others also move towards 0;
// their gradients.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Hardshrink {
  T near;
  static Hardshrink make(const Args& args) { return {args.factor<T>(1, "lambd")}; }
  TENON_FUNCTOR T operator()(T x) const { return x >= -near && x <= near ? T(0) : x; }
};

inline constexpr Facts kHardshrink{
    .family = &kPointwise,
    .name = "hardshrink",
    .params = "Tensor self, Scalar lambd=0.5",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: hardshrink_backward(grad, self, lambd)",
    .tangent = "hardshrink_backward(self_t, self, lambd)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

// The gradient of both hardshrink and softshrink.
template <class T>
struct ShrinkBackward {
  T near;
  static ShrinkBackward make(const Args& args) { return {args.factor<T>(2, "lambd")}; }
  TENON_FUNCTOR T operator()(T grad, T x) const { return x >= -near && x <= near ? T(0) : grad; }
};

inline constexpr Facts kHardshrinkBackward{
    .family = &kPointwise,
    .name = "hardshrink_backward",
    .params = "Tensor grad_out, Tensor self, Scalar lambd",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_out: hardshrink_backward(grad, self, lambd); self: zeros_like(grad)",
    .tangent = "hardshrink_backward(grad_out_t, self, lambd)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

template <class T>
struct Softshrink {
  T near;
  static Softshrink make(const Args& args) { return {args.factor<T>(1, "lambd")}; }
  TENON_FUNCTOR T operator()(T x) const {
    return x > near ? x - near : x < -near ? x + near : x * 0;
  }
};

// Refuses a negative lambd.
void check_lambd(const Args& args, tenon_dtype dtype);

inline constexpr Facts kSoftshrink{
    .family = &kPointwise,
    .name = "softshrink",
    .params = "Tensor self, Scalar lambd=0.5",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: softshrink_backward(grad, self, lambd)",
    .tangent = "softshrink_backward(self_t, self, lambd)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true, .check = &check_lambd},
};

inline constexpr Facts kSoftshrinkBackward{
    .family = &kPointwise,
    .name = "softshrink_backward",
    .params = "Tensor grad_output, Tensor self, Scalar lambd",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: softshrink_backward(grad, self, lambd); self: zeros_like(grad)",
    .tangent = "softshrink_backward(grad_output_t, self, lambd)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
