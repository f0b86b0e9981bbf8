// SPDX-License-Identifier: Apache-2.0
// aten::argmin: the index of the first smallest element along a dim, or in row-major order of all
// elements.
#pragma once

#include "kernels/ops/reductions/largest.h"

namespace tenon::kernels::ops {

template <class T>
struct Argmin : Extreme<T, false> {
  using Outs = OutTypes<int64_t>;
  TENON_FUNCTOR void finish(typename Extreme<T, false>::State state, int64_t i,
                            char* const* outs) const {
    put(outs[0], i, state.index);
  }
};

inline constexpr Facts kArgmin{
    .family = &kFold,
    .name = "argmin",
    .params = "Tensor self, int? dim=None, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient = "none: an index",
    .tangent = "none: an index",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = {.types = kReals, .gives = FoldGives::Index, .needs_elements = true, .in_order = true},
};

}  // namespace tenon::kernels::ops
