// SPDX-License-Identifier: Apache-2.0
// aten::rsub: other - alpha * self, where other may be a number.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void rsub_tensor(const Call& call);

inline constexpr Facts kRsubTensor{
    .family = &kComposite,
    .name = "rsub.Tensor",
    .params = "Tensor self, Tensor other, *, Scalar alpha=1",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rsub_tensor},
};

void rsub_scalar(const Call& call);

inline constexpr Facts kRsubScalar{
    .family = &kComposite,
    .name = "rsub.Scalar",
    .params = "Tensor self, Scalar other, Scalar alpha=1",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rsub_scalar},
};

}  // namespace tenon::kernels::ops
