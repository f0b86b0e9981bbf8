// SPDX-License-Identifier: Apache-2.0
// aten::min: the smallest element of all; along a dim, with the index of the first smallest one.
#pragma once

#include "kernels/ops/reductions/extreme_of.h"
#include "kernels/ops/reductions/largest.h"

namespace tenon::kernels::ops {

template <class T>
struct MinDim : ExtremeDim<T, false> {};

inline constexpr Facts kMinDim{
    .family = &kFold,
    .name = "min.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "dim_min",
    .outs = "min, min_indices",
    .tags = "core reduction",
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kExtremeFold,
};

template <class T>
struct MinAll {
  using State = T;
  using Outs = OutTypes<T>;
  static constexpr int kLanes = 32;

  TENON_FUNCTOR State start() const { return highest<T>(); }
  TENON_FUNCTOR State step(State state, T element, int64_t) const { return merge(state, element); }
  TENON_FUNCTOR State merge(State a, State b) const {
    // As in aten::amax, NaN propagates from either side.
    const State smaller = a <= b ? a : b;
    if constexpr (std::is_floating_point_v<T>) return a != a ? a : smaller;
    return smaller;
  }
  TENON_FUNCTOR State run(const T* elements, int64_t count,
                          int64_t) const requires std::is_floating_point_v<T> {
    return extreme_of<false>(elements, count);
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, state);
  }
};

inline constexpr Facts kMin{
    .family = &kFold,
    .name = "min",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .out = "unary_out",
    .tags = "reduction",
    .gradient =
        "self: where(isnan(result), isnan(self), eq(self, result)) * "
        "(grad / where(isnan(result), isnan(self), eq(self, result)).sum())",
    .tangent = "derived",
    .batching = Batching::Fold,
    .node_number = 1,
    .cast = Cast::None,
    .fold = {.types = kReals | kBool | kOrderedUnsigned, .needs_elements = true},
};

}  // namespace tenon::kernels::ops
