// SPDX-License-Identifier: Apache-2.0
// aten::var: the variance; aten::std: the standard deviation; aten::var_mean and aten::std_mean:
// each with the mean.
#pragma once

#include "kernels/common/families/fold_functor.h"

namespace tenon::kernels::ops {

// The number of elements, their mean, and the sum of squared deviations from it, in double. For
// complex numbers the squares are those of both parts.
struct Spread {
  double count, mean, imag, squares;
};

TENON_FUNCTOR inline Spread with_element(Spread spread, double x, double y) {
  const double count = spread.count + 1;
  const double away = x - spread.mean, away_imag = y - spread.imag;
  const double mean = spread.mean + away / count, imag = spread.imag + away_imag / count;
  return {count, mean, imag, spread.squares + away * (x - mean) + away_imag * (y - imag)};
}
// https://doi.org/10.1007/978-3-642-51461-6_3 (Chan, Golub, LeVeque)
TENON_FUNCTOR inline Spread with_others(Spread a, Spread b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double count = a.count + b.count;
  const double away = b.mean - a.mean, away_imag = b.imag - a.imag;
  const double share = b.count / count;
  return {count, a.mean + away * share, a.imag + away_imag * share,
          a.squares + b.squares + (away * away + away_imag * away_imag) * a.count * share};
}

template <class T>
struct Var {
  using State = Spread;
  using Outs = OutTypes<Real<T>>;
  static constexpr int kLanes = 1;

  double correction;

  static Var make(const Args& args, int64_t) {
    return {args.is_none(2) ? 1 : args.factor<double>(2, "correction")};
  }
  TENON_FUNCTOR State start() const { return {0, 0, 0, 0}; }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    if constexpr (is_complex_element<T>) {
      return with_element(state, element.re, element.im);
    } else {
      return with_element(state, static_cast<double>(element), 0);
    }
  }
  TENON_FUNCTOR State merge(State a, State b) const { return with_others(a, b); }
  // Makes two passes over cached data: the mean, then the deviations.
  TENON_FUNCTOR State run(const T* elements, int64_t count,
                          int64_t) const requires std::is_floating_point_v<T> {
    constexpr int kSide = 16;
    double sums[kSide] = {};
    int64_t i = 0;
    for (; i + kSide <= count; i += kSide) {
      for (int k = 0; k < kSide; ++k) sums[k] += static_cast<double>(elements[i + k]);
    }
    double sum = 0;
    for (int k = 0; k < kSide; ++k) sum += sums[k];
    for (; i < count; ++i) sum += static_cast<double>(elements[i]);
    const double mean = sum / static_cast<double>(count);
    double squares[kSide] = {};
    for (i = 0; i + kSide <= count; i += kSide) {
      for (int k = 0; k < kSide; ++k) {
        const double away = static_cast<double>(elements[i + k]) - mean;
        squares[k] += away * away;
      }
    }
    double square = 0;
    for (int k = 0; k < kSide; ++k) square += squares[k];
    for (; i < count; ++i) {
      const double away = static_cast<double>(elements[i]) - mean;
      square += away * away;
    }
    return {static_cast<double>(count), mean, 0, square};
  }
  TENON_FUNCTOR double of(State state) const {
    const double divisor = state.count - correction;
    return state.squares / (divisor > 0 ? divisor : 0);
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<Real<T>>(of(state)));
  }
};

template <class T>
struct Std : Var<T> {
  static Std make(const Args& args, int64_t folded) { return {Var<T>::make(args, folded)}; }
  TENON_FUNCTOR void finish(Spread state, int64_t i, char* const* outs) const {
    put(outs[0], i, static_cast<Real<T>>(__builtin_sqrt(this->of(state))));
  }
};

inline constexpr FoldFacts kVarFold{.types = kFloats | kComplex,
                                    .gives = FoldGives::Real,
                                    .keeps_digits = true,
                                    .refusal = "floating or complex"};

inline constexpr Facts kVarCorrection{
    .family = &kFold,
    .name = "var.correction",
    .params = "Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False",
    .forms = kFunctional | kOut,
    .out = "correction_out",
    .tags = "core reduction",
    .gradient = "self: var_backward(grad, self, dim, correction, keepdim)",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kVarFold,
};

inline constexpr Facts kStdCorrection{
    .family = &kFold,
    .name = "std.correction",
    .params = "Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False",
    .forms = kFunctional | kOut,
    .out = "correction_out",
    .tags = "reduction",
    .gradient =
        "self: var_backward((grad / (result * 2)).masked_fill(eq(result, 0), 0), self, dim, "
        "correction, keepdim)",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kVarFold,
};

// The gradient of var.correction.
void var_backward(const Call& call);

inline constexpr Facts kVarBackward{
    .family = &kComposite,
    .name = "var_backward",
    .params = "Tensor grad, Tensor self, int[]? dim, Scalar? correction, bool keepdim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_backward},
};

void var_all(const Call& call);

inline constexpr Facts kVar{
    .family = &kComposite,
    .name = "var",
    .params = "Tensor self, bool unbiased=True",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_all},
};

void var_dim(const Call& call);

inline constexpr Facts kVarDim{
    .family = &kComposite,
    .name = "var.dim",
    .params = "Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_dim},
};

void std_all(const Call& call);

inline constexpr Facts kStd{
    .family = &kComposite,
    .name = "std",
    .params = "Tensor self, bool unbiased=True",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&std_all},
};

void std_dim(const Call& call);

inline constexpr Facts kStdDim{
    .family = &kComposite,
    .name = "std.dim",
    .params = "Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&std_dim},
};

void var_mean(const Call& call);

inline constexpr Facts kVarMeanCorrection{
    .family = &kComposite,
    .name = "var_mean.correction",
    .params = "Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .out = "correction_out",
    .outs = "out0, out1",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_mean, /*writes_out=*/true},
};

void var_mean_all(const Call& call);

inline constexpr Facts kVarMean{
    .family = &kComposite,
    .name = "var_mean",
    .params = "Tensor self, bool unbiased=True",
    .returns = "(Tensor, Tensor)",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_mean_all},
};

void var_mean_dim(const Call& call);

inline constexpr Facts kVarMeanDim{
    .family = &kComposite,
    .name = "var_mean.dim",
    .params = "Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False",
    .returns = "(Tensor, Tensor)",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&var_mean_dim},
};

void std_mean(const Call& call);

inline constexpr Facts kStdMeanCorrection{
    .family = &kComposite,
    .name = "std_mean.correction",
    .params = "Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .out = "correction_out",
    .outs = "out0, out1",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&std_mean, /*writes_out=*/true},
};

void std_mean_all(const Call& call);

inline constexpr Facts kStdMean{
    .family = &kComposite,
    .name = "std_mean",
    .params = "Tensor self, bool unbiased=True",
    .returns = "(Tensor, Tensor)",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&std_mean_all},
};

void std_mean_dim(const Call& call);

inline constexpr Facts kStdMeanDim{
    .family = &kComposite,
    .name = "std_mean.dim",
    .params = "Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False",
    .returns = "(Tensor, Tensor)",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&std_mean_dim},
};

}  // namespace tenon::kernels::ops
