// SPDX-License-Identifier: Apache-2.0
// aten::masked_fill: a number where the mask is true, otherwise the elements of self.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void masked_fill(const Call& call);

inline constexpr Facts kMaskedFillScalar{
    .family = &kExplicit,
    .name = "masked_fill.Scalar",
    .params = "Tensor self, Tensor mask, Scalar value",
    .forms = kAllForms,
    .out = "Scalar_out",
    .tags = "pointwise",
    .gradient = "self: grad.masked_fill(mask, 0)",
    .tangent = "self_t.masked_fill(mask, 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&masked_fill},
};
inline constexpr Facts kMaskedFillTensor{
    .family = &kExplicit,
    .name = "masked_fill.Tensor",
    .params = "Tensor self, Tensor mask, Tensor value",
    .forms = kAllForms,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "self: grad.masked_fill(mask, 0); value: where(mask, grad, 0)",
    .tangent = "self_t.masked_fill(mask, 0) + where(mask, value_t, 0)",
    .batching = Batching::Own,
    .node_number = 1,
    .batch = &batch_masked_fill,
    .cast = Cast::None,
    .routine = {&masked_fill},
};

}  // namespace tenon::kernels::ops
