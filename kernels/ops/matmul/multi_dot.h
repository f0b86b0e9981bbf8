// SPDX-License-Identifier: Apache-2.0
// aten::linalg_multi_dot: the product of a chain of matrices in the order with the fewest
// multiplications; aten::chain_matmul, which accepts only matrices.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linalg_multi_dot(const Call& call);

inline constexpr Facts kLinalgMultiDot{
    .family = &kComposite,
    .name = "linalg_multi_dot",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&linalg_multi_dot},
};

void chain_matmul(const Call& call);

inline constexpr Facts kChainMatmul{
    .family = &kComposite,
    .name = "chain_matmul",
    .params = "Tensor[] matrices",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&chain_matmul},
};

}  // namespace tenon::kernels::ops
