// SPDX-License-Identifier: Apache-2.0
// aten::zeros: a tensor of zeros.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

// [quote.begin factory]
inline void zeros(const Call& call) {
  Tensor made = begin_factory(call);
  call_zero(made);
  end_factory(call, std::move(made));
}

inline constexpr Facts kZeros{
    .family = &kExplicit,
    .name = "zeros",
    .params = "SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&zeros, /*writes_out=*/true},
};
// [quote.end]

}  // namespace tenon::kernels::ops
