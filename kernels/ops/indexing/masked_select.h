// SPDX-License-Identifier: Apache-2.0
// aten::masked_select: the elements where a mask is true, in row-major order.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void masked_select(const Call& call);

inline constexpr Facts kMaskedSelect{
    .family = &kExplicit,
    .name = "masked_select",
    .params = "Tensor self, Tensor mask",
    .forms = kFunctional | kOut,
    .tags = "dynamic_output_shape",
    .gradient = "self: masked_select_backward(grad, self.sizes(), mask)",
    .tangent = "masked_select(self_t, mask)",
    .batching = Batching::Own,
    .batch = &batch_masked_select,
    .cast = Cast::None,
    .routine = {&masked_select},
};

void masked_select_backward(const Call& call);

// The gradient of self, broadcast with the mask: elements of `grad` where it is true; 0 elsewhere.
inline constexpr Facts kMaskedSelectBackward{
    .family = &kComposite,
    .name = "masked_select_backward",
    .params = "Tensor grad, SymInt[] sizes, Tensor mask",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&masked_select_backward},
};

}  // namespace tenon::kernels::ops
