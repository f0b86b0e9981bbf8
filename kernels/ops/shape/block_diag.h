// SPDX-License-Identifier: Apache-2.0
// aten::block_diag: a block-diagonal matrix of several matrices.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void block_diag(const Call& call);

inline constexpr Facts kBlockDiag{
    .family = &kComposite,
    .name = "block_diag",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&block_diag},
};

}  // namespace tenon::kernels::ops
