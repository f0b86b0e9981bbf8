// SPDX-License-Identifier: Apache-2.0
// aten::div: the quotient of two tensors: exact, or rounded down ("floor") or towards 0 ("trunc").
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"
#include "kernels/common/maths/maths.h"
#include "kernels/common/rounding.h"

namespace tenon::kernels::ops {

template <class T>
struct TrueDiv {
  static constexpr bool kSingles = true;

  TENON_FUNCTOR T operator()(T x, T y) const { return x / y; }
};

// Shared by truncating and flooring division. Small floats are rounded after each step, unless the
// divisor is a single number, as in PyTorch.
struct DivSteps {
  Rounding rounding;
  const char* op;

  static DivSteps make(const Args& args) {
    return {args.is_single(1) ? Rounding(TENON_DTYPE_F32) : Rounding(args.dtype()), args.op()};
  }
  // Integers. The smallest one divided by -1 does not fit and wraps instead of trapping.
  template <class T>
  TENON_FUNCTOR T quotient(T x, T y) const {
    if (y == 0) return maths::divided_by_zero<T>(op);
    if (std::is_signed_v<T> && y == T(-1)) return static_cast<T>(uint64_t{0} - uint64_t(x));
    return static_cast<T>(x / y);
  }
};

template <class T>
struct TruncDiv {
  DivSteps steps;
  static TruncDiv make(const Args& args) { return {DivSteps::make(args)}; }
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return steps.quotient(x, y);
    } else {
      return maths::trunc(steps.rounding(x / y));
    }
  }
};

template <class T>
struct FloorDiv {
  DivSteps steps;
  static FloorDiv make(const Args& args) { return {DivSteps::make(args)}; }
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      const T quotient = steps.quotient(x, y);
      const bool inexact = y != 0 && y != T(-1) && x % y != 0;
      return static_cast<T>(inexact && (x < 0) != (y < 0) ? quotient - 1 : quotient);
    } else {
      // Python's floor division: exact even if x / y rounds up to an integer.
      if (y == 0) return x / y;
      const Rounding& as = steps.rounding;
      const T remainder = as(maths::fmod(x, y));
      T quotient = as(as(x - remainder) / y);
      if (remainder != 0 && (y < 0) != (remainder < 0)) quotient = as(quotient - 1);
      if (quotient == 0) return maths::copysign(T(0), x / y);
      const T floor = maths::floor(quotient);
      return as(quotient - floor) > T(0.5) ? floor + 1 : floor;
    }
  }
};

inline int div_variant(const Args& args) {
  return args.choice(2, "rounding_mode", "floor", "trunc");
}
inline constexpr PointwiseRule kDivRules[] = {
    {kFloats | kComplex, Promote::CommonFloat}, {kReals}, {kReals}};

inline constexpr Facts kDivTensor{
    .family = &kPointwise,
    .name = "div.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = kPointwiseWithNumbers,
    .gradient = "self: grad / other.conj(); other: -grad * (result / other).conj()",
    .tangent = "(self_t - other_t * result) / other",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}, .keeps_digits = true},
};
inline constexpr Facts kDivTensorMode{
    .family = &kPointwise,
    .name = "div.Tensor_mode",
    .params = "Tensor self, Tensor other, *, str? rounding_mode",
    .forms = kAllForms,
    .out = "out_mode",
    .tags = kPointwiseWithNumbers,
    .gradient =
        "self: if_none(rounding_mode, grad / other.conj(), zeros_like(grad)); "
        "other: if_none(rounding_mode, -grad * (result / other).conj(), zeros_like(grad))",
    .tangent = "if_none(rounding_mode, (self_t - other_t * result) / other, zeros)",
    .batching = Batching::Pointwise,
    .node_number = 2,
    .cast = Cast::None,
    .pointwise = {.keeps_digits = true,
                  .variant = &div_variant,
                  .rules = kDivRules,
                  .rule_count = sizeof kDivRules / sizeof *kDivRules},
};
inline constexpr Facts kDivScalar{
    .family = &kNumberForm,
    .name = "div.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .pointwise = {.exact_outs = true},
    .tensor_form = &kDivTensor,
};
inline constexpr Facts kDivScalarMode{
    .family = &kNumberForm,
    .name = "div.Scalar_mode",
    .params = "Tensor self, Scalar other, *, str? rounding_mode",
    .forms = kAllForms,
    .out = "Scalar_mode_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kDivTensorMode,
};

inline constexpr Facts kDivideTensor{
    .family = &kSynonym,
    .name = "divide.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivTensor,
};

inline constexpr Facts kDivideScalar{
    .family = &kSynonym,
    .name = "divide.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivScalar,
};

inline constexpr Facts kDivideTensorMode{
    .family = &kSynonym,
    .name = "divide.Tensor_mode",
    .params = "Tensor self, Tensor other, *, str? rounding_mode",
    .forms = kAllForms,
    .out = "out_mode",
    .tags = "",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivTensorMode,
};

inline constexpr Facts kDivideScalarMode{
    .family = &kSynonym,
    .name = "divide.Scalar_mode",
    .params = "Tensor self, Scalar other, *, str? rounding_mode",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivScalarMode,
};

inline constexpr Facts kTrueDivideTensor{
    .family = &kSynonym,
    .name = "true_divide.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivTensor,
};

inline constexpr Facts kTrueDivideScalar{
    .family = &kSynonym,
    .name = "true_divide.Scalar",
    .params = "Tensor self, Scalar other",
    .forms = kFunctional | kInPlace,
    .tags = "",
    .gradient = "none: calls div",
    .tangent = "none: calls div",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kDivScalar,
};

}  // namespace tenon::kernels::ops
