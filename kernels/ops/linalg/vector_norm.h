// SPDX-License-Identifier: Apache-2.0
// aten::linalg_vector_norm: the norm of elements as a vector, over all or some dims; aten::norm:
// older names for it; aten::dist: the norm of a difference.
#pragma once

#include "kernels/common/families/fold_functor.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// The quantity that is folded, which the order of a norm determines once per call.
enum class NormKind : int { Count, Sum, Square, Power, Largest, Smallest };

template <class T>
struct VectorNorm {
  using State = double;
  using Outs = OutTypes<Real<T>>;
  static constexpr int kLanes = 4;

  NormKind kind;
  double ord;

  static VectorNorm make(const Args& args, int64_t) {
    const auto ord = args.factor<double>(1, "ord");
    if (ord == 0) return {NormKind::Count, ord};
    if (ord == 1) return {NormKind::Sum, ord};
    if (ord == 2) return {NormKind::Square, ord};
    if (ord == __builtin_inf()) return {NormKind::Largest, ord};
    if (ord == -__builtin_inf()) return {NormKind::Smallest, ord};
    return {NormKind::Power, ord};
  }
  TENON_FUNCTOR State start() const { return kind == NormKind::Smallest ? __builtin_inf() : 0; }
  TENON_FUNCTOR State step(State state, T element, int64_t) const {
    const double size = static_cast<double>(maths::abs(element));
    switch (kind) {
      case NormKind::Count:
        return state + (size == 0 ? 0.0 : 1.0);
      case NormKind::Sum:
        return state + size;
      case NormKind::Square:
        return state + size * size;
      case NormKind::Power:
        return state + maths::pow(size, ord);
      default:
        return merge(state, size);
    }
  }
  TENON_FUNCTOR State merge(State a, State b) const {
    // NaN propagates from either side.
    if (kind == NormKind::Largest) return a != a || a > b ? a : b;
    if (kind == NormKind::Smallest) return a != a || a < b ? a : b;
    return a + b;
  }
  // Sums squares side by side in double, in which the square of a float cannot overflow.
  TENON_FUNCTOR State run(const T* elements, int64_t count,
                          int64_t index) const requires std::is_same_v<T, float> {
    double sum = 0;
    int64_t i = 0;
    if (kind == NormKind::Square) {
      constexpr int kSide = 16;
      double sums[kSide] = {};
      for (; i + kSide <= count; i += kSide) {
        for (int k = 0; k < kSide; ++k) {
          const double element = elements[i + k];
          sums[k] += element * element;
        }
      }
      for (int k = 0; k < kSide; ++k) sum += sums[k];
    } else {
      sum = start();
    }
    for (; i < count; ++i) sum = step(sum, elements[i], index + i);
    return sum;
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    if (kind == NormKind::Square) state = maths::sqrt(state);
    if (kind == NormKind::Power) state = maths::pow(state, 1 / ord);
    put(outs[0], i, static_cast<Real<T>>(state));
  }
};

inline constexpr Facts kLinalgVectorNorm{
    .family = &kFold,
    .name = "linalg_vector_norm",
    .params =
        "Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
        "dtype=None",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "self: vector_norm_backward(grad, self, ord, result, dim, keepdim)",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .fold = {.types = kFloats | kComplex,
             .gives = FoldGives::Real,
             .refusal = "floating or complex"},
};

void vector_norm_backward(const Call& call);

inline constexpr Facts kVectorNormBackward{
    .family = &kComposite,
    .name = "vector_norm_backward",
    .params = "Tensor grad, Tensor self, Scalar ord, Tensor norm, int[]? dim, bool keepdim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&vector_norm_backward},
};

void norm_all(const Call& call);

inline constexpr Facts kNormScalar{
    .family = &kComposite,
    .name = "norm.Scalar",
    .params = "Tensor self, Scalar p=2",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&norm_all},
};

void norm_all_dtype(const Call& call);

inline constexpr Facts kNormScalarOptDtype{
    .family = &kComposite,
    .name = "norm.ScalarOpt_dtype",
    .params = "Tensor self, Scalar? p, *, ScalarType dtype",
    .forms = kFunctional | kOut,
    .out = "ScalarOpt_dtype_out",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&norm_all_dtype},
};

void norm_dim(const Call& call);

inline constexpr Facts kNormScalarOptDim{
    .family = &kComposite,
    .name = "norm.ScalarOpt_dim",
    .params = "Tensor self, Scalar? p, int[1] dim, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&norm_dim},
};

void norm_dim_dtype(const Call& call);

inline constexpr Facts kNormScalarOptDimDtype{
    .family = &kComposite,
    .name = "norm.ScalarOpt_dim_dtype",
    .params = "Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype",
    .forms = kFunctional | kOut,
    .out = "dtype_out",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&norm_dim_dtype},
};

void dist(const Call& call);

inline constexpr Facts kDist{
    .family = &kComposite,
    .name = "dist",
    .params = "Tensor self, Tensor other, Scalar p=2",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&dist},
};

}  // namespace tenon::kernels::ops
