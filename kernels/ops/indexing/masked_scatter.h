// SPDX-License-Identifier: Apache-2.0
// aten::masked_scatter: the elements of a tensor, in order, where a mask is true, otherwise those
// of self.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void masked_scatter(const Call& call);

inline constexpr Facts kMaskedScatter{
    .family = &kExplicit,
    .name = "masked_scatter",
    .params = "Tensor self, Tensor mask, Tensor source",
    .forms = kAllForms,
    .tags = "",
    .gradient =
        "self: grad.masked_fill(mask, 0); "
        "source: masked_scatter_backward(grad, mask, source.sizes())",
    .tangent = "self_t.masked_fill(mask, 0) + masked_scatter(zeros_like(result), mask, source_t)",
    .batching = Batching::Own,
    .batch = &batch_masked_scatter,
    .cast = Cast::None,
    .routine = {&masked_scatter},
};

void masked_scatter_backward(const Call& call);

// The gradient of source: `grad_output` where the mask is true, and 0 for unused elements.
inline constexpr Facts kMaskedScatterBackward{
    .family = &kComposite,
    .name = "masked_scatter_backward",
    .params = "Tensor grad_output, Tensor mask, SymInt[] sizes",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&masked_scatter_backward},
};

}  // namespace tenon::kernels::ops
