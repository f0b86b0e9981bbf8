// SPDX-License-Identifier: Apache-2.0
// aten::logsumexp: the logarithm of the sum of exponentials along dims.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void logsumexp(const Call& call);

inline constexpr Facts kLogsumexp{
    .family = &kComposite,
    .name = "logsumexp",
    .params = "Tensor self, int[1] dim, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&logsumexp, /*writes_out=*/true},
};

inline constexpr Facts kSpecialLogsumexp{
    .family = &kSynonym,
    .name = "special_logsumexp",
    .params = "Tensor self, int[1] dim, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls logsumexp",
    .tangent = "none: calls logsumexp",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLogsumexp,
};

}  // namespace tenon::kernels::ops
