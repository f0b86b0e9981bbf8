// SPDX-License-Identifier: Apache-2.0
// aten::amin: the smallest element along dims; NaN if one of them is NaN.
#pragma once

#include "kernels/ops/reductions/min.h"

namespace tenon::kernels::ops {

template <class T>
struct Amin : MinAll<T> {};

inline constexpr Facts kAmin{
    .family = &kFold,
    .name = "amin",
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

}  // namespace tenon::kernels::ops
