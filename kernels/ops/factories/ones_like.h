// SPDX-License-Identifier: Apache-2.0
// aten::ones_like: a tensor of ones with the same sizes.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void ones_like(const Call& call) {
  Tensor made = begin_factory(call);
  call_fill(made, Scalar(1));
  end_factory(call, std::move(made));
}

inline constexpr Facts kOnesLike{
    .family = &kExplicit,
    .name = "ones_like",
    .params = "Tensor self, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&ones_like, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
