// SPDX-License-Identifier: Apache-2.0
// aten::hardtanh: elements clamped to two bounds; its gradient; aten::relu6: hardtanh from 0 to 6.
#pragma once

#include <limits>
#include <type_traits>

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Hardtanh {
  T lowest, highest;
  // Bounds of integers are truncated and limited to the range of their dtype.
  static T bound(const Args& args, int k, const char* name) {
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      const double given = args.factor<double>(k, name);
      if (!(given > static_cast<double>(Limits::min()))) return Limits::min();
      if (given >= static_cast<double>(Limits::max())) return Limits::max();
      return static_cast<T>(given);
    } else {
      return args.number<T>(k, name);
    }
  }
  static Hardtanh make(const Args& args) {
    return {bound(args, 1, "min_val"), bound(args, 2, "max_val")};
  }
  TENON_FUNCTOR T operator()(T x) const { return x < lowest ? lowest : x > highest ? highest : x; }
};

inline constexpr Facts kHardtanh{
    .family = &kPointwise,
    .name = "hardtanh",
    .params = "Tensor self, Scalar min_val=-1, Scalar max_val=1",
    .forms = kAllForms,
    .gradient = "self: hardtanh_backward(grad, self, min_val, max_val)",
    .tangent = "hardtanh_backward(self_t, self, min_val, max_val)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kOrderedUnsigned}, .exact_outs = true},
};

template <class T>
struct HardtanhBackward {
  T lowest, highest;
  static HardtanhBackward make(const Args& args) {
    return {args.number<T>(2, "min_val"), args.number<T>(3, "max_val")};
  }
  TENON_FUNCTOR T operator()(T grad, T x) const {
    return x <= lowest || x >= highest ? T(0) : grad;
  }
};

inline constexpr Facts kHardtanhBackward{
    .family = &kPointwise,
    .name = "hardtanh_backward",
    .params = "Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: hardtanh_backward(grad, self, min_val, max_val); self: zeros_like(grad)",
    .tangent = "hardtanh_backward(grad_output_t, self, min_val, max_val)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

void relu6(const Call& call);

inline constexpr Facts kRelu6{
    .family = &kComposite,
    .name = "relu6",
    .params = "Tensor self",
    .forms = kFunctional | kInPlace,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&relu6},
};

}  // namespace tenon::kernels::ops
