// SPDX-License-Identifier: Apache-2.0
// aten::ones: a tensor of ones.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void ones(const Call& call) {
  Tensor made = begin_factory(call);
  call_fill(made, Scalar(1));
  end_factory(call, std::move(made));
}

inline constexpr Facts kOnes{
    .family = &kExplicit,
    .name = "ones",
    .params = "SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&ones, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
