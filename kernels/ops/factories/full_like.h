// SPDX-License-Identifier: Apache-2.0
// aten::full_like: a tensor of the same sizes filled with a number.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void full_like(const Call& call) {
  Tensor made = begin_factory(call);
  call_fill(made, call.get<Scalar>(1));
  end_factory(call, std::move(made));
}

inline constexpr Facts kFullLike{
    .family = &kExplicit,
    .name = "full_like",
    .params = "Tensor self, Scalar fill_value, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "core metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&full_like, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
