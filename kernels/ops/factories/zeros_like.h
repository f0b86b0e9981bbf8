// SPDX-License-Identifier: Apache-2.0
// aten::zeros_like: a tensor of zeros with the same sizes.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void zeros_like(const Call& call) {
  Tensor made = begin_factory(call);
  call_zero(made);
  end_factory(call, std::move(made));
}

inline constexpr Facts kZerosLike{
    .family = &kExplicit,
    .name = "zeros_like",
    .params = "Tensor self, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&zeros_like, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
