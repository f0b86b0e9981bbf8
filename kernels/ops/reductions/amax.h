// SPDX-License-Identifier: Apache-2.0
// aten::amax: the largest element along dims; NaN if one of them is NaN.
#pragma once

#include "kernels/ops/reductions/extreme_of.h"

namespace tenon::kernels::ops {

// [quote.begin fold]
template <class T>
struct Amax {
  using State = T;
  using Outs = OutTypes<T>;
  static constexpr int kLanes = 32;

  TENON_FUNCTOR State start() const { return lowest<T>(); }
  TENON_FUNCTOR State step(State state, T element, int64_t) const { return merge(state, element); }
  TENON_FUNCTOR State merge(State a, State b) const {
    // The comparison is false if either side is NaN, which keeps a; a NaN in b is tested for below.
    const State larger = b > a ? b : a;
    if constexpr (std::is_floating_point_v<T>) return b != b ? b : larger;
    return larger;
  }
  TENON_FUNCTOR State run(const T* elements, int64_t count,
                          int64_t) const requires std::is_floating_point_v<T> {
    return extreme_of<true>(elements, count);
  }
  TENON_FUNCTOR void finish(State state, int64_t i, char* const* outs) const {
    put(outs[0], i, state);
  }
};

inline constexpr Facts kAmax{
    .family = &kFold,
    .name = "amax",
    .params = "Tensor self, int[1] dim=[], bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient =
        "self: eq(self, result.reshape(folded_sizes(self.sizes(), dim))) * "
        "(grad.reshape(folded_sizes(self.sizes(), dim)) / "
        "eq(self, result.reshape(folded_sizes(self.sizes(), dim))).sum(dim, True))",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = {.types = kReals | kBool | kOrderedUnsigned, .needs_elements = true},
};
// [quote.end]

}  // namespace tenon::kernels::ops
